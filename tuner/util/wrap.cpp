#include "tuner/util/wrap.hpp"

#include <algorithm>
#include <utility>

#include "tuner/util/text.hpp"

namespace tuner::util {
namespace {

/// One line of text broken into several.
class Wrapper {
 public:
  Wrapper(std::size_t columns, std::size_t indent, std::size_t hanging)
      : m_columns(std::max<std::size_t>(columns, 1)),
        m_first(std::min(indent, m_columns - 1)),
        m_later(std::min(indent + hanging, m_columns - 1)),
        m_line(m_first, ' '),
        m_width(m_first) {}

  void add(std::string_view word) {
    const std::size_t width = display_width(word);
    if (m_has_word && m_width + 1 + width <= m_columns) {
      m_line += ' ';
      ++m_width;
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
    while (m_width + width > m_columns) {
      std::size_t characters = 1;
      while (display_width(word.substr(0, bytes_of_characters(word, characters + 1))) <= m_columns - m_width)
        ++characters;
      const std::size_t bytes = bytes_of_characters(word, characters);
      m_line += word.substr(0, bytes);
      word.remove_prefix(bytes);
      width = display_width(word);
      next();
    }
    m_line += word;
    m_width += width;
    m_has_word = true;
  }

  std::size_t m_columns, m_first, m_later;
  std::vector<std::string> m_lines;
  std::string m_line;
  std::size_t m_width;
  bool m_has_word = false;
};

std::vector<std::string> wrapped_line(std::string_view line, std::size_t columns, std::size_t hanging) {
  const std::string safe = one_line(line);
  const std::size_t begin = std::min(safe.find_first_not_of(' '), safe.size());
  Wrapper wrapper(columns, begin == safe.size() ? 0 : begin, hanging);
  std::string_view rest = std::string_view(safe).substr(begin);
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (!word.empty()) wrapper.add(word);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return wrapper.done();
}

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t columns, std::size_t hanging) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    for (std::string& line : wrapped_line(text.substr(0, end), columns, hanging))
      lines.push_back(std::move(line));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  return wrapped_lines(text, columns, 0);
}

std::string wrapped_text(std::string_view text, std::size_t columns, std::size_t hanging) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::string out;
  for (const std::string& line : wrapped_lines(text, columns, hanging)) out += line + '\n';
  return out;
}

}  // namespace tuner::util
