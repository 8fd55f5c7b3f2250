#include "tuner/util/wrapping.hpp"

#include <algorithm>

#include "tuner/util/text.hpp"

namespace tuner::util {
namespace {

std::vector<std::string_view> blank_separated(std::string_view text) {
  constexpr std::string_view blanks = " \n";
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(blanks); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
  return words;
}

/// How many bytes of `word`, which is wider than `columns`, go on this line.
std::size_t cut_of(std::string_view word, std::size_t columns) {
  std::size_t end = bytes_of_characters(word, 1);
  while (end < word.size()) {
    const std::size_t next = end + bytes_of_characters(word.substr(end), 1);
    if (display_width(word.substr(0, next)) > columns) break;
    end = next;
  }
  const std::size_t mark = word.substr(0, end).find_last_of("|,/=");
  return mark == std::string_view::npos || mark == 0 ? end : mark + 1;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  columns = std::max<std::size_t>(columns, 1);
  std::vector<std::string> lines(1);
  for (std::string_view word : blank_separated(text)) {
    const std::size_t taken = display_width(lines.back()) + (lines.back().empty() ? 0 : 1);
    if (!lines.back().empty() && taken + display_width(word) > columns) lines.emplace_back();
    while (lines.back().empty() && display_width(word) > columns) {
      const std::size_t cut = cut_of(word, columns);
      lines.back() = word.substr(0, cut);
      lines.emplace_back();
      word.remove_prefix(cut);
    }
    if (word.empty()) {
      lines.pop_back();
      continue;
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::vector<std::string> wrapped_command(std::string_view command, std::size_t columns) {
  std::vector<std::string> lines(1);
  const std::vector<std::string_view> words = blank_separated(command);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t mark = i + 1 == words.size() ? 0 : 2;  // what ends a line that goes on
    const bool has_word = lines.back().find_first_not_of(' ') != std::string::npos;
    if (has_word && display_width(lines.back()) + 1 + display_width(words[i]) + mark > columns) {
      lines.back() += " \\";
      lines.emplace_back("  ");
      lines.back() += words[i];
      continue;
    }
    if (has_word) lines.back() += ' ';
    lines.back() += words[i];
  }
  return lines;
}

}  // namespace tuner::util
