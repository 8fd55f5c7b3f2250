#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/draft_plan.hpp"

namespace config {

/// A buffer of the kernel as its spec has it.
struct ReferenceBuffer {
  std::string name;
  std::string type;    ///< of its elements
  std::string extent;  ///< an expression over sizes
  bool is_input = false;
  bool is_output = false;
};

struct CpuReference {
  std::string function;  ///< of the source, as `gelu_cpu`
  int line = 0;
  std::string text;                    ///< device code that computes the same in double precision
  std::vector<std::string> arguments;  ///< of its launch
};

/// A function of the host that computes what the kernel does, made a reference: the program calls it with
/// host buffers that it copies to or compares with those of the launch. None where there is no such function,
/// or where it does more than compute.
std::optional<CpuReference> cpu_reference(tuner::source::HostCode& host,
                                          const tuner::source::ProgramFunction& kernel,
                                          const tuner::source::ProgramLaunch& launch, const DraftPlan& plan,
                                          const std::vector<ReferenceBuffer>& buffers);

}  // namespace config
