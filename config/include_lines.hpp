#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace config {

struct IncludeLine {
  std::string name;
  int line = 0;            ///< from 1
  int column = 0;          ///< of the name, from 1
  bool bracketed = false;  ///< `#include <name>`
};

/// The `#include "name"` and `#include <name>` lines of a C++ source that stand outside of comments.
/// Conditions (#if) are not evaluated: what is included under any of them is needed by some configuration.
std::vector<IncludeLine> include_lines(std::string_view text);

}  // namespace config
