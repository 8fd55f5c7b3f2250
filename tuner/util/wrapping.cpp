// Text in lines of so many columns.
#include <algorithm>
#include <array>
#include <utility>

#include "tuner/util/text.hpp"

namespace tuner::util {
namespace {

/// Where the word of a shell that begins at `at` ends: at a blank that is neither quoted nor escaped.
std::size_t end_of_shell_word(std::string_view command, std::size_t at) {
  char quote = 0;
  for (; at < command.size(); ++at) {
    const char c = command[at];
    if (quote == 0 && c == ' ') return at;
    if (c == '\\' && quote != '\'')
      ++at;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = 0;
  }
  return command.size();
}

/// The words between blanks; `end_of(text, at)` says where the one that begins at `at` ends.
template <class EndOf>
std::vector<std::string_view> words_of(std::string_view text, std::string_view blanks, const EndOf& end_of) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(blanks); at < text.size();) {
    const std::size_t end = end_of(text, at);
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

enum class LongWords { cut, keep };

/// One line of text broken into several.
class Wrapper {
 public:
  Wrapper(std::size_t columns, std::size_t indent, std::size_t hanging, LongWords long_words)
      : m_columns(std::max<std::size_t>(columns, 1)),
        m_long_words(long_words),
        m_first(std::min(indent, m_columns - 1)),
        m_later(std::min(indent + hanging, m_columns - 1)),
        m_line(m_first, ' '),
        m_width(m_first) {}

  /// `blanks` stand before it where it is not the first of its line.
  void add(std::string_view word, std::size_t blanks = 1) {
    const std::size_t width = display_width(word);
    if (m_has_word && m_width + blanks + width <= m_columns) {
      m_line.append(blanks, ' ');
      m_width += blanks;
    } else if (m_has_word) {
      next();
    }
    place(word, width);
  }
  std::vector<std::string> done() {
    m_lines.push_back(std::exchange(m_line, ""));
    return std::move(m_lines);
  }

 private:
  void next() {
    m_lines.push_back(std::exchange(m_line, std::string(m_later, ' ')));
    m_width = m_later;
    m_has_word = false;
  }
  /// At the end of the line, in pieces where it is wider than what is left of an empty one.
  void place(std::string_view word, std::size_t width) {
    while (m_long_words == LongWords::cut && m_width + width > m_columns) {
      const std::size_t bytes = cut_of(word, m_columns - m_width);
      m_line += word.substr(0, bytes);
      word.remove_prefix(bytes);
      m_has_word = true;
      m_width = m_columns;
      if (word.empty()) return;
      width = display_width(word);
      next();
    }
    m_line += word;
    m_width += width;
    m_has_word = true;
  }

  std::size_t m_columns;
  LongWords m_long_words;
  std::size_t m_first, m_later;
  std::vector<std::string> m_lines;
  std::string m_line;
  std::size_t m_width;
  bool m_has_word = false;
};

/// Whether a word is the unit of the number before it, which is not to be torn from it.
bool is_unit(std::string_view word) {
  word = word.substr(0, word.find_last_not_of(",;:.)") + 1);
  constexpr std::array<std::string_view, 7> units = {"%", "ns", "µs", "ms", "s", "min", "h"};
  return std::ranges::find(units, word) != units.end();
}

/// Where the first word of `text` ends; with its unit where it is a number and both are short beside a line.
std::size_t end_of_word(std::string_view text, std::size_t columns) {
  const std::size_t end = std::min(text.find(' '), text.size());
  if (end == 0 || end == text.size() || text[end - 1] < '0' || text[end - 1] > '9') return end;
  const std::size_t next_end = std::min(text.find(' ', end + 1), text.size());
  const bool is_short = display_width(text.substr(0, next_end)) <= columns / 2;
  return is_short && is_unit(text.substr(end + 1, next_end - end - 1)) ? next_end : end;
}

std::vector<std::string> wrapped_line(std::string_view line, std::size_t columns, std::size_t hanging,
                                      LongWords long_words) {
  const std::string safe = one_line(line);
  const std::size_t begin = std::min(safe.find_first_not_of(' '), safe.size());
  Wrapper wrapper(columns, begin == safe.size() ? 0 : begin, hanging, long_words);
  std::string_view rest = std::string_view(safe).substr(begin);
  for (std::size_t blanks = 0; !rest.empty();) {
    const std::size_t end = end_of_word(rest, columns);
    wrapper.add(rest.substr(0, end), blanks);
    rest.remove_prefix(end);
    blanks = std::min(rest.find_first_not_of(' '), rest.size());
    rest.remove_prefix(blanks);
  }
  return wrapper.done();
}

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t columns, std::size_t hanging) {
  std::vector<std::string> lines;
  for (bool goes_on = true; goes_on;) {
    goes_on = text.find('\n') != std::string_view::npos;
    for (std::string& line : wrapped_line(split_first(text, "\n"), columns, hanging, LongWords::cut))
      lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  return wrapped_lines(text, columns, 0);
}

std::vector<std::string> filled(std::string_view text, std::size_t columns) {
  Wrapper wrapper(columns, 0, 0, LongWords::cut);
  constexpr std::string_view blanks = " \n";
  const auto end_of = [](std::string_view all, std::size_t at) {
    return std::min(all.find_first_of(blanks, at), all.size());
  };
  for (const std::string_view word : words_of(text, blanks, end_of)) wrapper.add(word);
  return wrapper.done();
}

std::vector<std::string> wrapped_command(std::string_view command, std::size_t columns) {
  std::vector<std::string> lines(1);
  const std::vector<std::string_view> words = words_of(command, " ", end_of_shell_word);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t mark = i + 1 == words.size() ? 0 : 2;  // what ends a line that goes on
    const bool has_word = lines.back().find_first_not_of(' ') != std::string::npos;
    if (has_word && display_width(lines.back()) + 1 + display_width(words[i]) + mark > columns) {
      lines.back() += " \\";
      lines.emplace_back("  ");
    } else if (has_word) {
      lines.back() += ' ';
    }
    lines.back() += words[i];
  }
  return lines;
}

std::string wrapped_message(std::string_view text, std::size_t columns) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::string out;
  for (const std::string& line : wrapped_line(split_first(text, "\n"), columns, 2, LongWords::keep))
    out += line + '\n';
  while (!text.empty()) out += one_line(split_first(text, "\n")) + '\n';
  return out;
}

std::string wrapped_text(std::string_view text, std::size_t columns, std::size_t hanging) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::string out;
  for (const std::string& line : wrapped_lines(text, columns, hanging)) out += line + '\n';
  return out;
}

}  // namespace tuner::util
