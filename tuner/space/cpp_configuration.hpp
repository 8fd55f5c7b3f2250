#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/space/expression.hpp"

namespace tuner::space {

/// An expression of a spec as C++17. It calls the functions of cpp_helpers(), and names are: `s_.M` a size,
/// `d_.multiprocessors` a device limit, `lda(s_, d_)` a derived value, all else a constant; each as
/// cpp_name() has it. Values are of std::int64_t, or of double where the spec evaluates in double precision.
struct CppExpression {
  std::string text;
  std::vector<std::string> derived;  ///< those that it calls, each once
  std::vector<std::string> limits;   ///< device limits that it reads, each once
};

/// Nothing where C++17 cannot say it in a constant expression: log2, sqrt, rounding and remainders in double
/// precision. Throws model::UsageError where the expression has a mistake.
std::optional<CppExpression> cpp_expression(const model::Expression& expression, const Scope& scope,
                                            bool real = false);

bool is_cpp_keyword(std::string_view name);
/// A name of a spec as one of the generated struct, to each its own. `_` is behind it where C++ or the struct
/// has the name, and behind what ends in `_`: so `least_`, `s_` and such are the struct's alone. `_` is
/// before `argument_…`.
std::string cpp_name(std::string_view name);
/// `text` as a string literal.
std::string cpp_literal(std::string_view text);

/// Definitions of the expression language's operators as constexpr functions. They round as space/program
/// does. What is undefined in a spec is 0: a division by zero, a shift beyond 63 bits, a logarithm or root of
/// nothing.
std::string_view cpp_helpers();

/// A configuration of a kernel as a C++17 struct: its parameters as constants, and as functions of sizes and
/// device what its steps, buffers and arguments are.
struct CppConfiguration {
  std::string text;              ///< of the struct
  std::set<std::string> limits;  ///< device limits that it reads
};

/// `options`: what its compiler is given, for people and for compilers at run time. They are of `problem`:
/// where macros or options follow the size, it can be launched where they are the same. Throws
/// model::UsageError where the spec has a mistake, lacks a parameter, or has an expression that a constant
/// expression of C++17 cannot say.
CppConfiguration cpp_configuration(const model::KernelSpec& spec, const model::Configuration& configuration,
                                   const model::Problem& problem, const std::string& name,
                                   const std::string& options);

/// The types that such structs use: Extents, Step, Buffer.
std::string_view cpp_types();

}  // namespace tuner::space
