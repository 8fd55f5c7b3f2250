#pragma once
#include <string>
#include <vector>

#include "tuner/model/device.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::interchange {

/// Trials of one kernel on one problem in one environment as a cache file of Kernel Tuner's, complete: it
/// simulates tuning on it. What failed is named by its three kinds of failures; skipped trials are left out.
/// The member `tuner` has what the format has no place for: family, element type, names of the sizes. Throws
/// model::Error where the trials differ in their parameters, or nothing is left.
std::string kernel_tuner_cache(const std::vector<model::TrialRecord>& trials);

/// The same as results in the T4 format, with device, kernel and problem in its `metadata`.
std::string t4_results(const std::vector<model::TrialRecord>& trials);

/// The configurations to use of one kernel, each of another problem or device, as wisdom of kernel_launcher,
/// which asks for it by `key`. `devices` tells compute capabilities. Throws model::Error where they differ in
/// their parameters, and where a problem has more than three sizes.
std::string kernel_launcher_wisdom(const std::string& key, const std::vector<model::TrialRecord>& winners,
                                   const std::vector<model::DeviceInfo>& devices);

/// A name as the beginning of a file's, which is not hidden: `NVIDIA_H200`.
std::string in_file_name(std::string name);

}  // namespace tuner::interchange
