#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "tuner/source/kernel_source.hpp"

namespace tuner::source {
namespace {

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
  explicit MacroFinder(std::string_view text) : m_source(lines_of(text)) {}

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
          m_open[guarded] = {std::string(guarded), joined(Tokens(tokens).subspan(1)), false, directive.line};
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

  const Lines m_source;
  std::set<std::string_view> m_defined;
  std::map<std::string_view, OpenMacro> m_open;
};

}  // namespace

std::vector<OpenMacro> open_macros(std::string_view text) {
  return MacroFinder(text).find();
}

}  // namespace tuner::source
