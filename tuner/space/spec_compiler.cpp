#include "tuner/space/spec_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tuner::space {

template <class RootsOf>
std::vector<Compiled> ExpressionCompiler::compile_roots(const model::Expression& expression,
                                                        const Rules& rules, const RootsOf& roots_of) {
  const std::variant<Syntax, ExpressionError> syntax = parse(expression.text);
  if (const auto* error = std::get_if<ExpressionError>(&syntax)) {
    report(expression, *error);
    return {};
  }
  std::vector<Compiled> parts;
  for (const int root : roots_of(std::get<Syntax>(syntax))) {
    std::variant<Program, ExpressionError> program = generate(std::get<Syntax>(syntax), root, m_scope, rules);
    if (const auto* error = std::get_if<ExpressionError>(&program)) {
      report(expression, *error);
    } else {
      parts.push_back({&expression, std::move(std::get<Program>(program))});
    }
  }
  return parts;
}

Compiled ExpressionCompiler::compile(const model::Expression& expression, const Rules& rules) {
  std::vector<Compiled> whole =
      compile_roots(expression, rules, [](const Syntax& syntax) { return std::vector<int>{syntax.root}; });
  return whole.empty() ? Compiled{&expression, {}} : std::move(whole.front());
}

std::optional<Compiled> ExpressionCompiler::compile(const std::optional<model::Expression>& expression,
                                                    const Rules& rules) {
  if (!expression) return std::nullopt;
  return compile(*expression, rules);
}

std::vector<Compiled> ExpressionCompiler::compile(const std::vector<model::Expression>& expressions,
                                                  const Rules& rules) {
  std::vector<Compiled> all;
  for (const model::Expression& expression : expressions) all.push_back(compile(expression, rules));
  return all;
}

std::vector<Compiled> ExpressionCompiler::compile_conjuncts(const model::Expression& expression) {
  return compile_roots(expression, {}, conjuncts);
}

void ExpressionCompiler::report(const model::SourceLocation& where, std::string message, std::string hint) {
  m_diagnostics.push_back({where, std::move(message), std::move(hint)});
}

void ExpressionCompiler::report(const model::Expression& expression, const ExpressionError& error) {
  const std::string what = fmt::format("{} in `{}`", error.message, excerpt(expression.text));
  model::SourceLocation where = expression.where;
  if (where.line == 0) {  // no place of its own to point at
    report(where, fmt::format("{} at column {}", what, error.column), error.hint);
    return;
  }
  where.column += error.column - 1;
  report(where, what, error.hint);
}

namespace {

/// Orders derived values so that each follows what it reads, and finds cycles. Parameters take part, since
/// whether one is active may depend on a derived value that depends on another.
class Sorter {
 public:
  Sorter(CompiledSpec& compiled, std::vector<CompiledDerived>& written, ExpressionCompiler& compiler)
      : m_compiled(compiled), m_written(written), m_compiler(compiler) {
    m_state.resize(static_cast<std::size_t>(compiled.scope.slots()), State::unseen);
  }

  void run() {
    for (int i = 0; i < static_cast<int>(m_written.size()); ++i) visit(m_compiled.scope.derived_slot(i));
    for (int i = 0; i < static_cast<int>(m_compiled.parameters.size()); ++i) {
      visit(m_compiled.scope.parameter_slot(i));
    }
  }

 private:
  enum class State { unseen, open, done };

  const Compiled* definition(int slot) const {
    const Scope& scope = m_compiled.scope;
    if (scope.is_derived(slot)) {
      return &m_written[static_cast<std::size_t>(slot - scope.derived_slot(0))].value;
    }
    if (!scope.is_parameter(slot)) return nullptr;
    const auto& when = m_compiled.parameters[static_cast<std::size_t>(slot - scope.parameter_slot(0))].when;
    return when ? &*when : nullptr;
  }

  const std::string& name(int slot) const {
    const Scope& scope = m_compiled.scope;
    if (scope.is_derived(slot)) {
      return m_compiled.spec.derived[static_cast<std::size_t>(slot - scope.derived_slot(0))].name;
    }
    return m_compiled.spec.parameters[static_cast<std::size_t>(slot - scope.parameter_slot(0))].name;
  }

  void visit(int slot) {
    const Compiled* defined = definition(slot);
    State& state = m_state[static_cast<std::size_t>(slot)];
    if (defined == nullptr || state == State::done) return;
    if (state == State::open) return report_cycle(slot);
    state = State::open;
    m_path.push_back(slot);
    for (const int read : defined->program.reads) visit(read);
    m_path.pop_back();
    state = State::done;
    if (!m_compiled.scope.is_derived(slot)) return;
    m_compiled.derived.push_back(
        std::move(m_written[static_cast<std::size_t>(slot - m_compiled.scope.derived_slot(0))]));
  }

  void report_cycle(int slot) {
    std::string path;
    for (auto at = std::ranges::find(m_path, slot); at != m_path.end(); ++at) {
      path += name(*at) + " -> ";
    }
    m_compiler.report(definition(slot)->source->where,
                      fmt::format("`{}` depends on itself: {}{}", name(slot), path, name(slot)),
                      "break the cycle");
  }

  CompiledSpec& m_compiled;
  std::vector<CompiledDerived>& m_written;
  ExpressionCompiler& m_compiler;
  std::vector<State> m_state;
  std::vector<int> m_path;
};

}  // namespace

void compile_values(CompiledSpec& compiled, ExpressionCompiler& compiler) {
  for (const model::ParameterSpec& parameter : compiled.spec.parameters) {
    CompiledParameter result;
    for (const model::Value& value : parameter.values) result.codes.push_back(value.code());
    result.otherwise = parameter.otherwise.code();
    result.when = compiler.compile(parameter.when);
    compiled.parameters.push_back(std::move(result));
  }
  std::vector<CompiledDerived> written;
  for (const model::NamedExpression& derived : compiled.spec.derived) {
    written.push_back(
        {compiled.scope.derived_slot(static_cast<int>(written.size())), compiler.compile(derived.value)});
  }
  Sorter(compiled, written, compiler).run();
  for (const model::ConditionalOption& option : compiled.spec.conditional_options)
    compiled.option_conditions.push_back(compiler.compile(option.when));
  const auto add = [&](const std::vector<model::Expression>& all) {
    for (const model::Expression& one : all)
      for (Compiled& part : compiler.compile_conjuncts(one)) compiled.constraints.push_back(std::move(part));
  };
  add(compiled.spec.constraints);
  compiled.needed_constraints = compiled.constraints.size();
  add(compiled.spec.worth_trying);
}

}  // namespace tuner::space
