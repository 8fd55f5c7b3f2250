#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/source/kernel_source.hpp"

/// What the names and types of a source suggest, for the first draft of a spec.
namespace config {

std::string upper(std::string text);
bool contains_any(const std::string& text, std::initializer_list<std::string_view> parts);

bool is_integer(const std::string& type);
/// Integers that say how data lies, or how often something is done, and not how large the problem is.
bool is_no_size(const std::string& name);
bool is_scalar_size(const tuner::source::SourceField& field);

/// What of `one` no [structs] can say; empty: nothing.
std::string no_plain_struct(const tuner::source::SourceStruct& one, bool by_value);
/// An `init` that suits elements of `type`.
const char* usual_init(const std::string& type);

/// A tunable of the source: a macro, or a template parameter.
struct Tunable {
  std::string name;    ///< as the spec has it
  std::string values;  ///< TOML
  std::string why;     ///< for the comment
  std::string usual;   ///< the value it has without tuning; empty: not known
};

/// A decimal number of at most nine digits.
std::optional<std::int64_t> number(const std::string& text);
/// Values to try for a tunable that is `usual` without tuning, as a TOML list.
std::string guessed_values(const std::string& name, const std::string& usual, bool in_condition);

}  // namespace config
