#include "tuner/source/program.hpp"

#include <algorithm>
#include <utility>

namespace tuner::source {
namespace {

bool has_word(Tokens tokens, std::initializer_list<std::string_view> words) {
  return find_one_of(tokens, words) < tokens.size();
}

}  // namespace

std::string type_text(Tokens tokens) {
  std::vector<std::string_view> words;
  for (const Token& token : tokens)
    if (!is_one_of(token.text, {"const", "constexpr", "static", "volatile", "struct", "typename", "inline",
                                "extern", "register", "*", "&", "__restrict__", "__constant__", "__device__",
                                "__managed__", "__shared__", "__restrict", "thread_local"}))
      words.push_back(token.text);
  return joined(words);
}

/// What the code of a program declares outside of functions.
class Declarations {
 public:
  explicit Declarations(Program& program) : m_program(program), m_code(program.m_code) {}

  void read() { read(0, m_code.size(), nullptr); }

 private:
  void read(std::size_t begin, std::size_t end, ClassMembers* within) {
    std::size_t start = begin;  // of the declaration
    for (std::size_t i = begin; i < end; ++i) {
      const Token& token = m_code[i];
      const Tokens before = m_code.subspan(start, i - start);
      if (token.is("(") || token.is("[")) {
        i = std::min(behind_bracket(m_code, i), end) - 1;
      } else if (token.is(";")) {
        statement(before, within);
        start = i + 1;
      } else if (token.is("}") || (token.is(":") && within != nullptr && before.size() == 1)) {
        start = i + 1;
      } else if (token.is("{")) {
        const std::size_t close = std::min(behind_bracket(m_code, i), end);
        if (block(start, i, close)) {
          i = close - 1;
          start = close;
        } else {
          i = close - 1;  // the braces of a value, a class or an enumeration: the declaration goes on
        }
      }
    }
  }

  /// What `{` at `open` begins. True where its end ends the declaration.
  bool block(std::size_t start, std::size_t open, std::size_t close) {
    const Tokens before = m_code.subspan(start, open - start);
    if (opens_namespace(before)) {
      const std::string outer = m_scope;
      m_scope += scope_of(before);
      read(open + 1, close - 1, nullptr);
      m_scope = outer;
      return true;
    }
    if (has_word(before, {"enum"})) {
      enumeration(before, m_code.subspan(open + 1, close - open - 2), close);
      return false;
    }
    if (declarator_of(before)) {
      function(start, open, close);
      return true;
    }
    if (has_word(before, {"struct", "class", "union"}) && !has_word(before, {"="})) {
      read_class(before, open, close);
      return false;
    }
    // An operator, or what else is no value.
    return has_word(before, {"("}) && !has_word(before, {"="});
  }

  void enumeration(Tokens before, Tokens body, std::size_t close) {
    Enumerator last;
    for (const Tokens part : parts(body)) {
      if (part.empty()) continue;
      const std::size_t equals = find_one_of(part, {"="});
      if (equals < part.size()) last = {part.subspan(equals + 1), 0};
      m_program.m_enumerators[std::string(part.front().text)] = last;
      ++last.offset;
    }
    // enum Name { … }, or typedef enum { … } Name
    const std::size_t colon = find_one_of(before, {":"});
    const std::string said = type_text(before.subspan(std::min(colon + 1, before.size())));
    const std::string integer = said.empty() ? "int" : said;
    if (colon > 0 && before[colon - 1].is_word())
      m_program.m_enumerations.emplace(before[colon - 1].text, integer);
    if (before.front().is("typedef") && close < m_code.size() && m_code[close].is_word())
      m_program.m_enumerations.emplace(m_code[close].text, integer);
  }

  /// `a::b::` of `namespace a::b`; empty without a name, and of `extern "C"`.
  static std::string scope_of(Tokens before) {
    std::string scope;
    bool is_behind = false;
    for (const Token& token : before) {
      if (is_behind && token.is_word() && token.text != "inline") scope.append(token.text).append("::");
      is_behind = is_behind || token.is("namespace");
    }
    return scope;
  }

  static std::vector<TemplateParameter> template_of(Tokens before) {
    for (std::size_t i = 0; i + 1 < before.size(); ++i)
      if (before[i].is("template") && before[i + 1].is("<"))
        return read_template_parameters(inside_bracket(before, i + 1));
    return {};
  }

  void read_class(Tokens before, std::size_t open, std::size_t close) {
    std::string name;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i].is(":")) break;
      if (before[i].is("(") || before[i].is("<")) {
        i = behind_bracket(before, i) - 1;
      } else if (before[i].is_word()) {
        name = before[i].text;
      }
    }
    const bool is_alias = before.front().is("typedef") && close < m_code.size() && m_code[close].is_word();
    if (is_alias) name = m_code[close].text;
    ClassMembers& members = m_program.m_classes[name];
    members.template_parameters = template_of(before);
    read(open + 1, close - 1, &members);
  }

  void function(std::size_t start, std::size_t open, std::size_t close) {
    const Tokens before = m_code.subspan(start, open - start);
    const auto [name, bracket] = *declarator_of(before);
    ProgramFunction function;
    function.before = before.first(name);
    function.name = before[name].text;
    function.scope = m_scope;
    function.template_parameters = template_of(before);
    function.line = before[name].line;
    function.file = before[name].file;
    function.is_kernel = has_word(function.before, {"__global__"});
    function.is_device = function.is_kernel || has_word(function.before, {"__device__"});
    for (const Tokens part : parts(inside_bracket(before, bracket))) {
      if (part.size() == 1 && part.front().is("void")) continue;
      function.parameters.push_back(read_parameter(part));
      const std::size_t equals = find_one_of(part, {"="});
      function.defaults.push_back(equals < part.size() ? part.subspan(equals + 1) : Tokens());
    }
    function.begin = open;
    function.body = m_code.subspan(open, close - open);
    m_program.m_functions.push_back(std::move(function));
  }

  void statement(Tokens tokens, ClassMembers* within) {
    if (tokens.size() < 2) return;
    if (tokens.front().is("using")) {
      if (tokens.size() > 2 && tokens[1].is_word() && tokens[2].is("="))
        m_program.m_types[std::string(tokens[1].text)] = tokens.subspan(3);
      return;
    }
    if (tokens.front().is("typedef")) {
      if (tokens.back().is_word() && !has_word(tokens, {"(", "{"}))
        m_program.m_types[std::string(tokens.back().text)] = tokens.subspan(1, tokens.size() - 2);
      return;
    }
    if (has_word(tokens, {"extern", "friend", "template", "enum", "class", "union"})) return;
    if (has_word(tokens, {"struct"}) && (has_word(tokens, {"{"}) || tokens.size() == 2) &&
        !has_word(tokens, {"="}))
      return;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].is("(") && find_one_of(tokens.first(i), {"="}) == i) return;  // a declared function
    variables(tokens, within);
  }

  /// `static const int a = 1, b[4] = {…}`
  void variables(Tokens tokens, ClassMembers* within) {
    Tokens type;
    for (const Tokens part : parts(tokens)) {
      const std::size_t end = find_one_of(part, {"=", "[", "{"});
      if (end == 0 || !part[end - 1].is_word()) return;
      if (type.empty()) {
        if (end < 2) return;
        type = part.first(end - 1);
      }
      GlobalVariable variable;
      variable.name = part[end - 1].text;
      variable.scope = m_scope;
      variable.type = type_text(type);
      variable.constant = has_word(type, {"const", "constexpr"});
      variable.in_constant = has_word(type, {"__constant__"});
      variable.on_device = variable.in_constant || has_word(type, {"__device__", "__managed__"});
      variable.pointer = has_word(part.first(end), {"*"});
      variable.line = part[end - 1].line;
      std::size_t at = end;
      while (at < part.size() && part[at].is("[")) {
        const std::size_t close = behind_bracket(part, at);
        variable.extents.push_back(part.subspan(at + 1, std::max(close, at + 2) - at - 2));
        at = close;
      }
      if (at < part.size()) variable.init = part[at].is("=") ? part.subspan(at + 1) : part.subspan(at);
      (within != nullptr ? within->variables : m_program.m_variables).push_back(std::move(variable));
    }
  }

  Program& m_program;
  std::string m_scope;  ///< of what is being read
  Tokens m_code;
};

Program::Program(ProgramFile source, const Find& find,
                 const std::vector<std::pair<std::string, std::string>>& macros) {
  m_files.push_back(std::move(source));
  preprocess(find, macros);
  Declarations(*this).read();
}

const ConstantMacro* Program::macro(std::string_view name) const {
  const auto found = m_macros.find(name);
  return found == m_macros.end() ? nullptr : &found->second;
}

const GlobalVariable* Program::variable(std::string_view name) const {
  const auto found = std::ranges::find(m_variables, name, &GlobalVariable::name);
  return found == m_variables.end() ? nullptr : &*found;
}

const GlobalVariable* ClassMembers::find(std::string_view name) const {
  const auto found = std::ranges::find(variables, name, &GlobalVariable::name);
  return found == variables.end() ? nullptr : &*found;
}

const GlobalVariable* Program::member(std::string_view name) const {
  for (const auto& [of, members] : m_classes)
    if (const GlobalVariable* const found = members.find(name)) return found;
  return nullptr;
}

const ClassMembers* Program::class_named(std::string_view name) const {
  const auto found = m_classes.find(name);
  return found == m_classes.end() ? nullptr : &found->second;
}

const Enumerator* Program::enumerator(std::string_view name) const {
  const auto found = m_enumerators.find(name);
  return found == m_enumerators.end() ? nullptr : &found->second;
}

const Tokens* Program::type_alias(std::string_view name) const {
  const auto found = m_types.find(name);
  return found == m_types.end() ? nullptr : &found->second;
}

std::string Program::unaliased(std::string type) const {
  for (int steps = 0; steps < 16; ++steps) {
    const Tokens* const alias = type_alias(type);
    if (alias == nullptr || has_word(*alias, {"*", "<"})) break;
    type = type_text(*alias);
  }
  return type;
}

std::string Program::resolved_type(const std::string& type) const {
  std::string known = unaliased(type);
  const auto enumeration = m_enumerations.find(known);
  return enumeration == m_enumerations.end() ? known : unaliased(enumeration->second);
}

}  // namespace tuner::source
