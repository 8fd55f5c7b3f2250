#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile::nvrtc {

/// Names of the __global__ functions written in CUDA C++ text, in order, each once. Reads, does not compile:
/// macros stay as they stand. For messages that say what a source does contain.
std::vector<std::string> kernels_in_source(std::string_view source);

}  // namespace tuner::compile::nvrtc
