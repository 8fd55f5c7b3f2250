#pragma once
#include <string_view>

#include "config/mistakes.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {

/// Letters, digits and underscores, not starting with a digit.
bool is_identifier(std::string_view text);

/// Whether `name` may name an argument, which is known to the spec alone: an identifier of at most 64
/// letters. Reports when not; `what` is `argument`, ….
bool check_identifier(std::string_view name, std::string_view what, const tuner::model::SourceLocation& where,
                      Mistakes& mistakes);

/// Whether `name` may name a size, parameter or derived value: such an identifier that means nothing yet in
/// CUDA C++ (parameters become macros) or in expressions.
bool check_name(std::string_view name, std::string_view what, const tuner::model::SourceLocation& where,
                Mistakes& mistakes);

/// Whether `name` may name a kernel or a family: letters, digits, `_`, `-` and `.`, at most 64.
bool check_label(std::string_view name, std::string_view what, const tuner::model::SourceLocation& where,
                 Mistakes& mistakes);

/// Whether `name` may name a function to launch: not blank, one line, at most 256 letters, such as
/// `reduce<float>`.
bool check_entry(std::string_view name, const tuner::model::SourceLocation& where, Mistakes& mistakes);

}  // namespace config
