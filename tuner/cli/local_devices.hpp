#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::cli {

/// Ids of the GPUs that CUDA shows (CUDA_VISIBLE_DEVICES and the like honoured), as a process of its own
/// says: the parent of a sweep never touches CUDA. None where CUDA does not work; opening one says why.
std::vector<std::string> visible_cuda_devices();

/// Why times of the two may not be compared, as a sentence; empty: they are alike, as far as can be asked.
std::string why_unlike(const model::DeviceInfo& first, const model::DeviceInfo& other);

/// Used in child processes only: the parent of a sweep touches neither CUDA nor what a kernel can break.

/// `nvrtc` or the host compiler's name. Throws model::Error where it is missing.
std::unique_ptr<compile::Compiler> local_compiler(const std::string& name);

/// As local_runner() of backend.hpp. A sweep with nothing to do makes no CUDA context.
std::unique_ptr<model::TrialRunner> cuda_runner(const std::string& id,
                                                const std::filesystem::path& cache_folder);
std::unique_ptr<model::TrialRunner> cpu_runner();

/// Prints every device that can run kernels here on stdout, and on stderr why there is no GPU where there is
/// none.
int list_devices(const std::string& format);

}  // namespace tuner::cli
