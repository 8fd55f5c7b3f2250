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

/// A runner on `cuda:N` or `cpu`. It says what the device is without a CUDA context; that is made by the
/// first trial, so that a sweep with nothing to do makes none. `cache_folder` keeps the device's own kernels
/// between runs.
std::unique_ptr<model::TrialRunner> local_runner(const std::string& device,
                                                 const std::filesystem::path& cache_folder);

}  // namespace tuner::cli
