#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace config {

/// A name of a spec with the value that it had in each recorded launch.
struct FitName {
  std::string name;
  std::vector<std::int64_t> values;
};

/// What recorded numbers are fitted over; all names have as many values.
struct FitNames {
  std::vector<FitName> sizes;
  std::vector<FitName> parameters;
};

struct FittedExpression {
  std::string text;
  std::string rival;  ///< another one that is as plain and gives the same numbers; empty: there is none
  bool has_sizes = false;
};

/// Of each launch the same.
bool are_equal(const std::vector<std::int64_t>& numbers);

/// The plainest expression that gives `wanted`, the blocks of a grid along one axis: a constant, sizes,
/// their products, divisions of these by parameters, rounded up or down, products of two divisions, and the
/// least of a division and a constant. None: there is no such expression.
std::optional<FittedExpression> fit_grid(const FitNames& names, const std::vector<std::int64_t>& wanted);

/// The same for threads of a block along one axis: products and quotients of parameters, whole warps that
/// cover a size, and constants.
std::optional<FittedExpression> fit_block(const FitNames& names, const std::vector<std::int64_t>& wanted);

/// The same for how many elements a buffer has: products of sizes, also of one more than a size.
std::optional<FittedExpression> fit_extent(const FitNames& names, const std::vector<std::int64_t>& wanted);

/// Bytes of shared memory: multiples of parameters and sizes.
std::optional<FittedExpression> fit_shared_bytes(const FitNames& names,
                                                 const std::vector<std::int64_t>& wanted);

/// The value of an expression of a spec over these names; none where it has others, or no value.
std::optional<std::int64_t> expression_value(const std::string& expression,
                                             const std::map<std::string, std::int64_t>& names);

}  // namespace config
