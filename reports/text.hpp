#pragma once
#include <string>
#include <string_view>

namespace reports {

/// Text from outside (names, logs, commands) made harmless in one format each. All of them accept any bytes;
/// what is not UTF-8 becomes U+FFFD.

/// Inline Markdown (GitHub flavour), fit for a table cell: one line, markup characters escaped. Underscores
/// inside a word stay as they are, since they mean nothing there.
std::string markdown_text(std::string_view text);

/// A fenced block whose fence is longer than any run of backticks inside.
std::string markdown_code_block(std::string_view text);

/// Text or attribute value of HTML and SVG.
std::string html_text(std::string_view text);

/// One RFC 4180 field holding text. A leading `=`, `+`, `-`, `@`, tab or return gets a `'` before it, so that
/// no spreadsheet takes the field for a formula.
std::string csv_text(std::string_view text);

/// The first `lines` lines, and a line that says how many were left out.
std::string first_lines(std::string_view text, int lines);

/// Lower-case letters, digits and hyphens only: a file name or an anchor. `chart` where nothing is left.
std::string slug(std::string_view text);

}  // namespace reports
