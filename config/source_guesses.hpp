#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/host_code.hpp"
#include "tuner/source/kernel_source.hpp"

namespace config {

struct StructField;

// What the names and types of a source suggest, for the draft of a spec.

std::string upper(std::string text);
bool contains_any(const std::string& text, std::initializer_list<std::string_view> parts);

bool is_integer(const std::string& type);
/// Integers that say how data lies, or how often something is done, and not how large the problem is.
bool is_no_size(const std::string& name);
bool is_scalar_size(const tuner::source::SourceField& field);
/// Of these the ones that say how far apart rows lie.
bool is_row_length(const std::string& name);

/// Which of a grid's axes a size goes along by its name; 3: it does not say.
std::size_t axis_of(const std::string& name);

/// A macro or a template parameter that says how large a block is.
bool names_block(const std::string& name);
/// The same of variables of a launch and of what its template arguments set: these have more names for it.
bool is_of_block(const std::string& name);
/// The macro that gives a template parameter its value: one of its own name would replace it in the source.
std::string macro_of(const tuner::source::TemplateParameter& parameter);

/// The type that a template's parameter of this name stands for, where nothing says it.
const char* likely_type(const std::string& parameter);

/// What of `one` no [structs] can say; empty: nothing.
std::string no_plain_struct(const tuner::source::SourceStruct& one, bool by_value);
/// Its fields, all of known types.
std::vector<StructField> typed_fields(const tuner::source::SourceStruct& one);
/// As C++ lays them out.
std::int64_t struct_bytes(const tuner::source::SourceStruct& one);
/// An `init` that suits elements of `type`.
const char* usual_init(const std::string& type);

/// A decimal number of at most nine digits.
std::optional<std::int64_t> number(const std::string& text);
/// Values to try for a tunable that is `usual` without tuning, as a TOML list.
std::string guessed_values(const std::string& name, const std::string& usual, bool in_condition);
/// The program's own choices for a block, or else powers of two about its present size, within what a block
/// may have; a TOML list.
std::string block_values(const std::vector<std::int64_t>& choices, std::optional<std::int64_t> present,
                         bool is_plane);
/// A TOML list, or a table with one, without the numbers that are larger; of none the largest.
std::string values_up_to(std::int64_t largest, const std::string& values);
/// Which of a symbol's values is its default; empty: none is known.
std::string usual_choice(const tuner::source::SymbolFacts& facts);

}  // namespace config
