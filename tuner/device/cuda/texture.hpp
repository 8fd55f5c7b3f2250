#pragma once
#include "tuner/device/cuda/session.hpp"
#include "tuner/device/cuda/unique_handle.hpp"
#include "tuner/device/device.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::device::cuda {

/// Of one of the numbers of `type`.
CUarray_format format_of(model::ElementType type);

/// The texture object that `operand` asks for, over the buffer at `address`, or over `array` where it is in
/// one. Throws device::DeviceFault: unlaunchable where the driver has no such texture.
TextureHandle make_texture(const Session& session, const model::Operand& operand, Address address,
                           CUarray array);

/// The surface object over `array` that `operand` asks for; throws likewise.
SurfaceHandle make_surface(const Session& session, const model::Operand& operand, CUarray array);

}  // namespace tuner::device::cuda
