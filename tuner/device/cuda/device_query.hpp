#pragma once
#include <vector>

#include "tuner/device/cuda/driver.hpp"
#include "tuner/device/cuda/nvml.hpp"
#include "tuner/model/device.hpp"

namespace tuner::device::cuda {

/// What the driver says of a device, without a context. Throws model::Error with ExitCode::no_device where it
/// will not answer; `nvml` gives the driver's version and the free memory if it can.
model::DeviceInfo query_device(const Driver& driver, int ordinal, const Nvml& nvml);
std::vector<model::DeviceInfo> query_devices(const Driver& driver, const Nvml& nvml);

}  // namespace tuner::device::cuda
