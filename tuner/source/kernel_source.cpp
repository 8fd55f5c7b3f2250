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

std::vector<Token> row_extents(const SourceParameter& parameter) {
  const std::vector<Token> tokens = tokens_of(parameter.text);
  std::size_t begin = find_one_of(tokens, {"["});
  if (begin > 0 && begin < tokens.size() && !tokens[begin - 1].is(")")) begin = behind_bracket(tokens, begin);
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.end()};
}

std::optional<Declarator> declarator_of(Tokens declaration) {
  std::optional<std::size_t> name;  // the word whose `<…>` ends here
  for (std::size_t i = 1; i < declaration.size(); ++i) {
    const Token& before = declaration[i - 1];
    if (declaration[i].is("=")) return std::nullopt;
    if (declaration[i].is("<")) {
      name = before.is_word() && !before.is("template") ? std::optional(i - 1) : std::nullopt;
      i = behind_bracket(declaration, i) - 1;
    } else if (declaration[i].is("(")) {
      if (before.is(">") && name) return Declarator{*name, i};
      if (!before.is_word()) return std::nullopt;
      const bool is_attribute = before.is("alignas") || before.is("decltype") ||
                                (before.text.starts_with("__") && before.text.ends_with("__"));
      if (!is_attribute) return Declarator{i - 1, i};
      i = behind_bracket(declaration, i) - 1;
    }
  }
  return std::nullopt;
}

std::vector<TemplateParameter> read_template_parameters(Tokens tokens) {
  std::vector<TemplateParameter> found;
  for (const Tokens part : parts(tokens)) {
    const Tokens words = without_default(part);
    if (words.empty()) continue;
    TemplateParameter parameter{joined(words.first(words.size() - 1)), std::string(words.back().text)};
    if (parameter.type == "class") parameter.type = "typename";
    found.push_back(std::move(parameter));
  }
  return found;
}

namespace {

/// Of the kernel whose `__global__` stands at `i`.
std::optional<Declarator> declarator_at(Tokens code, std::size_t i) {
  const Tokens declaration = code.subspan(i, find_one_of(code.subspan(i), {";", "{"}));
  const std::optional<Declarator> found = declarator_of(declaration);
  return found ? std::optional(Declarator{i + found->name, i + found->bracket}) : std::nullopt;
}

class KernelFinder {
 public:
  explicit KernelFinder(Tokens code) : m_code(code) {}

  std::vector<Signature> find() {
    std::vector<TemplateParameter> pending;
    for (std::size_t i = 0; i < m_code.size(); ++i) {
      const std::string_view text = m_code[i].text;
      if (text == "template" && i + 1 < m_code.size() && m_code[i + 1].text == "<") {
        const std::size_t end = behind_bracket(m_code, i + 1);
        pending = read_template_parameters(m_code.subspan(i + 2, end - i - 3));
        i = end - 1;
      } else if (text == "__global__") {
        i = read_kernel(i, std::exchange(pending, {}));
      } else if (is_one_of(text, {";", "{", "}"})) {
        pending.clear();
      }
    }
    return std::move(m_found);
  }

 private:
  /// `i`: at `__global__`. Returns where to go on.
  std::size_t read_kernel(std::size_t i, std::vector<TemplateParameter> template_parameters) {
    const std::optional<Declarator> declarator = declarator_at(m_code, i);
    if (!declarator) return i;
    Signature kernel;
    kernel.template_parameters = std::move(template_parameters);
    kernel.name = m_code[declarator->name].text;
    kernel.line = m_code[declarator->name].line;
    i = declarator->bracket;
    const std::size_t end = behind_bracket(m_code, i);
    for (const Tokens part : parts(m_code.subspan(i + 1, end - i - 2)))
      if (!(part.size() == 1 && part.front().text == "void"))
        kernel.parameters.push_back(read_parameter(part));
    if (end >= m_code.size() || m_code[end].text != "{") return end;  // declared, not defined
    m_found.push_back(std::move(kernel));
    return behind_bracket(m_code, end) - 1;
  }

  Tokens m_code;
  std::vector<Signature> m_found;
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

}  // namespace

KernelSource read_kernel_source(std::string_view text) {
  const std::vector<Token> code = lines_of(text).code;
  return {KernelFinder(code).find(), other_functions(code)};
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
    const std::optional<Declarator> declarator = declarator_at(tokens, i);
    if (!declarator) continue;
    const std::string name = scopes.back() + std::string(tokens[declarator->name].text);
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  }
  return names;
}

int host_code_line(std::string_view source) {
  const std::vector<Token> tokens = tokens_of(source);
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

}  // namespace tuner::source
