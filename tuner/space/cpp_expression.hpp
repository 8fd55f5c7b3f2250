#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/kernel_spec.hpp"
#include "tuner/space/generator.hpp"

namespace tuner::space {

/// An expression of a spec as C++17. It calls the functions of cpp_helpers(), and names are: `s.M` a size,
/// `d.multiprocessors` a device limit, `lda(s, d)` a derived value, all else a constant; each as cpp_name()
/// has it. Values are of std::int64_t, or of double where the spec evaluates in double precision.
struct CppExpression {
  std::string text;
  std::vector<std::string> derived;  ///< those that it calls, each once
  std::vector<std::string> limits;   ///< device limits that it reads, each once
};

/// Nothing where C++17 cannot say it in a constant expression: log2, sqrt, rounding and remainders in double
/// precision. Throws model::UsageError where the expression has a mistake.
std::optional<CppExpression> cpp_expression(const model::Expression& expression, const Scope& scope,
                                            bool real = false);

/// A name of a spec as one of the generated struct: with `_` behind it where C++ or the struct has the name.
std::string cpp_name(std::string_view name);
/// `text` as a string literal.
std::string cpp_literal(std::string_view text);

/// Definitions of the expression language's operators as constexpr functions. They round as space/program
/// does. What is undefined in a spec is 0: a division by zero, a shift beyond 63 bits, a logarithm or root of
/// nothing.
std::string_view cpp_helpers();

}  // namespace tuner::space
