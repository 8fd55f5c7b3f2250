#include "tuner/source/kernel_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace tuner::source {
namespace {

Tokens without_default(Tokens tokens) {
  return tokens.first(find_one_of(tokens, {"="}));
}

std::string text_of(Tokens tokens) {
  std::vector<std::string_view> words;
  for (const Token& token : tokens)
    if (token.text != "__grid_constant__") words.push_back(token.text);
  return joined(words);
}

/// `a pointer to pointers` of `float** x` and `float* x[]`, `a pointer to arrays` of `float x[][4]`.
std::string kind_of(Tokens tokens) {
  int stars = 0;
  int extents = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    stars += tokens[i].is("*") ? 1 : 0;
    extents += tokens[i].is("[") ? 1 : 0;
    if (is_one_of(tokens[i].text, {"<", "[", "("})) i = behind_bracket(tokens, i) - 1;
  }
  if (stars + std::min(extents, 1) > 1) return "a pointer to pointers";
  return extents > 1 ? "a pointer to arrays" : "";
}

/// Of one without brackets about its name.
SourceParameter read_plain_parameter(Tokens tokens) {
  SourceParameter parameter;
  std::vector<std::string_view> words;
  parameter.text = text_of(tokens);
  parameter.kind = kind_of(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "const") {
      // Behind the star it is the pointer that is constant.
      if (!parameter.pointer) parameter.constant = true;
    } else if (text == "*") {
      parameter.pointer = true;
    } else if (text == "[") {
      parameter.pointer = true;
      i = behind_bracket(tokens, i) - 1;
    } else if (text == ".") {
      parameter.is_pack = true;
    } else if (!is_one_of(text, {"volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__",
                                 "struct", "enum", "&"})) {
      words.push_back(text);
    }
  }
  const bool is_named = words.size() > 1 && words[words.size() - 2] != "::" &&
                        !is_one_of(words.back(), {">", "int", "long", "short", "char", "unsigned", "signed"});
  if (is_named) {
    parameter.name = words.back();
    words.pop_back();
  }
  parameter.type = joined(words);
  return parameter;
}

/// Where the bracket of `(*x)[4]` or `(&x)[4]` stands; the end: there is none.
std::size_t bracket_about_name(Tokens tokens) {
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("(") && is_one_of(tokens[i + 1].text, {"*", "&"})) return i;
    if (tokens[i].is("<")) i = behind_bracket(tokens, i) - 1;
  }
  return tokens.size();
}

}  // namespace

SourceParameter read_parameter(Tokens tokens) {
  tokens = without_default(tokens);
  const std::size_t open = bracket_about_name(tokens);
  if (open == tokens.size()) return read_plain_parameter(tokens);
  const std::size_t close = behind_bracket(tokens, open);
  const Tokens inside = tokens.subspan(open + 1, close - open - 2);
  const Tokens behind = tokens.subspan(close);
  std::vector<Token> plain(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(open));
  plain.insert(plain.end(), inside.begin(), inside.end());
  SourceParameter parameter = read_plain_parameter(plain);
  parameter.text = text_of(tokens);
  if (behind.empty()) return parameter;
  parameter.kind = behind.front().is("(") ? "a pointer to a function"
                   : parameter.pointer    ? "a pointer to arrays"
                                          : "a reference to an array";
  parameter.pointer = true;
  if (behind.front().is("(")) parameter.type += "(*)" + text_of(behind);
  return parameter;
}

std::vector<TemplateParameter> read_template_parameters(Tokens tokens) {
  std::vector<TemplateParameter> found;
  for (const Tokens part : parts(tokens)) {
    std::vector<std::string_view> words;
    for (const Token& token : without_default(part)) words.push_back(token.text);
    if (words.empty()) continue;
    TemplateParameter parameter{"", std::string(words.back())};
    words.pop_back();
    parameter.type = joined(words);
    if (parameter.type == "class") parameter.type = "typename";
    found.push_back(std::move(parameter));
  }
  return found;
}

namespace {

/// Whether the tokens at `i`, behind an element access, change it.
bool assigns(Tokens body, std::size_t i) {
  if (i + 1 >= body.size()) return false;
  return body[i].text == "=" && body[i + 1].text != "=";
}

bool updates(Tokens body, std::size_t i) {
  if (i + 1 >= body.size()) return false;
  const std::string_view text = body[i].text;
  const std::string_view next = body[i + 1].text;
  return (is_one_of(text, {"+", "-", "*", "/", "%", "&", "|", "^"}) && next == "=") ||
         (is_one_of(text, {"+", "-"}) && next == text);
}

/// Behind `.position.x` and `.weights[2]`, which may stand at `i`, behind an element access.
std::size_t behind_members(Tokens body, std::size_t i) {
  while (i + 1 < body.size() && body[i].text == "." && body[i + 1].is_word()) {
    i += 2;
    while (i < body.size() && body[i].text == "[") i = behind_bracket(body, i);
  }
  return i;
}

void note_uses(Tokens body, SourceParameter& parameter) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i].text != parameter.name || (i > 0 && is_one_of(body[i - 1].text, {".", "::"}))) continue;
    const bool is_element = i + 1 < body.size() && body[i + 1].text == "[";
    const std::size_t behind = behind_members(body, is_element ? behind_bracket(body, i + 1) : i + 1);
    const bool is_dereferenced = i > 0 && body[i - 1].text == "*" &&
                                 (i < 2 || is_one_of(body[i - 2].text, {";", "{", "}", ")", "=", "(", ","}));
    if ((is_element || is_dereferenced) && assigns(body, behind)) {
      parameter.written = true;
    } else if ((is_element || is_dereferenced) && updates(body, behind)) {
      parameter.read = parameter.written = true;
    } else if (i > 0 && body[i - 1].text == "&") {  // its address goes somewhere, as to an atomic
      parameter.read = parameter.written = true;
    } else if (is_element || is_dereferenced) {
      parameter.read = true;
    } else {  // handed on as it is
      parameter.read = true;
      parameter.written |= !parameter.constant;
    }
  }
}

/// The name of a function and the bracket of its parameters.
struct Declarator {
  std::size_t name = 0;
  std::size_t parameters = 0;
};

/// `i`: behind `__global__`. The name is the last word before the first bracket that is not an attribute's.
std::optional<Declarator> declarator_at(Tokens code, std::size_t i) {
  std::optional<std::size_t> name;
  for (; i < code.size() && !is_one_of(code[i].text, {";", "{"}); ++i) {
    const std::string_view word = name ? code[*name].text : "";
    if (code[i].is_word()) {
      name = i;
    } else if (code[i].is("(") && (word == "alignas" || (word.starts_with("__") && word.ends_with("__")))) {
      i = behind_bracket(code, i) - 1;
    } else if (code[i].is("(")) {
      return name ? std::optional(Declarator{*name, i}) : std::nullopt;
    }
  }
  return std::nullopt;
}

class KernelFinder {
 public:
  explicit KernelFinder(Tokens code) : m_code(code) {}

  std::vector<SourceKernel> find() {
    std::vector<TemplateParameter> pending;
    for (std::size_t i = 0; i < m_code.size(); ++i) {
      const std::string_view text = m_code[i].text;
      if (text == "template" && i + 1 < m_code.size() && m_code[i + 1].text == "<") {
        const std::size_t end = behind_bracket(m_code, i + 1);
        pending = read_template_parameters(m_code.subspan(i + 2, end - i - 3));
        i = end - 1;
      } else if (text == "__global__") {
        i = read_kernel(i + 1, std::exchange(pending, {}));
      } else if (is_one_of(text, {";", "{", "}"})) {
        pending.clear();
      }
    }
    return std::move(m_found);
  }

 private:
  /// `i`: behind `__global__`. Returns where to go on.
  std::size_t read_kernel(std::size_t i, std::vector<TemplateParameter> template_parameters) {
    const std::optional<Declarator> declarator = declarator_at(m_code, i);
    if (!declarator) return i - 1;
    SourceKernel kernel;
    kernel.template_parameters = std::move(template_parameters);
    kernel.name = m_code[declarator->name].text;
    kernel.line = m_code[declarator->name].line;
    i = declarator->parameters;
    const std::size_t end = behind_bracket(m_code, i);
    for (const Tokens part : parts(m_code.subspan(i + 1, end - i - 2)))
      if (!(part.size() == 1 && part.front().text == "void"))
        kernel.parameters.push_back(read_parameter(part));
    if (end >= m_code.size() || m_code[end].text != "{") return end;  // declared, not defined
    const std::size_t body_end = behind_bracket(m_code, end);
    const Tokens body = m_code.subspan(end, body_end - end);
    for (SourceParameter& parameter : kernel.parameters)
      if (parameter.pointer && !parameter.name.empty()) note_uses(body, parameter);
    kernel.axes = axes_of(body);
    m_found.push_back(std::move(kernel));
    return body_end - 1;
  }

  Tokens m_code;
  std::vector<SourceKernel> m_found;
};

bool looks_like_macro(const Token& token) {
  if (!token.is_word() || token.text.size() < 2 || token.text.front() == '_') return false;
  return std::ranges::all_of(
      token.text, [](unsigned char c) { return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_'; });
}

/// What headers of C, C++ and CUDA define, and so no source leaves open.
bool is_known_constant(std::string_view name) {
  static const std::set<std::string_view> names = {"NULL",      "INFINITY", "NAN",  "HUGE_VAL",
                                                   "HUGE_VALF", "RAND_MAX", "EOF",  "CHAR_BIT",
                                                   "NDEBUG",    "TRUE",     "FALSE"};
  constexpr std::array<std::string_view, 12> families = {
      "FLT_", "DBL_", "INT_", "UINT_", "LONG_", "ULONG_", "LLONG_", "CHAR_", "SHRT_", "SIZE_", "CUDA", "M_"};
  if (names.contains(name)) return true;
  const bool is_limit = name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_EPSILON") ||
                        name.ends_with("_DIG") || name.starts_with("CUDA") || name.starts_with("M_");
  return is_limit &&
         std::ranges::any_of(families, [&](std::string_view family) { return name.starts_with(family); });
}

/// The names of `float a, b = 0, *c;` behind the first one, which stands at `at`. None: it is no such list.
std::vector<std::string_view> listed_names(Tokens code, std::size_t at) {
  std::vector<std::string_view> names;
  for (std::size_t i = at + 1; i < code.size(); ++i) {
    if (code[i].is(";")) return names;
    if (is_one_of(code[i].text, {"(", "[", "{"})) {
      i = behind_bracket(code, i) - 1;
    } else if (is_one_of(code[i].text, {")", "]", "}"})) {
      break;
    } else if (code[i].is(",")) {
      while (i + 1 < code.size() && is_one_of(code[i + 1].text, {"*", "&"})) ++i;
      if (i + 1 < code.size()) names.push_back(code[i + 1].text);
    }
  }
  return {};
}

/// Names that the code itself declares: constants, enumerators, template parameters, types.
std::set<std::string_view> declared_names(Tokens code) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (!code[i].is_word()) continue;
    const bool follows_a_type = i > 0 && code[i - 1].is_word();
    const bool is_declared = is_one_of(code[i + 1].text, {"=", "[", ";", ",", ")", ">", "{", ":"});
    if (follows_a_type && is_declared && !is_one_of(code[i - 1].text, {"return", "case", "else"})) {
      names.emplace(code[i].text);
      const std::vector<std::string_view> others = listed_names(code, i);
      names.insert(others.begin(), others.end());
    }
    // half *SA = …
    const bool points = i > 1 && is_one_of(code[i - 1].text, {"*", "&"}) && code[i - 2].is_word();
    if (points && code[i + 1].is("=") && (i + 2 == code.size() || !code[i + 2].is("=")))
      names.emplace(code[i].text);
    if (code[i].text != "enum") continue;
    const std::size_t open = i + find_one_of(code.subspan(i), {"{", ";"});
    if (open == code.size() || code[open].text == ";") continue;
    const std::size_t end = behind_bracket(code, open);
    for (const Tokens part : parts(code.subspan(open + 1, end - open - 2)))
      if (!part.empty()) names.emplace(part.front().text);
  }
  return names;
}

class MacroFinder {
 public:
  explicit MacroFinder(const Lines& source) : m_source(source) {}

  std::vector<OpenMacro> find() {
    read_directives();
    const std::set<std::string_view> declared = declared_names(m_source.code);
    for (std::size_t i = 0; i < m_source.code.size(); ++i) {
      const Token& token = m_source.code[i];
      const bool is_call = i + 1 < m_source.code.size() && m_source.code[i + 1].text == "(";
      if (!is_call && looks_like_macro(token) && !declared.contains(token.text)) note(token, false);
    }
    std::vector<OpenMacro> found;
    for (auto& [name, macro] : m_open) found.push_back(std::move(macro));
    std::ranges::sort(found, [](const auto& a, const auto& b) { return a.line < b.line; });
    return found;
  }

 private:
  void read_directives() {
    std::string_view guarded;
    for (const Directive& directive : m_source.directives) {
      const std::vector<Token>& tokens = directive.tokens;
      if (directive.name == "define" && !tokens.empty()) {
        // A header's own guard is defined as nothing.
        if (tokens[0].text == guarded && tokens.size() > 1)
          m_open[guarded] = {std::string(guarded), text_of(Tokens(tokens).subspan(1)), false, directive.line};
        m_defined.insert(tokens[0].text);
      }
      guarded = directive.name == "ifndef" && !tokens.empty() ? tokens[0].text : std::string_view();
    }
    for (const Directive& directive : m_source.directives) {
      const bool is_condition = directive.name == "if" || directive.name == "elif";
      const bool is_definition = directive.name == "define";
      if (!is_condition && !is_definition) continue;
      for (std::size_t i = is_definition ? 1 : 0; i < directive.tokens.size(); ++i) {
        const bool asks = i > 0 && is_one_of(directive.tokens[i - 1].text, {"defined", "("}) &&
                          (directive.tokens[i - 1].text == "defined" ||
                           (i > 1 && directive.tokens[i - 2].text == "defined"));
        if (!asks && looks_like_macro(directive.tokens[i])) note(directive.tokens[i], is_condition);
      }
    }
  }

  void note(const Token& token, bool in_condition) {
    const bool is_open = m_open.contains(token.text);
    if (!is_open && (m_defined.contains(token.text) || is_known_constant(token.text))) return;
    OpenMacro& macro = m_open[token.text];
    macro.in_condition |= in_condition;
    if (!is_open) {
      macro.name = token.text;
      macro.line = token.line;
    }
  }

  const Lines& m_source;
  std::set<std::string_view> m_defined;
  std::map<std::string_view, OpenMacro> m_open;
};

/// Names of functions that are no kernels, at the level of namespaces.
std::vector<std::string> other_functions(Tokens code) {
  std::vector<std::string> found;
  std::size_t begin = 0;  // of the declaration
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::string_view text = code[i].text;
    const Tokens before = code.subspan(begin, i - begin);
    const auto says = [&](std::string_view word) {
      return std::ranges::count(before, word, &Token::text) > 0;
    };
    if (is_one_of(text, {";", "}"})) {
      begin = i + 1;
    } else if (text == "{") {
      const bool is_function = !before.empty() && before.back().text == ")";
      if (is_function || !opens_namespace(before)) {
        i = behind_bracket(code, i) - 1;
        // Behind a class there may still be the name of a variable.
        if (is_function) begin = i + 1;
      } else {
        begin = i + 1;
      }
    } else if (text == "(" && before.size() > 1) {
      const bool has_type =
          before[before.size() - 2].is_word() || is_one_of(before[before.size() - 2].text, {"*", "&", ">"});
      if (has_type && before.back().is_word() && !says("__global__") && !says("=") && !says("typedef"))
        found.emplace_back(before.back().text);
      i = behind_bracket(code, i) - 1;
    }
  }
  return found;
}

/// See host_code_line().
int first_host_line(Tokens tokens) {
  int first = 1;  // the line that has the number 1
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const auto reads = [&](std::string_view a, std::string_view b, std::string_view c) {
      return tokens[i].is(a) && tokens[i + 1].is(b) && tokens[i + 2].is(c);
    };
    if (tokens[i].starts_line && reads("#", "line", "1")) first = tokens[i].line + 1;
    if (tokens[i].in_directive) continue;
    if (reads("int", "main", "(") || reads("<", "<", "<")) return tokens[i].line - first + 1;
  }
  return 0;
}

}  // namespace

KernelSource read_kernel_source(std::string_view text) {
  const std::vector<Token> all = tokens_of(text);
  const Lines tokens = lines_of(all, text);
  return {KernelFinder(tokens.code).find(), other_functions(tokens.code), MacroFinder(tokens).find(),
          first_host_line(all), structs_of(tokens)};
}

/// `a::b::` of the brace of `namespace a::b {` at `open`; of another brace nothing.
static std::string namespace_at(Tokens tokens, std::size_t open) {
  std::string name;
  for (std::size_t i = open; i-- > 0 && (tokens[i].is_word() || tokens[i].is("::"));) {
    if (tokens[i].is("namespace")) return name.empty() ? name : name + "::";
    name.insert(0, tokens[i].text);
  }
  return {};
}

std::vector<std::string> kernel_names(std::string_view source) {
  const std::vector<Token> tokens = tokens_of(source);
  std::vector<std::string> names;
  std::vector<std::string> scopes = {""};  // of the braces that are open
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("{")) scopes.push_back(scopes.back() + namespace_at(tokens, i));
    if (tokens[i].is("}") && scopes.size() > 1) scopes.pop_back();
    if (!tokens[i].is("__global__")) continue;
    const std::optional<Declarator> declarator = declarator_at(tokens, i + 1);
    if (!declarator) continue;
    const std::string name = scopes.back() + std::string(tokens[declarator->name].text);
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  }
  return names;
}

int host_code_line(std::string_view source) {
  return first_host_line(tokens_of(source));
}

}  // namespace tuner::source
