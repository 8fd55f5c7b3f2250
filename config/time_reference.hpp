#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/draft_arguments.hpp"

namespace config {

/// An argument of kernels that are timed beside each other.
struct TimedArgument {
  std::string name;
  std::optional<DraftBuffer> buffer;  ///< none: a value
  bool is_workspace = false;
};

/// Its elements are structs, which have no one value to compare.
bool has_structs(const TimedArgument& argument);

struct TimeReferenceRequest {
  std::string file;    ///< what specs call it
  std::string source;  ///< of the kernel; its folder is among the spec's `include`
  std::string text;    ///< what stands in its place; empty: it is included
  std::string entry;   ///< it and its launch without parameters
  std::vector<std::pair<std::string, std::string>> macros;
  std::vector<std::string> block, grid;
  std::string shared_bytes;
  std::vector<TimedArgument> arguments;
  std::optional<double> tolerance;  ///< none: by the type of the results
};

/// One kernel as the reference of others.
struct TimeReference {
  std::string source;   ///< CUDA C++
  std::string derived;  ///< what it adds to a spec: [derived], …
  std::string buffers;  ///< … buffers for its results, …
  std::string verify;   ///< … and [verify]
};

/// Runs the kernel on copies of its outputs, twice over different contents: where these are still there, it
/// writes nothing, and nobody else may.
TimeReference time_reference(const TimeReferenceRequest& request);

}  // namespace config
