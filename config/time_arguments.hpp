#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// An argument as `tuner time --args` says it.
struct GivenArgument {
  enum class Kind { guess, buffer, value };
  Kind kind = Kind::guess;
  std::string type;                 ///< of elements; empty: the signature's
  std::vector<std::string> extent;  ///< of a buffer
  std::string access;               ///< empty: as the kernel's text shows
  std::string init;                 ///< as a spec has it; empty: the usual one
  std::string value;
};

/// At the commas that stand in no brackets.
std::vector<std::string> split_list(std::string_view text);

/// One of `--args`; see time_specs(). Throws model::UsageError.
GivenArgument read_given_argument(std::string_view text);

/// `text` with each name in it as `rename` has it; names of functions stay.
std::string with_names(std::string_view text, const std::function<std::string(const std::string&)>& rename);
/// Names in an expression that stand for values, each once, in order. Limits of devices are none.
std::vector<std::string> names_in(std::string_view text);

}  // namespace config
