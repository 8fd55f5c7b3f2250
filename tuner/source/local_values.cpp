// What a variable of a host function holds where the function launches a kernel.
#include <algorithm>

#include "tuner/source/host_code.hpp"

namespace tuner::source {

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

std::optional<Value> HostCode::rounded_up(Tokens first, const LocalAssignment& step, const Frame& frame) {
  const Tokens body = frame.function->body;
  std::size_t close = step.position - frame.function->begin;
  while (close > 0 && is_one_of(body[close - 1].text, {"+", "{"})) --close;
  std::size_t open = close;
  for (int depth = 0; open > 0; --open) {
    depth += body[open - 1].is(")") ? 1 : body[open - 1].is("(") ? -1 : 0;
    if (depth == 0 || is_one_of(body[open - 1].text, {";", "{", "}"})) break;
  }
  if (open < 2 || !body[open - 1].is("(") || !body[open - 2].is("if")) return std::nullopt;
  const Value quotient = evaluate(first, frame);
  Value rest = evaluate(body.subspan(open, close - open - 1), frame);
  if ((rest.is_call("!=") || rest.is_call(">")) && rest.operands[1].is(0)) rest = Value(rest.operands[0]);
  if (!quotient.is_call("/") || !rest.is_call("%")) return std::nullopt;
  if (!std::ranges::equal(quotient.operands, rest.operands, same)) return std::nullopt;
  return call("ceil_div", quotient.operands);
}

Value HostCode::local_value(const LocalVariable& variable, const std::string& path, const Frame& frame) {
  const FunctionVariables& all = variables_of(*frame.function);
  SymbolFacts facts;
  std::vector<const LocalAssignment*> changes;
  const LocalAssignment* whole = nullptr;
  for (const LocalAssignment& assignment : all.assignments) {
    facts.counter |= assignment.steps && assignment.path == path;
    const bool runs = assignment.position > variable.position && assignment.position < frame.position;
    if (runs && assignment.path == path && assignment.position != variable.position)
      changes.push_back(&assignment);
    if (runs && assignment.path == variable.name && !assignment.value.empty()) whole = &assignment;
  }
  Frame then = frame;
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
  const bool settled = changes.empty() && !variable.init.empty();
  const LocalAssignment* const last = changes.empty() ? nullptr : changes.back();
  const bool set_for_sure = last != nullptr && !last->value.empty() && !facts.counter && !last->conditional &&
                            frame.position < last->scope_end;
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
