#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/trial_runner.hpp"

namespace tuner::cli {

/// Used in child processes only: the parent of a sweep touches neither CUDA nor what a kernel can break.

/// `nvrtc` or the host compiler's name. Throws model::Error where it is missing.
std::unique_ptr<compile::Compiler> local_compiler(const std::string& name);

/// As local_runner() of backend.hpp. A sweep with nothing to do makes no CUDA context.
std::unique_ptr<model::TrialRunner> cuda_runner(const std::string& id,
                                                const std::filesystem::path& cache_folder);
std::unique_ptr<model::TrialRunner> cpu_runner();

}  // namespace tuner::cli
