#include "config/source_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

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

namespace {

/// A decimal number without a suffix, from 1 on; else 0.
std::int64_t count_of(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
}

/// Without what a member is initialised with.
Tokens without_initial_value(Tokens member) {
  const auto end = std::find_if(member.begin(), member.end(), [](const Token& token) {
    return is_one_of(token.text, {"=", "{"});
  });
  return member.first(static_cast<std::size_t>(end - member.begin()));
}

/// What `tokens`, one declaration of a struct's body, has that no plain field has; empty: nothing.
std::string beyond_a_field(Tokens tokens) {
  for (const Token& token : tokens) {
    if (token.text == "*" || token.text == "&") return "a pointer";
    if (token.text == ":") return "a bit field or a word like `public`";
    if (token.text == "(") return "a function";
    if (token.text == "<") return "a member whose type is a template";
    if (is_one_of(token.text,
                  {"struct", "union", "class", "enum", "static", "using", "typedef", "friend", "template"}))
      return "`" + token.text + "` inside";
  }
  return {};
}

class StructReader {
 public:
  explicit StructReader(Tokens code) : m_code(code) {}

  /// `i`: at the word `struct`. False where it defines none.
  bool read(std::size_t i) {
    m_struct.line = m_code[i].line;
    const bool is_template = i > 0 && m_code[i - 1].text == ">";
    const bool is_alias = i > 0 && m_code[i - 1].text == "typedef";
    bool has_base = false;
    for (++i; i < m_code.size() && m_code[i].text != "{"; ++i) {
      if (is_one_of(m_code[i].text, {"alignas", "__align__"}) && i + 3 < m_code.size()) {
        m_struct.align = count_of(m_code[i + 2].text);
        if (m_struct.align == 0 || m_code[i + 3].text != ")") note("an alignment that is no number");
        i = behind_bracket(m_code, i + 1) - 1;
      } else if (m_code[i].text == "__attribute__" && i + 1 < m_code.size()) {
        note("an attribute");
        i = behind_bracket(m_code, i + 1) - 1;
      } else if (m_code[i].text == ":") {
        note("a base");
        has_base = true;
      } else if (!m_code[i].is_word() && (!has_base || m_code[i].text == ";")) {
        return false;  // it is named here, not defined
      } else if (!has_base && m_code[i].text != "final") {
        m_struct.name = m_code[i].text;
      }
    }
    if (i >= m_code.size() || is_template) return false;
    const std::size_t end = behind_bracket(m_code, i);
    if (end >= m_code.size()) return false;
    read_body(m_code.subspan(i + 1, end - i - 2));
    if (m_code[end].text == "__attribute__") {
      note("an attribute");
    } else if (is_alias) {
      m_struct.name = m_code[end].text;
    }
    return !m_struct.name.empty();
  }

  SourceStruct take() { return std::move(m_struct); }

 private:
  void note(const std::string& what) {
    if (m_struct.beyond_fields.empty()) m_struct.beyond_fields = what;
  }

  void read_body(Tokens body) {
    while (!body.empty() && m_struct.beyond_fields.empty()) {
      const auto end = static_cast<std::size_t>(
          std::find_if(body.begin(), body.end(), [](const Token& token) { return token.text == ";"; }) -
          body.begin());
      read_declaration(body.first(end));
      body = body.subspan(std::min(end + 1, body.size()));
    }
  }

  /// `float x, y[2] = {0, 1}`
  void read_declaration(Tokens declaration) {
    std::string type;
    for (const Tokens part : parts(declaration)) {
      Tokens member = without_initial_value(part);
      note(beyond_a_field(member));
      if (!m_struct.beyond_fields.empty()) return;
      SourceField field;
      const auto open = static_cast<std::size_t>(
          std::find_if(member.begin(), member.end(), [](const Token& token) { return token.text == "["; }) -
          member.begin());
      if (open < member.size()) {
        if (member.size() == open + 3) field.length = count_of(member[open + 1].text);
        if (field.length == 0) note("an array whose length is no number");
        member = member.first(open);
      }
      std::vector<std::string> words;
      for (const Token& token : member)
        if (!is_one_of(token.text, {"const", "volatile"})) words.push_back(token.text);
      if (words.empty()) return note("a member without a name");
      field.name = words.back();
      words.pop_back();
      if (type.empty()) type = joined(words);
      field.type = type;
      m_struct.fields.push_back(std::move(field));
    }
  }

  Tokens m_code;
  SourceStruct m_struct;
};

bool packs(const Directive& directive) {
  return directive.name == "pragma" && !directive.tokens.empty() && directive.tokens.front().text == "pack";
}

}  // namespace

std::vector<SourceStruct> structs_of(const SourceTokens& source) {
  std::vector<SourceStruct> found;
  const bool is_packed = std::any_of(source.directives.begin(), source.directives.end(), packs);
  for (std::size_t i = 0; i < source.code.size(); ++i) {
    if (source.code[i].text != "struct") continue;
    StructReader reader{Tokens(source.code)};
    if (!reader.read(i)) continue;
    found.push_back(reader.take());
    if (is_packed) found.back().beyond_fields = "`#pragma pack` around";
  }
  return found;
}

}  // namespace config
