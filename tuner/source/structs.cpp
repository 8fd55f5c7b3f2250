#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "tuner/source/kernel_source.hpp"

namespace tuner::source {
namespace {

/// A decimal number without a suffix, from 1 on; else 0.
std::int64_t count_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
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
      return "`" + std::string(token.text) + "` inside";
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
      const std::size_t end = find_one_of(body, {";"});
      read_declaration(body.first(end));
      body = body.subspan(std::min(end + 1, body.size()));
    }
  }

  /// `float x, y[2] = {0, 1}`
  void read_declaration(Tokens declaration) {
    std::string type;
    for (const Tokens part : parts(declaration)) {
      Tokens member = part.first(find_one_of(part, {"=", "{"}));  // without its initial value
      note(beyond_a_field(member));
      if (!m_struct.beyond_fields.empty()) return;
      SourceField field;
      const std::size_t open = find_one_of(member, {"["});
      if (open < member.size()) {
        if (member.size() == open + 3) field.length = count_of(member[open + 1].text);
        if (field.length == 0) note("an array whose length is no number");
        member = member.first(open);
      }
      std::vector<std::string_view> words;
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

std::vector<SourceStruct> structs_of(const Lines& source) {
  std::vector<SourceStruct> found;
  const bool is_packed = std::ranges::any_of(source.directives, packs);
  for (std::size_t i = 0; i < source.code.size(); ++i) {
    if (source.code[i].text != "struct") continue;
    StructReader reader{Tokens(source.code)};
    if (!reader.read(i)) continue;
    found.push_back(reader.take());
    if (is_packed) found.back().beyond_fields = "`#pragma pack` around";
  }
  return found;
}

}  // namespace tuner::source
