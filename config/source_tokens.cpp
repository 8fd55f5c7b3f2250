#include "config/source_tokens.hpp"

#include <algorithm>
#include <cctype>

namespace config {
namespace {

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool continues_word(char c) {
  return begins_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : m_source(source) {}

  SourceTokens scan() {
    while (m_at < m_source.size()) {
      const char c = m_source[m_at];
      if (c == '\n') {
        end_line();
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++m_at;
      } else if (c == '\\' && peek(1) == '\n') {
        m_at += 2;
        ++m_line;
      } else if (c == '/' && peek(1) == '/') {
        while (m_at < m_source.size() && m_source[m_at] != '\n') ++m_at;
      } else if (c == '/' && peek(1) == '*') {
        skip_comment();
      } else if (c == '#' && m_line_is_empty) {
        begin_directive();
      } else {
        add_token();
      }
    }
    return std::move(m_found);
  }

 private:
  char peek(std::size_t ahead) const {
    return m_at + ahead < m_source.size() ? m_source[m_at + ahead] : '\0';
  }

  void end_line() {
    ++m_at;
    ++m_line;
    m_line_is_empty = true;
    m_in_directive = false;
  }

  void skip_comment() {
    const std::size_t end = m_source.find("*/", m_at + 2);
    const std::size_t after = end == std::string_view::npos ? m_source.size() : end + 2;
    for (; m_at < after; ++m_at)
      if (m_source[m_at] == '\n') ++m_line;
  }

  void begin_directive() {
    ++m_at;
    while (peek(0) == ' ' || peek(0) == '\t') ++m_at;
    m_found.directives.push_back({word(), {}, m_line});
    m_in_directive = true;
    m_line_is_empty = false;
  }

  std::string word() {
    const std::size_t begin = m_at;
    while (m_at < m_source.size() && continues_word(m_source[m_at])) ++m_at;
    return std::string(m_source.substr(begin, m_at - begin));
  }

  void skip_quoted(char quote) {
    for (++m_at; m_at < m_source.size() && m_source[m_at] != quote && m_source[m_at] != '\n'; ++m_at)
      if (m_source[m_at] == '\\') ++m_at;
    if (peek(0) == quote) ++m_at;
  }

  void add_token() {
    m_line_is_empty = false;
    Token token{"", m_line};
    const char c = m_source[m_at];
    if (begins_word(c)) {
      token.text = word();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (m_at < m_source.size() && (continues_word(m_source[m_at]) || m_source[m_at] == '.'))
        token.text += m_source[m_at++];
    } else if (c == '"' || c == '\'') {
      skip_quoted(c);
      token.text = "\"\"";
    } else if (c == ':' && peek(1) == ':') {
      token.text = "::";
      m_at += 2;
    } else {
      token.text = c;
      ++m_at;
    }
    (m_in_directive ? m_found.directives.back().tokens : m_found.code).push_back(std::move(token));
  }

  std::string_view m_source;
  std::size_t m_at = 0;
  int m_line = 1;
  bool m_line_is_empty = true;
  bool m_in_directive = false;
  SourceTokens m_found;
};

}  // namespace

bool Token::is_word() const {
  return !text.empty() && begins_word(text.front());
}

SourceTokens tokens_of(std::string_view source) {
  return Scanner(source).scan();
}

bool is_one_of(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::size_t behind_bracket(Tokens tokens, std::size_t open) {
  const std::string& opening = tokens[open].text;
  const std::string closing = opening == "(" ? ")" : opening == "{" ? "}" : opening == "[" ? "]" : ">";
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].text == opening) ++depth;
    if (tokens[i].text == closing && --depth == 0) return i + 1;
  }
  return tokens.size();
}

std::vector<Tokens> parts(Tokens tokens) {
  std::vector<Tokens> found;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    if (is_one_of(text, {"(", "<", "[", "{"})) ++depth;
    if (is_one_of(text, {")", ">", "]", "}"})) --depth;
    if (text != "," || depth != 0) continue;
    found.push_back(tokens.subspan(begin, i - begin));
    begin = i + 1;
  }
  if (begin < tokens.size()) found.push_back(tokens.subspan(begin));
  return found;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const auto is_letter = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    if (!text.empty() && is_letter(text.back()) && is_letter(word.front())) text += ' ';
    text += word;
  }
  return text;
}

}  // namespace config
