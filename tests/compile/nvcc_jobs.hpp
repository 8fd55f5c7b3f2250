#pragma once
#include <string>
#include <vector>

#include "tuner/compile/nvcc/nvcc_compiler.hpp"
#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/model/error.hpp"

namespace tuner::test {

/// The nvcc that goes with this machine's NVRTC.
inline compile::nvcc::NvccCompiler nvcc_compiler() {
  const compile::nvrtc::Version version = compile::nvrtc::load_library()->version();
  return compile::nvcc::NvccCompiler(std::to_string(version.major) + "." + std::to_string(version.minor));
}

inline model::CompileJob nvcc_job(const std::string& text, std::vector<std::string> entries = {"kernel"}) {
  model::CompileJob job;
  job.source = {{"main.cu", text}};
  job.entries = std::move(entries);
  job.architecture = "sm_90";
  job.by_nvcc = true;
  return job;
}

}  // namespace tuner::test
