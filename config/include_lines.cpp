#include "config/include_lines.hpp"

#include <algorithm>
#include <optional>

namespace config {
namespace {

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

/// Consumes `line`, in which a block comment may begin or end; whether one is open at its end. Quotes hide
/// comment marks.
bool in_comment_after(std::string_view line, bool in_comment) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view pair = line.substr(i, 2);
    if (in_comment) {
      if (pair != "*/") continue;
      in_comment = false;
      ++i;
    } else if (quote != 0) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == quote) {
        quote = 0;
      }
    } else if (pair == "//") {
      return false;
    } else if (pair == "/*") {
      in_comment = true;
      ++i;
    } else if (line[i] == '"' || (line[i] == '\'' && (i == 0 || line[i - 1] < '0' || line[i - 1] > '9'))) {
      quote = line[i];  // an apostrophe after a digit separates digits
    }
  }
  return in_comment;
}

std::optional<std::string_view> included_name(std::string_view line) {
  line = without_blanks(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = without_blanks(line.substr(1));
  if (!line.starts_with("include")) return std::nullopt;
  line = without_blanks(line.substr(7));
  if (!line.starts_with('"') && !line.starts_with('<')) return std::nullopt;
  const char closing = line.front() == '<' ? '>' : '"';
  line.remove_prefix(1);
  const std::size_t end = line.find(closing);
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  return line.substr(0, end);
}

}  // namespace

std::vector<IncludeLine> include_lines(std::string_view text) {
  std::vector<IncludeLine> result;
  bool in_comment = false;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!in_comment) {
      if (const auto name = included_name(line)) {
        const bool bracketed = *(name->data() - 1) == '<';
        result.push_back(
            {std::string(*name), number, static_cast<int>(name->data() - line.data()) + 1, bracketed});
      }
    }
    in_comment = in_comment_after(line, in_comment);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace config
