#include "tuner/compile/nvrtc/architecture.hpp"

#include <algorithm>

namespace tuner::compile::nvrtc {

model::CompileJob with_features(model::CompileJob job) {
  if (!job.architecture.empty() && job.architecture.back() >= '0' && job.architecture.back() <= '9')
    job.architecture += 'a';
  return job;
}

bool asks_for_features(const model::CompileJob& job) {
  return std::any_of(job.source.begin(), job.source.end(), [](const model::SourceText& file) {
    return file.text.find("__CUDA_ARCH_FEAT_SM") != std::string::npos;
  });
}

/// Instruction 'wgmma.fence' not supported on .target 'sm_90'; … requires .target 'sm_90a'
bool lacks_features(std::string_view log) {
  return log.find("not supported on .target 'sm_") != std::string_view::npos ||
         log.find("cannot be compiled for architecture 'sm_") != std::string_view::npos;
}

}  // namespace tuner::compile::nvrtc
