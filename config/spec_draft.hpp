#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/kernel_source.hpp"

namespace config {

/// A first spec of a kernel, and what its author has to say before it means anything.
struct SpecDraft {
  std::string spec;  ///< TOML, with a comment at every guess
  std::string
      reference;  ///< CUDA C++ with the reference's declaration; it does not compile until it is written
  std::vector<std::string> questions;  ///< what the source does not say, most important first
};

/// `file` and `reference_file`: what the spec calls the source and its reference. Arguments come from the
/// parameters of `kernel`, one of `source`: integers passed by value are sizes, but for strides and the like;
/// pointers to const are inputs, others what the body does with them; structs are described where they have
/// plain fields alone. Open macros and template parameters
/// become parameters.
SpecDraft draft_spec(const tuner::source::SourceKernel& kernel, const tuner::source::KernelSource& source,
                     const std::string& file, const std::string& reference_file);

// What the names and types of a source suggest, for the draft.

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

/// A decimal number of at most nine digits.
std::optional<std::int64_t> number(const std::string& text);
/// Values to try for a tunable that is `usual` without tuning, as a TOML list.
std::string guessed_values(const std::string& name, const std::string& usual, bool in_condition);

}  // namespace config
