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
      if (is_one_of(m_body[at].text,
                    {"return",  "else",   "delete",   "new",       "case",     "goto",   "throw", "using",
                     "typedef", "if",     "for",      "while",     "do",       "switch", "break", "continue",
                     "default", "sizeof", "operator", "namespace", "template", "asm"}))
        return i;
      const bool qualifies = is_one_of(m_body[at].text, {"const", "static", "constexpr", "struct", "register",
                                                         "typename", "extern", "__shared__", "volatile"});
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

  /// `(*x)[4]` begins there.
  static bool points_to_arrays(Tokens part) {
    return part.size() > 4 && part[0].is("(") && part[1].is("*") && part[2].is_word() && part[3].is(")") &&
           part[4].is("[");
  }

  /// Reads `const int a = 1, *b;` at `i`. Returns its end, or `i` where there is none.
  std::size_t declaration(std::size_t i) {
    const std::size_t type_end = behind_type(i);
    if (type_end == i || type_end >= m_body.size()) return i;
    std::size_t name = type_end;
    while (name < m_body.size() && is_one_of(m_body[name].text, {"*", "&", "const", "__restrict__"})) ++name;
    const bool has_arrays = points_to_arrays(m_body.subspan(std::min(name, m_body.size())));
    if (name + 1 >= m_body.size() ||
        (!has_arrays &&
         (!m_body[name].is_word() || !is_one_of(m_body[name + 1].text, {"=", ";", ",", "(", "[", "{", ":"}))))
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
    std::size_t at = points_to_arrays(part) ? 1 : 0;
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
    if (points_to_arrays(part)) at = find_one_of(part, {"="});  // how long the arrays are is no matter here
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
    const bool updates = is_one_of(next(at), {"+", "-", "*", "/", "%", "&", "|", "^"}) && next(at + 1) == "=";
    const bool steps = is_one_of(next(at), {"+", "-"}) && next(at + 1) == next(at);
    const bool stepped =
        i > 1 && is_one_of(m_body[i - 1].text, {"+", "-"}) && m_body[i - 1].is(m_body[i - 2].text);
    const bool shifts = is_one_of(next(at), {"<", ">"}) && next(at + 1) == next(at) && next(at + 2) == "=";
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

// What a variable of a host function holds where the function launches a kernel.

Tokens HostCode::listed(const LocalVariable& variable, const std::string& member) const {
  const ClassMembers* const of = m_program.class_named(m_program.resolved_type(type_text(variable.type)));
  if (of == nullptr || variable.init.empty() || !variable.init.front().is("{")) return {};
  const std::vector<Tokens> given =
      expression_parts(variable.init.subspan(1, std::max<std::size_t>(variable.init.size(), 2) - 2));
  for (const Tokens one : given)  // .n = 3
    if (one.size() > 3 && one[0].is(".") && one[1].is(member)) return one.subspan(3);
  const GlobalVariable* const found = of->find(member);
  const auto at = found == nullptr ? given.size() : static_cast<std::size_t>(found - of->variables.data());
  return at < given.size() && !given[at].empty() && !given[at].front().is(".") ? given[at] : Tokens();
}

/// What stands in the brackets of the `if` whose statement begins at `close`; empty: there is none.
static Tokens condition_before(Tokens body, std::size_t close) {
  while (close > 0 && is_one_of(body[close - 1].text, {"+", "{"})) --close;
  std::size_t open = close;
  for (int depth = 0; open > 0; --open) {
    depth += body[open - 1].is(")") ? 1 : body[open - 1].is("(") ? -1 : 0;
    if (depth == 0 || is_one_of(body[open - 1].text, {";", "{", "}"})) break;
  }
  if (open < 2 || !body[open - 1].is("(") || !body[open - 2].is("if")) return {};
  return body.subspan(open, close - open - 1);
}

std::optional<Value> HostCode::rounded_up(Tokens first, const LocalAssignment& step, const Frame& frame) {
  const Tokens condition = condition_before(frame.function->body, step.position - frame.function->begin);
  if (condition.empty()) return std::nullopt;
  const Value quotient = evaluate(first, frame);
  Value rest = evaluate(condition, frame);
  if ((rest.is_call("!=") || rest.is_call(">")) && rest.operands[1].is(0)) rest = Value(rest.operands[0]);
  if (!quotient.is_call("/") || !rest.is_call("%")) return std::nullopt;
  if (!std::ranges::equal(quotient.operands, rest.operands, same)) return std::nullopt;
  return call("ceil_div", quotient.operands);
}

std::optional<Value> HostCode::clamped(const LocalAssignment& last, Frame frame) {
  frame.position = last.position;
  const Tokens condition = condition_before(frame.function->body, last.position - frame.function->begin);
  if (condition.empty() || last.value.empty()) return std::nullopt;
  const Value was = variable(last.path, frame);
  const Value limit = evaluate(last.value, frame);
  const Value test = evaluate(condition, frame);
  const bool is_more = test.is_call(">") || test.is_call(">=");
  if (!limit.is_known() || !(is_more || test.is_call("<") || test.is_call("<="))) return std::nullopt;
  const auto compares = [&](const Value& one, const Value& other) {
    return same(test.operands[0], one) && same(test.operands[1], other);
  };
  const bool is_first = compares(was, limit);
  if (was.kind != Value::Kind::call || !(is_first || compares(limit, was))) return std::nullopt;
  return call(is_more == is_first ? "min" : "max", {was, limit});
}

namespace {

bool is_set_for_sure(const LocalAssignment& assignment, const Frame& frame) {
  return !assignment.value.empty() && !assignment.conditional && frame.position < assignment.scope_end;
}

/// `m *= 2` and `m = m * 2`
bool changes_what_it_was(const LocalAssignment& assignment) {
  return assignment.steps ||
         std::ranges::any_of(assignment.value, [&](const Token& token) { return token.is(assignment.path); });
}

/// It stands in the header of a `for` around the frame's position: the first time it has not run.
bool counts_around(const LocalAssignment& assignment, const Frame& frame) {
  const Tokens body = frame.function->body;
  const std::size_t at = assignment.position - frame.function->begin;
  return std::ranges::any_of(statements_around(body, at), [&](std::size_t begin) {
    return body[begin].is("for") && at < behind_bracket(body, begin + 1) &&
           behind_statement(body, begin) + frame.function->begin > frame.position;
  });
}

}  // namespace

Value HostCode::local_value(const LocalVariable& variable, const std::string& path, const Frame& frame) {
  const FunctionVariables& all = variables_of(*frame.function);
  SymbolFacts facts;
  std::vector<const LocalAssignment*> changes;
  const LocalAssignment* whole = nullptr;
  const LocalAssignment* open = nullptr;
  for (const LocalAssignment& assignment : all.assignments) {
    const bool runs = assignment.position > variable.position && assignment.position < frame.position;
    if (assignment.path == path) {
      const bool is_over = runs && !counts_around(assignment, frame);
      facts.counter |= assignment.steps && !is_over;
      if (is_over && is_set_for_sure(assignment, frame))
        open = nullptr;
      else if (is_over && changes_what_it_was(assignment))
        open = &assignment;
    }
    if (runs && assignment.path == path && assignment.position != variable.position)
      changes.push_back(&assignment);
    if (runs && assignment.path == variable.name && !assignment.value.empty()) whole = &assignment;
  }
  Frame then = frame;
  const auto line_of = [&](const LocalAssignment& one) {
    return frame.function->body[one.position - frame.function->begin].line;
  };
  const LocalAssignment* const last = changes.empty() ? nullptr : changes.back();
  const bool is_only = changes.size() == 1 && variable.init.empty();
  if (open == nullptr && last != nullptr && !is_only && !facts.counter && !is_set_for_sure(*last, frame)) {
    if (auto value = clamped(*last, frame)) return *value;
    const auto evaluated = [&](Tokens value, std::size_t position) {
      then.position = position;
      return value.empty() ? Value() : evaluate(value, then);
    };
    const Value first = evaluated(variable.init, variable.position);
    if (first.kind == Value::Kind::call || std::ranges::any_of(changes, [&](const LocalAssignment* one) {
          return evaluated(one->value, one->position).kind == Value::Kind::call;
        }))
      open = last;
    // `n = 100` has a value, whatever follows.
    if (open != nullptr && first.kind == Value::Kind::number && first.number != 0) {
      facts.changed_line = line_of(*open);
      open = nullptr;
    }
    then = frame;
  }
  const std::string member = path.size() > variable.name.size() && path[variable.name.size()] == '.'
                                 ? path.substr(variable.name.size() + 1)
                                 : "";
  facts.name = path;
  facts.function = frame.function;
  facts.constant = variable.constant;
  const std::string key = frame.function->name + "/" + path;
  if (!variable.extents.empty() && path.ends_with("[]")) {
    Tokens values = variable.init;
    if (!values.empty() && values.front().is("{")) values = values.subspan(1, values.size() - 2);
    for (const Tokens part : expression_parts(values)) {
      const Value value = evaluate(part, then);
      if (value.kind == Value::Kind::number) facts.choices.push_back(value.number);
    }
    if (facts.choices.empty()) return {};
    facts.name = variable.name;
    return symbol(key, facts);
  }
  then.position = variable.position;
  if (open != nullptr) facts.changed_line = line_of(*open);
  if (open != nullptr && !member.empty()) return symbol(key + " changed", facts);
  if (!member.empty()) {
    Tokens given = changes.empty() ? listed(variable, member) : Tokens();
    if (changes.size() == 1) {
      then.position = changes.front()->position;
      given = changes.front()->value;
    }
    if (!given.empty()) {
      Value value = evaluate(given, then);
      const bool is_fixed = value.kind == Value::Kind::number && !is_dimensions(type_text(variable.type));
      if (is_fixed) facts.present = value.number;
      if (value.is_known() && !is_fixed) return value;
    } else if (changes.empty()) {
      if (whole != nullptr) then.position = whole->position;
      if (auto value = component(whole != nullptr ? whole->value : variable.init, member, then))
        return *value;
    }
    return symbol(key, facts);
  }
  const std::string type = m_program.resolved_type(type_text(variable.type));
  if (variable.pointer) return {};
  const auto present = [&](Tokens init) {
    const Value value = evaluate(init, then);
    if (value.kind == Value::Kind::number) facts.present = value.number;
    return value;
  };
  if (!changes.empty() && changes.back()->steps && changes.size() + (variable.init.empty() ? 0 : 1) == 2)
    if (auto value =
            rounded_up(variable.init.empty() ? changes.front()->value : variable.init, *changes.back(), then))
      return *value;
  if (open != nullptr && is_integer_type(type)) return symbol(key + " changed", facts);
  const bool settled = changes.empty() && !variable.init.empty();
  const bool set_for_sure = last != nullptr && !facts.counter && is_set_for_sure(*last, frame);
  if (settled || set_for_sure || (changes.size() == 1 && !last->value.empty() && variable.init.empty())) {
    const Tokens first = variable.init;
    Tokens init = settled ? first : last->value;
    if (!settled) then.position = last->position;
    if (is_one_of(init.front().text, {"(", "{"}) && behind_bracket(init, 0) == init.size())
      init = init.subspan(1, init.size() - 2);
    Value value = present(init);
    // An element of an array is called after the variable that takes it.
    if (value.kind == Value::Kind::symbol && !m_symbols.at(value.name).choices.empty())
      m_symbols.at(value.name).name = variable.name;
    if (value.is_known() && value.kind != Value::Kind::number)
      return is_integer_type(type) ? as_integer(value) : value;
    if (value.kind == Value::Kind::number && !is_integer_type(type)) return value;
    if (!is_integer_type(type)) return {};
    // n = argc > 1 ? atoi(argv[1]) : 512
    if (const std::size_t otherwise = find_one_of(init, {":"}); !value.is_known() && otherwise < init.size())
      present(init.subspan(otherwise + 1));
    if (!value.is_known() && !settled && !first.empty()) {
      then.position = variable.position;
      present(first);
    }
    return symbol(key, facts);
  }
  if (facts.counter && variable.init.empty() && !changes.empty() && !changes.front()->value.empty())
    present(changes.front()->value);
  if (!variable.init.empty()) {
    const Value first = present(variable.init);
    if (!is_integer_type(type)) return {};
    // What `n = 0; read(&n)` begins with says nothing.
    if (facts.present == 0 && !facts.counter) facts.present.reset();
    // `n = 100; if (argc > 1) n = atoi(argv[1])` is a size that the program takes; a loop's counter is not.
    if (first.kind == Value::Kind::symbol && changes.size() == 1) return first;
  }
  return is_integer_type(type) ? symbol(key, facts) : Value();
}

std::optional<Value> HostCode::component(Tokens init, const std::string& member, const Frame& frame) {
  if (init.empty()) return std::nullopt;
  const std::size_t index = member == "x" ? 0 : member == "y" ? 1 : member == "z" ? 2 : 3;
  if (index == 3) return std::nullopt;
  const std::array<Value, 3> all = dimensions(init, frame);
  return all[index].is_known() ? std::optional(all[index]) : std::nullopt;
}

}  // namespace tuner::source
