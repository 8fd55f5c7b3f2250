#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/compile_job.hpp"

namespace tuner::compile::nvcc {

/// nvcc's options for a job, its macros and what is made of it apart: our own, then the job's.
std::vector<std::string> options_for(const model::CompileJob& job);

/// Why a job's own options cannot be used, naming the option; nothing when they can. Refused are those that
/// would make something other than a loadable cubin of the job's architecture, read or write files that are
/// no part of the job, or run other programs: nvcc hands its options to a shell.
std::optional<std::string> refused_option(const std::vector<std::string>& options);

}  // namespace tuner::compile::nvcc
