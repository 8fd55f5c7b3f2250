#pragma once
#include <memory>

#include "tuner/device/cuda/unique_handle.hpp"
#include "tuner/device/device.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::device::cuda {

/// The texture object that `operand` asks for, over the buffer at `address`. Throws device::DeviceFault:
/// unlaunchable where the driver has no such texture.
TextureHandle make_texture(std::shared_ptr<const Driver> driver, const model::Operand& operand,
                           Address address);

}  // namespace tuner::device::cuda
