#pragma once
#include <string>
#include <vector>

#include "config/draft_plan.hpp"

namespace config {

/// A buffer of the kernel as its spec has it.
struct DraftBuffer {
  std::string name;
  std::string type;    ///< of its elements
  std::string extent;  ///< an expression over sizes
  bool is_input = false;
  bool is_output = false;
};

/// A result that a reference has to give.
struct DraftOutput {
  std::string name;  ///< of a buffer, or of a field of its elements: `x.y`
  bool has_magnitude;
};

/// The arguments of a kernel as its draft has them.
struct DraftArguments {
  std::string tables;               ///< TOML
  std::vector<std::string> each;    ///< what `tables` begins with: the table of each parameter
  std::vector<std::string> inputs;  ///< buffers that hold something before the launch
  std::vector<DraftOutput> outputs;
  std::vector<DraftBuffer> buffers;
};

/// Of each parameter of the kernel, and of each variable of the device that it uses.
DraftArguments draft_arguments(DraftSource& source, const DraftPlan& plan);

}  // namespace config
