#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "tuner/model/diagnostic.hpp"

namespace config {

/// Lines wider than this are hard to read, however wide the terminal.
constexpr std::size_t widest_diagnostic_columns = 168;

/// A diagnostic for a terminal of `columns` columns: place and message, the offending line with a caret below
/// it, the hint. The line is quoted when `texts` holds the file; control characters in it are made harmless,
/// a long one is cut around the caret.
///
///   naive.toml:9:1: unknown key "sorce" in [kernel]
///      9 | sorce = "naive.cu"
///        | ^
///     did you mean "source"?
///
/// Ends without a newline.
std::string diagnostic_text(const tuner::model::Diagnostic& diagnostic,
                            std::span<const tuner::model::SourceText> texts,
                            std::size_t columns = widest_diagnostic_columns);

/// All of them, in order, separated by newlines.
std::string diagnostics_text(std::span<const tuner::model::Diagnostic> diagnostics,
                             std::span<const tuner::model::SourceText> texts,
                             std::size_t columns = widest_diagnostic_columns);

}  // namespace config
