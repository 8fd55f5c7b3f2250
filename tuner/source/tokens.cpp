#include "tuner/source/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace tuner::source {
namespace {

// These are asked of every character of every source at each start: <cctype> calls a function for them.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
constexpr bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
constexpr bool continues_word(char c) {
  return begins_word(c) || is_digit(c);
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : m_source(source) {}

  std::vector<Token> run() {
    m_tokens.reserve(m_source.size() / 4);
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
    } else if (is_space(c)) {
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
    if (begins_word(c)) {
      word();
    } else if (is_digit(c)) {
      number();
    } else if (c == '"' || c == '\'') {
      add(Token::Kind::literal, quoted_end(m_at));
    } else {
      add(Token::Kind::punctuation, m_at + (c == ':' && peek(1) == ':' ? 2 : 1));
    }
  }

  void word() {
    std::size_t end = m_at;
    while (end < m_source.size() && continues_word(m_source[end])) ++end;
    const std::string_view text = m_source.substr(m_at, end - m_at);
    const bool quoted = end < m_source.size() && m_source[end] == '"';
    if (quoted && (text == "R" || text == "LR" || text == "uR" || text == "UR" || text == "u8R")) {
      add(Token::Kind::literal, raw_string_end(end));
    } else {
      add(Token::Kind::word, end);
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
      if (!continues_word(c) && c != '.' && c != '\'' && !sign) break;
      ++end;
    }
    add(Token::Kind::number, end);
  }

  std::size_t quoted_end(std::size_t open) const {
    std::size_t end = open + 1;
    while (end < m_source.size() && m_source[end] != m_source[open] && m_source[end] != '\n')
      end += m_source[end] == '\\' ? 2 : 1;
    if (end < m_source.size() && m_source[end] == m_source[open]) ++end;
    return std::min(end, m_source.size());
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
    for (; m_counted < m_at; ++m_counted) m_line += m_source[m_counted] == '\n' ? 1 : 0;
    m_tokens.push_back({kind, m_source.substr(m_at, end - m_at), m_at, m_line, m_directive, m_line_start});
    m_line_start = false;
    m_at = end;
  }

  std::string_view m_source;
  std::size_t m_at = 0;
  std::size_t m_counted = 0;  ///< up to here m_line has counted
  int m_line = 1;
  bool m_line_start = true;
  bool m_directive = false;
  std::vector<Token> m_tokens;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) {
  return Lexer(source).run();
}

Lines lines_of(std::string_view source) {
  return lines_of(tokens_of(source), source);
}

Lines lines_of(Tokens tokens, std::string_view source) {
  Lines lines;
  lines.code.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size();) {
    if (!tokens[i].in_directive) {
      lines.code.push_back(tokens[i++]);
      continue;
    }
    std::size_t end = i + 1;
    while (end < tokens.size() && tokens[end].in_directive && !tokens[end].starts_line) ++end;
    const std::size_t behind = tokens[end - 1].offset + tokens[end - 1].text.size();
    Directive& directive = lines.directives.emplace_back();
    directive.text = source.substr(tokens[i].offset, behind - tokens[i].offset);
    directive.line = tokens[i].line;
    ++i;
    if (i < end && tokens[i].is_word()) directive.name = tokens[i++].text;
    for (; i < end; ++i) directive.tokens.push_back(tokens[i]);
  }
  return lines;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::count(words, text) > 0;
}

std::size_t find_one_of(Tokens tokens, std::initializer_list<std::string_view> words) {
  const auto found = std::ranges::find_if(
      tokens, [&](std::string_view text) { return is_one_of(text, words); }, &Token::text);
  return static_cast<std::size_t>(found - tokens.begin());
}

std::size_t find_outside(Tokens tokens, std::size_t at, std::initializer_list<std::string_view> words) {
  while (at < tokens.size() && !is_one_of(tokens[at].text, words))
    at = is_one_of(tokens[at].text, {"(", "[", "{"}) ? behind_bracket(tokens, at) : at + 1;
  return std::min(at, tokens.size());
}

std::string operator_at(Tokens tokens, std::size_t at) {
  if (at >= tokens.size() || tokens[at].kind != Token::Kind::punctuation) return {};
  std::string one(tokens[at].text);
  if (at + 1 < tokens.size()) {
    const std::string two = one + std::string(tokens[at + 1].text);
    if (is_one_of(two, {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>"})) return two;
  }
  return is_one_of(one, {"|", "^", "&", "<", ">", "+", "-", "*", "/", "%"}) ? one : std::string();
}

std::size_t behind_bracket(Tokens tokens, std::size_t open) {
  constexpr std::string_view openings = "({[<";
  constexpr std::string_view closings = ")}]>";
  const std::string_view opening = tokens[open].text;
  const std::size_t kind = openings.find(opening);
  if (kind == std::string_view::npos) return open + 1;
  const std::string_view closing = closings.substr(kind, 1);
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].text == opening) ++depth;
    if (tokens[i].text == closing && --depth == 0) return i + 1;
  }
  return tokens.size();
}

std::size_t opening_bracket(Tokens tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (is_one_of(tokens[i].text, {")", "]", "}"})) ++depth;
    if (is_one_of(tokens[i].text, {"(", "[", "{"}) && --depth == 0) return i;
  }
  return 0;
}

std::size_t behind_statement(Tokens tokens, std::size_t at) {
  while (at + 1 < tokens.size() && is_one_of(tokens[at].text, {"for", "while", "if", "switch"}))
    at = behind_bracket(tokens, at + 1);
  if (at < tokens.size() && tokens[at].is("{")) return behind_bracket(tokens, at);
  return find_outside(tokens, at, {";"});
}

std::vector<std::size_t> statements_around(Tokens tokens, std::size_t at) {
  std::vector<std::size_t> found;
  bool is_own = true;  // of the statement around `at`, or of the one around the block that it is in
  while (at-- > 0) {
    if (is_one_of(tokens[at].text, {";", "}"})) is_own = false;
    if (is_one_of(tokens[at].text, {"{", "("})) is_own = true;
    if (is_own && tokens[at].is("else")) found.push_back(at);
    const bool is_in_header = tokens[at].is("(");
    if (is_one_of(tokens[at].text, {")", "]", "}"})) at = opening_bracket(tokens, at);
    if (!is_own || at == 0 || !tokens[at].is("(")) continue;
    const std::string_view word = tokens[at - 1].text;
    if (is_in_header ? word == "for" : is_one_of(word, {"if", "for", "while", "switch"}))
      found.push_back(at - 1);
  }
  return found;
}

Tokens inside_bracket(Tokens tokens, std::size_t open) {
  const std::size_t end = behind_bracket(tokens, open);
  return tokens.subspan(open + 1, std::max(end, open + 2) - open - 2);
}

std::vector<Tokens> parts(Tokens tokens) {
  std::vector<Tokens> found;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    if (is_one_of(text, {"(", "<", "[", "{"})) ++depth;
    if (is_one_of(text, {")", ">", "]", "}"})) --depth;
    if (text != "," || depth != 0) continue;
    found.push_back(tokens.subspan(begin, i - begin));
    begin = i + 1;
  }
  if (begin < tokens.size()) found.push_back(tokens.subspan(begin));
  return found;
}

namespace {

/// Behind the template arguments that begin at `open`; `open` where `<` is an operator.
std::size_t behind_template(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("<")) ++depth;
    if (token.is(">") && --depth == 0) {
      const bool ends =
          i + 1 == tokens.size() || is_one_of(tokens[i + 1].text, {"(", "::", ",", ")", "{", "*", "&"});
      return ends || (tokens[i + 1].is("<") && i > 0) ? i + 1 : open;
    }
    const bool may_be_inside = token.is_word() || token.kind == Token::Kind::number ||
                               is_one_of(token.text, {"<", ">", ",", "::", "*", "&"});
    if (!may_be_inside) break;
  }
  return open;
}

}  // namespace

std::vector<Tokens> expression_parts(Tokens tokens, bool with_templates) {
  std::vector<Tokens> found;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_one_of(tokens[i].text, {"(", "[", "{"})) {
      i = behind_bracket(tokens, i) - 1;
    } else if (with_templates && tokens[i].is("<") && i > 0 && tokens[i - 1].is_word()) {
      if (const std::size_t end = behind_template(tokens, i); end > i) i = end - 1;
    } else if (tokens[i].is(",")) {
      found.push_back(tokens.subspan(begin, i - begin));
      begin = i + 1;
    }
  }
  if (begin < tokens.size()) found.push_back(tokens.subspan(begin));
  return found;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    const auto is_letter = [](char c) { return continues_word(c); };
    if (!text.empty() && is_letter(text.back()) && is_letter(word.front())) text += ' ';
    text += word;
  }
  return text;
}

std::string joined(Tokens tokens) {
  std::vector<std::string_view> words;
  for (const Token& token : tokens) words.push_back(token.text);
  return joined(words);
}

std::string with_word(const std::string& text, std::string_view word, const std::string& by) {
  std::string out;
  std::size_t done = 0;
  for (const Token& token : tokens_of(text)) {
    if (!token.is(word)) continue;
    out += text.substr(done, token.offset - done) + by;
    done = token.offset + word.size();
  }
  return out + text.substr(done);
}

bool opens_namespace(Tokens declaration) {
  if (find_one_of(declaration, {"namespace"}) < declaration.size()) return true;
  return declaration.size() > 1 && declaration.back().kind == Token::Kind::literal &&
         declaration[declaration.size() - 2].text == "extern";
}

std::vector<IncludeLine> include_lines(std::string_view source) {
  std::vector<IncludeLine> found;
  const std::vector<Token> tokens = tokens_of(source);
  int conditions = 0;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].starts_line || tokens[i].text != "#") continue;
    const std::string_view directive = tokens[i + 1].text;
    if (directive.starts_with("if")) ++conditions;
    if (directive == "endif") --conditions;
    if (directive != "include") continue;
    const Token& opening = tokens[i + 2];
    const bool bracketed = opening.text == "<";
    if (!opening.in_directive || (!bracketed && !opening.text.starts_with('"'))) continue;
    const std::size_t begin = opening.offset + 1;
    const std::size_t end = source.find_first_of(bracketed ? ">\n" : "\"\n", begin);
    if (end == std::string_view::npos || end == begin || source[end] == '\n') continue;
    const auto column = static_cast<int>(begin - (source.rfind('\n', begin) + 1)) + 1;
    found.push_back(
        {std::string(source.substr(begin, end - begin)), opening.line, column, bracketed, conditions == 0});
  }
  return found;
}

}  // namespace tuner::source
