#pragma once
#include <cuda.h>

#include <cstdint>
#include <functional>
#include <string>

#include "tuner/device/cuda/driver.hpp"
#include "tuner/device/cuda/session.hpp"
#include "tuner/device/device.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::device::cuda {

/// The CUtensorMap that `operand` asks for, over the buffer at `address`. Throws device::DeviceFault:
/// unlaunchable where the driver or the device has no such map.
OperandValue make_tensor_map(const Driver& driver, const model::Operand& operand, Address address);

/// Of one of the numbers of `type`.
CUarray_format format_of(model::ElementType type);

/// The texture object that `operand` asks for, over the buffer at `address`, or over `array` where it is in
/// one. Throws device::DeviceFault: unlaunchable where the driver has no such texture.
TextureHandle make_texture(const Session& session, const model::Operand& operand, Address address,
                           CUarray array);

/// The surface object over `array` that `operand` asks for; throws as make_texture() does.
SurfaceHandle make_surface(const Session& session, const model::Operand& operand, CUarray array);

/// What a device says of itself; 0: it does not.
using AttributeQuery = std::function<std::int64_t(CUdevice_attribute)>;

/// What of `operand`, a texture or a surface, is more than the device takes, with both numbers: `a texture of
/// 140000 columns; this device takes 131072`. Empty: nothing.
std::string beyond_limits(const model::Operand& operand, const AttributeQuery& attribute);

/// Why the driver, which said `result`, has no `what` (`a texture`) for `operand`: the limit that it is
/// beyond, or else the driver's own word.
std::string refusal_of(const Session& session, const model::Operand& operand, const char* what,
                       CUresult result);

}  // namespace tuner::device::cuda
