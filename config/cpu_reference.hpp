#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/draft_arguments.hpp"

namespace config {

struct CpuReference {
  std::string function;  ///< of the source, as `gelu_cpu`
  int line = 0;
  std::string text;                    ///< device code that computes the same in double precision
  std::vector<std::string> arguments;  ///< of its launch
};

/// A function of the host that computes what the kernel does, made a reference: the program calls it with
/// host buffers that it copies to or compares with those of the launch that says most. None where there is no
/// such function, or where it does more than compute.
std::optional<CpuReference> cpu_reference(DraftSource& source, const DraftPlan& plan,
                                          const std::vector<DraftBuffer>& buffers);

}  // namespace config
