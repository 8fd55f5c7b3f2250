#pragma once
#include <string>
#include <vector>

#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/model/error.hpp"

namespace tuner::test {

/// A compiler with the library that this machine has.
inline compile::nvrtc::NvrtcCompiler real_compiler() {
  return compile::nvrtc::NvrtcCompiler(compile::nvrtc::load_library());
}

/// Whether this machine lacks the toolkit's headers (or NVRTC): for cases that are skipped then.
inline bool no_toolkit() {
  try {
    return compile::find_header_folder(compile::nvrtc::load_library()->path()).empty();
  } catch (const model::Error&) {
    return true;
  }
}

inline model::CompileJob cuda_job(const std::string& text, std::vector<std::string> entries = {"kernel"}) {
  model::CompileJob job;
  job.source = {{"main.cu", text}};
  job.entries = std::move(entries);
  job.architecture = "sm_90";
  job.compiler = real_compiler().name();
  return job;
}

/// Wraps statements into a kernel that doctest cases can name.
inline std::string kernel_of(const std::string& statements) {
  return "extern \"C\" __global__ void kernel(float* p, int n) {\n" + statements + "\n}\n";
}

}  // namespace tuner::test
