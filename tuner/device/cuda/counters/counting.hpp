#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tuner/device/device.hpp"

namespace tuner::device::cuda::counters {

/// The counters of the GPU with this ordinal, in the context that is current on the calling thread. `places`
/// are where CUPTI may be. Throws model::Error where there is none, or no permission.
std::unique_ptr<Counters> open(int ordinal, const std::vector<std::string>& places);

}  // namespace tuner::device::cuda::counters
