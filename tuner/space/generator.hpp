#pragma once
#include <variant>
#include <vector>

#include "tuner/space/parser.hpp"
#include "tuner/space/program.hpp"
#include "tuner/space/scope.hpp"

namespace tuner::space {

/// What an expression may contain besides what all may.
struct Rules {
  bool real = false;   ///< evaluated in double precision: decimal numbers, but no bit operations
  bool time = false;   ///< time_ns
  bool limits = true;  ///< device limits
  bool word = false;   ///< the whole may be a parameter that takes words; the value is then the word's code
};

/// Resolves names and words and compiles the tree under `root`.
std::variant<Program, ExpressionError> generate(const Syntax& syntax, int root, const Scope& scope,
                                                const Rules& rules);

/// The operands of the `&&`s at the top of the tree, left to right. A constraint is their conjunction whether
/// each is tested alone or not, since undefined and false both exclude a configuration.
std::vector<int> conjuncts(const Syntax& syntax);

}  // namespace tuner::space
