#include "tuner/compile/nvrtc/library.hpp"
#include "tuner/model/error.hpp"

namespace tuner::compile::nvrtc {

std::shared_ptr<const Library> load_library(const std::string&) {
  throw model::Error(
      "this build has no NVRTC: there were no CUDA headers where it was built",
      "build again with a CUDA toolkit 12.4 or newer, or with -DTUNER_CUDA_INCLUDE_DIR=FOLDER of nvrtc.h",
      model::ExitCode::no_device);
}

}  // namespace tuner::compile::nvrtc
