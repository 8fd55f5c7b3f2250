#pragma once
#include "tuner/device/cuda/driver.hpp"
#include "tuner/device/device.hpp"
#include "tuner/device/operand_value.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::device::cuda {

/// The CUtensorMap that `operand` asks for, over the buffer at `address`. Throws device::DeviceFault:
/// unlaunchable where the driver or the device has no such map.
OperandValue make_tensor_map(const Driver& driver, const model::Operand& operand, Address address);

}  // namespace tuner::device::cuda
