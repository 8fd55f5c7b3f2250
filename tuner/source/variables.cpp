#include <algorithm>

#include "tuner/source/host_code.hpp"

namespace tuner::source {
namespace {

/// Declarations and assignments of a body, in order.
class VariableFinder {
 public:
  explicit VariableFinder(const ProgramFunction& function) : m_function(function), m_body(function.body) {}

  FunctionVariables find() {
    bool at_start = false;
    for (std::size_t i = 0; i < m_body.size(); ++i) {
      const Token& token = m_body[i];
      if (token.is("{")) m_ends.push_back(behind_bracket(m_body, i));
      while (!m_ends.empty() && i + 1 >= m_ends.back()) m_ends.pop_back();
      if (at_start) {
        if (const std::size_t end = declaration(i); end > i) {
          i = lambda_body(i, end) - 1;  // at its `;`, or before the braces of a function that it is
          at_start = true;
          continue;
        }
      }
      change(i);
      const bool opens_for = token.is("(") && i > 0 && m_body[i - 1].is("for");
      at_start = is_one_of(token.text, {"{", "}", ";"}) || opens_for ||
                 (token.is(")") && closes_condition(i)) || token.is("else") || (token.is(":") && i > 0);
    }
    return std::move(m_found);
  }

 private:
  /// The `{` of `go = [&](int n) { … }` in a declaration; `end`: it has none.
  std::size_t lambda_body(std::size_t begin, std::size_t end) const {
    std::size_t at = begin + find_one_of(m_body.subspan(begin, end - begin), {"="}) + 1;
    if (at >= end || !m_body[at].is("[")) return end;
    at = behind_bracket(m_body, at);
    return at + find_one_of(m_body.subspan(at, std::max(at, end) - at), {"{"});
  }

  bool closes_condition(std::size_t i) const {
    int depth = 0;
    for (std::size_t k = i + 1; k-- > 0;) {
      if (m_body[k].is(")")) ++depth;
      if (m_body[k].is("(") && --depth == 0)
        return k > 0 && is_one_of(m_body[k - 1].text, {"if", "for", "while"});
    }
    return false;
  }

  /// Behind a type that begins at `i`; `i` where none does.
  std::size_t behind_type(std::size_t i) const {
    std::size_t at = i;
    bool has_name = false;
    while (at < m_body.size() && m_body[at].is_word()) {
      if (is_one_of(m_body[at].text, {"return",   "else",      "delete",   "new",      "case",    "goto",
                                      "throw",    "using",     "typedef",  "if",       "for",     "while",
                                      "do",       "switch",    "break",    "continue", "default", "sizeof",
                                      "operator", "namespace", "template", "asm",      "volatile"}))
        return i;
      const bool qualifies = is_one_of(m_body[at].text, {"const", "static", "constexpr", "struct", "register",
                                                         "typename", "extern", "__shared__"});
      const bool continues =
          is_one_of(m_body[at].text, {"unsigned", "signed", "long", "short", "int", "char", "double"});
      if (has_name && !qualifies && !continues) break;
      ++at;
      if (qualifies) continue;
      has_name = true;
      while (at + 1 < m_body.size() && m_body[at].is("::") && m_body[at + 1].is_word()) at += 2;
      if (at < m_body.size() && m_body[at].is("<")) {
        const std::size_t end = behind_bracket(m_body, at);
        const Tokens inside = m_body.subspan(at, end - at);
        if (find_one_of(inside, {";", "{", "="}) < inside.size()) return i;
        at = end;
      }
    }
    return has_name ? at : i;
  }

  /// Reads `const int a = 1, *b;` at `i`. Returns its end, or `i` where there is none.
  std::size_t declaration(std::size_t i) {
    const std::size_t type_end = behind_type(i);
    if (type_end == i || type_end >= m_body.size()) return i;
    std::size_t name = type_end;
    while (name < m_body.size() && is_one_of(m_body[name].text, {"*", "&", "const", "__restrict__"})) ++name;
    if (name + 1 >= m_body.size() || !m_body[name].is_word() ||
        !is_one_of(m_body[name + 1].text, {"=", ";", ",", "(", "[", "{", ":"}))
      return i;
    std::size_t end = name;
    int choices = 0;  // `a ? b : c`, and not `for (int a : b)`
    while (end < m_body.size() && !m_body[end].is(";") && !(m_body[end].is(":") && choices-- == 0)) {
      if (m_body[end].is(")")) return i;
      if (m_body[end].is("?")) ++choices;
      end = is_one_of(m_body[end].text, {"(", "[", "{"}) ? behind_bracket(m_body, end) : end + 1;
    }
    const Tokens type = m_body.subspan(i, type_end - i);
    std::size_t begin = type_end;
    int angles = 0;
    for (std::size_t k = type_end; k <= end && k < m_body.size(); ++k) {
      if (is_one_of(m_body[k].text, {"(", "[", "{"})) {
        k = behind_bracket(m_body, k) - 1;
        continue;
      }
      if (m_body[k].is("<") && k > 0 && is_one_of(m_body[k - 1].text, {"static_cast", "reinterpret_cast"}))
        ++angles;
      if (m_body[k].is(">") && angles > 0) --angles;
      if (k != end && (!m_body[k].is(",") || angles > 0)) continue;
      variable(type, m_body.subspan(begin, k - begin), begin);
      begin = k + 1;
    }
    return end;
  }

  void variable(Tokens type, Tokens part, std::size_t begin) {
    LocalVariable found;
    found.type = type;
    std::size_t at = 0;
    while (at < part.size() && is_one_of(part[at].text, {"*", "&", "const", "__restrict__"})) {
      found.pointer |= part[at].is("*");
      ++at;
    }
    if (at >= part.size() || !part[at].is_word()) return;
    found.name = part[at].text;
    found.position = m_function.begin + begin + at;
    found.scope_end = m_function.begin + (m_ends.empty() ? m_body.size() : m_ends.back());
    found.constant = find_one_of(type, {"const", "constexpr"}) < type.size();
    ++at;
    while (at < part.size() && part[at].is("[")) {
      const std::size_t close = behind_bracket(part, at);
      found.extents.push_back(part.subspan(at + 1, std::max(close, at + 2) - at - 2));
      at = close;
    }
    if (at < part.size()) found.init = part[at].is("=") ? part.subspan(at + 1) : part.subspan(at);
    m_found.variables.push_back(std::move(found));
  }

  /// Notes `path = …`, `path += …`, `++path` and `&path` given to a function at `i`.
  void change(std::size_t i) {
    if (!m_body[i].is_word() || (i > 0 && is_one_of(m_body[i - 1].text, {".", "::"}))) return;
    std::string path(m_body[i].text);
    std::size_t at = i + 1;
    while (at + 1 < m_body.size() && m_body[at].is(".") && m_body[at + 1].is_word()) {
      path += "." + std::string(m_body[at + 1].text);
      at += 2;
    }
    const auto next = [&](std::size_t k) { return k < m_body.size() ? m_body[k].text : std::string_view(); };
    const bool assigns = next(at) == "=" && next(at + 1) != "=" &&
                         (i == 0 || !is_one_of(m_body[i - 1].text, {"<", ">", "!", "="}));
    const bool updates = is_one_of(next(at), {"+", "-", "*", "/", "%"}) && next(at + 1) == "=";
    const bool steps = is_one_of(next(at), {"+", "-"}) && next(at + 1) == next(at);
    const bool stepped =
        i > 1 && is_one_of(m_body[i - 1].text, {"+", "-"}) && m_body[i - 1].is(m_body[i - 2].text);
    const bool shifts = next(at) == ">" && next(at + 1) == "=" && i > 0 && m_body[i - 1].is(">");
    const auto add = [&](Tokens value, bool is_step) {
      const bool conditional = i > 0 && is_one_of(m_body[i - 1].text, {")", "else"});
      m_found.assignments.push_back({path, value, m_function.begin + i, is_step, conditional,
                                     m_function.begin + (m_ends.empty() ? m_body.size() : m_ends.back())});
    };
    if (assigns) {
      add(m_body.subspan(at + 1, find_outside(m_body, at + 1, {";", ",", ")"}) - at - 1), false);
    } else if (updates || steps || stepped || shifts) {
      add({}, true);
    } else if (i > 1 && m_body[i - 1].is("&") && is_one_of(m_body[i - 2].text, {"(", ","}) &&
               is_one_of(next(at), {",", ")"})) {
      add(next(at) == "," ? given_by_call(i, at + 1) : Tokens(), false);
    }
  }

  /// What cudaDeviceGetAttribute(&x, attribute, …) and cudaMallocPitch(…, &x, width, …) give the variable at
  /// `i`, whose next argument begins at `behind`. Rows lie one behind the other.
  Tokens given_by_call(std::size_t i, std::size_t behind) const {
    std::size_t open = i;
    for (int depth = 0; open > 0 && depth >= 0; --open) {
      if (is_one_of(m_body[open - 1].text, {";", "{", "}"})) return {};
      depth += m_body[open - 1].is(")") ? 1 : m_body[open - 1].is("(") ? -1 : 0;
    }
    const bool is_first = open + 2 == i;
    if (open == 0 || !m_body[open - 1].is(is_first ? "cudaDeviceGetAttribute" : "cudaMallocPitch")) return {};
    return m_body.subspan(behind, find_outside(m_body, behind, {";", ",", ")"}) - behind);
  }

  const ProgramFunction& m_function;
  Tokens m_body;
  std::vector<std::size_t> m_ends;  ///< behind the braces that are open
  FunctionVariables m_found;
};

}  // namespace

const FunctionVariables& HostCode::variables_of(const ProgramFunction& function) {
  const auto found = m_variables.find(&function);
  if (found != m_variables.end()) return found->second;
  return m_variables[&function] = VariableFinder(function).find();
}

const LocalVariable* HostCode::local(std::string_view name, const Frame& frame) {
  if (frame.function == nullptr) return nullptr;
  const LocalVariable* last = nullptr;
  for (const LocalVariable& variable : variables_of(*frame.function).variables)
    if (variable.name == name && variable.position < frame.position && frame.position < variable.scope_end)
      last = &variable;
  return last;
}

}  // namespace tuner::source
