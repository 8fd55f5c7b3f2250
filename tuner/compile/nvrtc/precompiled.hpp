#pragma once
#include <string>

#include "tuner/model/compile_job.hpp"

namespace tuner::compile::nvrtc {

/// Whether the main file says, by a line `#pragma nv_hdrstop`, that what it includes above does not depend on
/// the configuration: NVRTC then reads those headers once a process.
bool has_header_stop(const model::CompileJob& job);

/// The main file of such a job, with its macros behind that line instead of among the options: what stands
/// above must be the same for all configurations, and differ where another header of the job does. `name`: of
/// the file, as a literal has it.
std::string with_macros_behind_stop(const model::CompileJob& job, const std::string& name);

}  // namespace tuner::compile::nvrtc
