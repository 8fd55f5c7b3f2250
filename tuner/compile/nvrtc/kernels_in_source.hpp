#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile::nvrtc {

/// Names of the __global__ functions written in CUDA C++ text, in order, each once. Reads, does not compile:
/// macros stay as they stand. For messages that say what a source does contain.
std::vector<std::string> kernels_in_source(std::string_view source);

/// What to tell where a compiler found `entry` to be several functions; empty: that is not `why`.
std::string ambiguous_entry(std::string_view entry, std::string_view why);

}  // namespace tuner::compile::nvrtc
