#pragma once
#include <string>
#include <vector>

#include "tuner/model/device_info.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::cli {

/// Throws model::Error where one of `kernels` is compiled by nvcc for the device and there is none of the
/// release of `compiler` (`nvrtc 13.0`): before anything runs, and not at that kernel's turn.
void require_nvcc(const std::vector<model::KernelSpec>& kernels, const model::DeviceInfo& device,
                  const std::string& compiler);

}  // namespace tuner::cli
