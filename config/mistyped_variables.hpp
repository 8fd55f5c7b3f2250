#pragma once
#include <span>
#include <string>
#include <vector>

namespace config {

struct MistypedVariable {
  std::string name;   ///< `TUNER_DEVCE`
  std::string meant;  ///< `TUNER_DEVICE`
};

/// The names of all variables of this process that are set and not empty.
std::vector<std::string> process_variables();

/// Those of `names` that begin with TUNER_, that nothing of the tuner reads, and that are nearly the name of
/// a variable it does read.
std::vector<MistypedVariable> mistyped_variables(std::span<const std::string> names);

}  // namespace config
