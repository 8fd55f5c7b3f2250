#pragma once
#include <string>
#include <vector>

#include "tuner/model/device_info.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// Adds to `work` the libraries that specs of its families name, each on the problems of its family: those
/// that run on `device`, of which nothing is replayed. `kernels` are all that are at hand; of two baselines
/// of one name the first counts. A sentence in `notices` says which they are, or why there are none.
void add_baselines(const std::vector<model::KernelSpec>& kernels, const model::DeviceInfo& device,
                   std::vector<sweep::Work>& work, std::vector<std::string>& notices);

}  // namespace tuner::cli
