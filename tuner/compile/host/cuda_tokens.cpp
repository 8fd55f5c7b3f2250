#include "tuner/compile/host/cuda_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace tuner::compile::host {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : m_source(source) {}

  std::vector<Token> run() {
    while (m_at < m_source.size()) step();
    return std::move(m_tokens);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return m_at + ahead < m_source.size() ? m_source[m_at + ahead] : '\0';
  }

  void step() {
    const char c = peek();
    if (c == '\\' && continuation() > 0) {
      m_at += continuation();
    } else if (c == '\n') {
      ++m_at;
      m_line_start = true;
      m_directive = false;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++m_at;
    } else if (c == '/' && peek(1) == '/') {
      skip_line_comment();
    } else if (c == '/' && peek(1) == '*') {
      const std::size_t end = m_source.find("*/", m_at + 2);
      m_at = end == std::string_view::npos ? m_source.size() : end + 2;
    } else {
      token(c);
    }
  }

  /// Length of a backslash and the end of line after it, 0 where there is none.
  std::size_t continuation() const {
    if (peek(1) == '\n') return 2;
    return peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
  }

  void skip_line_comment() {
    while (m_at < m_source.size() && peek() != '\n')
      m_at += peek() == '\\' && continuation() > 0 ? continuation() : 1;
  }

  void token(char c) {
    if (m_line_start && c == '#') m_directive = true;
    if (starts_identifier(c)) {
      identifier();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      number();
    } else if (c == '"' || c == '\'') {
      add(Token::Kind::literal, quoted_end(m_at));
    } else {
      add(Token::Kind::punctuation, m_at + 1);
    }
  }

  void identifier() {
    std::size_t end = m_at;
    while (end < m_source.size() && continues_identifier(m_source[end])) ++end;
    const std::string_view text = m_source.substr(m_at, end - m_at);
    const bool quoted = end < m_source.size() && m_source[end] == '"';
    if (quoted && (text == "R" || text == "LR" || text == "uR" || text == "UR" || text == "u8R")) {
      add(Token::Kind::literal, raw_string_end(end));
    } else {
      add(Token::Kind::identifier, end);
    }
  }

  void number() {  // a preprocessing number: digits, letters, points, quotes between digits, signs after an
                   // exponent
    std::size_t end = m_at;
    while (end < m_source.size()) {
      const char c = m_source[end];
      const char before = end > m_at ? m_source[end - 1] : '\0';
      const bool sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      if (!continues_identifier(c) && c != '.' && c != '\'' && !sign) break;
      ++end;
    }
    add(Token::Kind::number, end);
  }

  std::size_t quoted_end(std::size_t open) const {
    std::size_t end = open + 1;
    while (end < m_source.size() && m_source[end] != m_source[open] && m_source[end] != '\n') {
      end += m_source[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, m_source.size());
  }

  /// `open` is the quote of R"delimiter( … )delimiter".
  std::size_t raw_string_end(std::size_t open) const {
    const std::size_t bracket = m_source.find('(', open);
    if (bracket == std::string_view::npos) return m_source.size();
    std::string closing = ")";
    closing.append(m_source.substr(open + 1, bracket - open - 1)).append("\"");
    const std::size_t end = m_source.find(closing, bracket);
    return end == std::string_view::npos ? m_source.size() : end + closing.size();
  }

  void add(Token::Kind kind, std::size_t end) {
    m_tokens.push_back({kind, m_source.substr(m_at, end - m_at), m_at, m_directive, m_line_start});
    m_line_start = false;
    m_at = end;
  }

  std::string_view m_source;
  std::size_t m_at = 0;
  bool m_line_start = true;
  bool m_directive = false;
  std::vector<Token> m_tokens;
};

}  // namespace

std::vector<Token> tokenise(std::string_view source) {
  return Lexer(source).run();
}

}  // namespace tuner::compile::host
