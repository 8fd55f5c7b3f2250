#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/compile_job.hpp"

namespace tuner::compile::host {

/// Whether a host library's main file has device code in it: `.cu`, for nvcc.
bool has_device_code(const model::CompileJob& job);

/// Where nvcc is looked for, in order; a plain name is looked up in the PATH.
std::vector<std::string> nvcc_places();

/// $TUNER_NVCC, else nvcc of the PATH, of $CUDA_PATH, of $CUDA_HOME, and of where toolkits usually are.
/// Nothing, with what was looked for in `why_not`, where there is none.
std::optional<std::string> find_nvcc(std::string& why_not);

/// What makes a shared object of C++ with device code for `architecture`, with CUDA's runtime linked in: it
/// uses the primary context, as whoever loads it does.
std::vector<std::string> nvcc_options(const std::string& architecture);

}  // namespace tuner::compile::host
