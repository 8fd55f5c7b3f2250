#pragma once
#include <string>
#include <vector>

#include "tuner/model/device_info.hpp"

namespace tuner::cli {

/// Ids of the GPUs that CUDA shows (CUDA_VISIBLE_DEVICES and the like honoured), as a process of its own
/// says: the parent of a sweep never touches CUDA. None where CUDA does not work; opening one says why.
std::vector<std::string> visible_cuda_devices();

/// Why times of the two may not be compared, as a sentence; empty: they are alike, as far as can be asked.
std::string why_unlike(const model::DeviceInfo& first, const model::DeviceInfo& other);

}  // namespace tuner::cli
