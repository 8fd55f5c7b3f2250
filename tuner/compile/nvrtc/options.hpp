#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/compile/nvrtc/library.hpp"
#include "tuner/model/compile_job.hpp"

namespace tuner::compile::nvrtc {

/// NVRTC's options for a job: our own, the macros and vocabulary, then the job's own, which win where NVRTC
/// lets the last one win. `headers` may be empty.
std::vector<std::string> options_for(const model::CompileJob& job, Version version,
                                     const std::filesystem::path& headers);

/// Why a job's own options cannot be used, naming the option; nothing when they can. Refused are those that
/// would make something other than a loadable cubin of the job's architecture, change the process, or write
/// files: a spec comes from anywhere.
std::optional<std::string> refused_option(const std::vector<std::string>& options);

}  // namespace tuner::compile::nvrtc
