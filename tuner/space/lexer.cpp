#include "tuner/space/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "tuner/util/text.hpp"

namespace tuner::space {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : m_text(text) {}

  std::variant<std::vector<Token>, ExpressionError> run() {
    while (true) {
      while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\n')) {
        ++m_at;
      }
      if (m_at == m_text.size()) break;
      if (std::optional<ExpressionError> error = take()) return *error;
    }
    m_tokens.push_back({Token::Kind::end, static_cast<int>(m_text.size()), "", 0, 0});
    return std::move(m_tokens);
  }

 private:
  std::optional<ExpressionError> take() {
    const char c = m_text[m_at];
    const bool fraction = c == '.' && m_at + 1 < m_text.size() && is_digit(m_text[m_at + 1]);
    if (is_digit(c) || fraction) return number();
    if (c == '\'') return word();
    if (starts_name(c)) {
      push(Token::Kind::name, end_of_name(m_at));
      return std::nullopt;
    }
    return symbol();
  }

  std::optional<ExpressionError> symbol() {
    static constexpr std::array<std::string_view, 8> pairs{"&&", "||", "==", "!=", "<=", ">=", "<<", ">>"};
    static constexpr std::string_view singles = "+-*/%<>!&|^?:(),";
    const std::string_view two = m_text.substr(m_at, 2);
    if (std::find(pairs.begin(), pairs.end(), two) != pairs.end()) {
      push(Token::Kind::symbol, m_at + 2);
      return std::nullopt;
    }
    if (singles.find(m_text[m_at]) != std::string_view::npos) {
      push(Token::Kind::symbol, m_at + 1);
      return std::nullopt;
    }
    std::string hint;
    if (m_text[m_at] == '=') hint = "equality is `==`";
    if (m_text[m_at] == '"') hint = "words stand in single quotes: 'row'";
    std::size_t end = m_at + 1;  // all bytes of a character beyond ASCII
    while (end < m_text.size() && (static_cast<unsigned char>(m_text[end]) & 0xC0U) == 0x80U) ++end;
    return error(m_at, fmt::format("unexpected `{}`", excerpt(m_text.substr(m_at, end - m_at))), hint);
  }

  std::optional<ExpressionError> word() {
    const std::size_t close = m_text.find('\'', m_at + 1);
    if (close == std::string_view::npos) return error(m_at, "word without a closing quote", "");
    m_tokens.push_back(
        {Token::Kind::word, static_cast<int>(m_at), m_text.substr(m_at + 1, close - m_at - 1), 0, 0});
    m_at = close + 1;
    return std::nullopt;
  }

  std::optional<ExpressionError> number() {
    const std::size_t begin = m_at;
    const bool hex = m_text.substr(begin, 2) == "0x" || m_text.substr(begin, 2) == "0X";
    Token token{Token::Kind::integer, static_cast<int>(begin), "", 0, 0};
    const char* const last = m_text.data() + m_text.size();
    const char* const first = m_text.data() + begin + (hex ? 2 : 0);
    std::from_chars_result read = std::from_chars(first, last, token.integer, hex ? 16 : 10);
    if (hex && first != last && *first == '-') read = {first, std::errc::invalid_argument};
    token.real = static_cast<double>(token.integer);
    if (!hex) {
      const std::from_chars_result real =
          std::from_chars(first, last, token.real, std::chars_format::general);
      if (real.ptr != read.ptr) {
        token.kind = Token::Kind::real;
        read = real;
      }
    }
    const auto end = static_cast<std::size_t>(read.ptr - m_text.data());
    token.text = m_text.substr(begin, end - begin);
    if (read.ec == std::errc::result_out_of_range) {
      return error(begin, fmt::format("number {} is out of range", excerpt(token.text)), "");
    }
    if (read.ec != std::errc() || (end < m_text.size() && continues_name(m_text[end]))) {
      return error(
          begin, fmt::format("`{}` is not a number", excerpt(m_text.substr(begin, end_of_name(end) - begin))),
          "numbers have no suffix");
    }
    if (token.kind == Token::Kind::integer && !hex && token.text.size() > 1 && token.text[0] == '0') {
      return error(begin, fmt::format("number {} starts with 0", excerpt(token.text)),
                   "there are no octal numbers here");
    }
    m_tokens.push_back(token);
    m_at = end;
    return std::nullopt;
  }

  std::size_t end_of_name(std::size_t at) const {
    while (at < m_text.size() && continues_name(m_text[at])) ++at;
    return at;
  }

  void push(Token::Kind kind, std::size_t end) {
    m_tokens.push_back({kind, static_cast<int>(m_at), m_text.substr(m_at, end - m_at), 0, 0});
    m_at = end;
  }

  static ExpressionError error(std::size_t at, std::string message, std::string hint) {
    return {static_cast<int>(at) + 1, std::move(message), std::move(hint)};
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  std::vector<Token> m_tokens;
};

}  // namespace

std::variant<std::vector<Token>, ExpressionError> tokenize(std::string_view text) {
  return Lexer(text).run();
}

std::string excerpt(std::string_view text) {
  static constexpr std::size_t longest = 80;
  return util::one_line(text, longest);
}

bool is_identifier(std::string_view text) {
  return !text.empty() && starts_name(text[0]) && std::all_of(text.begin(), text.end(), continues_name);
}

}  // namespace tuner::space
