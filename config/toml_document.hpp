#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "config/mistakes.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {

/// The largest file this room reads, specs and sources alike.
inline constexpr std::size_t most_file_bytes = std::size_t{1} << 20;

/// Parses TOML 1.0. `file` is what places name. The first syntax error ends the reading: what follows one
/// means nothing. Only toml_document.cpp knows the TOML library: it is slow to compile, and it forgets the
/// order of keys.
std::variant<Node, tuner::model::Diagnostic> parse_toml(std::string_view text, const std::string& file);

}  // namespace config
