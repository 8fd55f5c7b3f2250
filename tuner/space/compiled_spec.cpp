#include "tuner/space/compiled_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/space/expression.hpp"

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

namespace {

// Far beyond any real kernel; what is recursive or quadratic in these stays small for hostile specs too.
constexpr std::size_t most_parameters = 128;
constexpr std::size_t most_names = 1024;

bool is_too_large(const model::KernelSpec& spec, std::vector<model::Diagnostic>& diagnostics) {
  const std::tuple<const char*, std::size_t, std::size_t> lists[] = {
      {"parameters", spec.parameters.size(), most_parameters},
      {"sizes", spec.sizes.size(), most_names},
      {"derived values", spec.derived.size(), most_names},
      {"constraints", spec.constraints.size() + spec.worth_trying.size(), most_names},
      {"arguments", spec.arguments.size(), most_names},
      {"steps", spec.steps.size(), most_names},
      {"metrics", spec.metrics.size(), most_names}};
  const std::size_t before = diagnostics.size();
  for (const auto& [what, count, most] : lists) {
    if (count > most)
      diagnostics.push_back({{spec.path, 0, 0},
                             fmt::format("{} {}", count, what),
                             fmt::format("at most {} are allowed", most)});
  }
  return diagnostics.size() > before;
}

}  // namespace

std::shared_ptr<const CompiledSpec> compile_spec(model::KernelSpec spec,
                                                 std::vector<model::Diagnostic>& diagnostics) {
  if (is_too_large(spec, diagnostics)) return nullptr;
  std::vector<model::Diagnostic> found;
  const auto compiled = std::make_shared<CompiledSpec>(std::move(spec), found);
  ExpressionCompiler compiler(compiled->scope, found);
  check_declarations(*compiled, compiler);
  compile_values(*compiled, compiler);
  compile_arguments(*compiled, compiler);
  compile_steps(*compiled, compiler);
  for (const model::MetricSpec& metric : compiled->spec.metrics) {
    compiled->metrics.push_back(
        compiler.compile(metric.value, {.real = true, .time = true, .limits = false}));
  }
  const Rules of_problem{.real = true, .limits = false};
  compiled->operations = compiler.compile(compiled->spec.workload.operations, of_problem);
  compiled->bytes = compiler.compile(compiled->spec.workload.bytes, of_problem);
  compiled->ceiling_sizes = compiler.compile(compiled->spec.ceiling_sizes);
  // A use can only be missed for certain where every expression is understood.
  if (found.empty()) check_uses(*compiled, compiler);
  if (found.empty()) check_baselines(*compiled, compiler);
  std::ranges::stable_sort(found, [](const model::Diagnostic& a, const model::Diagnostic& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  const bool sound = found.empty();
  diagnostics.insert(diagnostics.end(), std::make_move_iterator(found.begin()),
                     std::make_move_iterator(found.end()));
  return sound ? compiled : nullptr;
}

std::vector<bool> dependencies(const CompiledSpec& compiled, const Program& program) {
  std::vector<bool> needed(static_cast<std::size_t>(compiled.scope.slots()), false);
  for (const int slot : program.reads) needed[static_cast<std::size_t>(slot)] = true;
  // Each derived value stands after those it reads, so one walk from the back reaches all.
  for (auto derived = compiled.derived.rbegin(); derived != compiled.derived.rend(); ++derived) {
    if (!needed[static_cast<std::size_t>(derived->slot)]) continue;
    for (const int slot : derived->value.program.reads) needed[static_cast<std::size_t>(slot)] = true;
  }
  return needed;
}

Slots problem_slots(const CompiledSpec& compiled, const model::Problem& problem,
                    const model::DeviceLimits& limits) {
  const model::KernelSpec& spec = compiled.spec;
  Slots slots = compiled.scope.zeros();
  auto* next = slots.values.data();
  for (const std::string& name : spec.sizes) {
    const auto found = std::ranges::find_if(problem.sizes, [&](const auto& d) { return d.name == name; });
    if (found == problem.sizes.end()) {
      throw model::UsageError(fmt::format("problem {} has no size `{}`, which kernel `{}` needs",
                                          problem.text(), name, spec.name));
    }
    *next++ = found->value;
  }
  *next++ = problem.row_padding;
  *next++ = model::size_bytes(problem.type);
  *next++ = model::is_floating(problem.type) ? 0 : 1;
  for (const LimitName& limit : limit_names()) *next++ = limit.value(limits);
  return slots;
}

const std::string* set_parameters(const CompiledSpec& compiled, const model::Configuration& configuration,
                                  Slots& slots) {
  const std::vector<model::ParameterSpec>& parameters = compiled.spec.parameters;
  const std::vector<model::Assignment>& assignments = configuration.assignments();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    // Configurations come in written order nearly always.
    const bool in_place = i < assignments.size() && assignments[i].name == parameters[i].name;
    const model::Value* value = in_place ? &assignments[i].value : configuration.find(parameters[i].name);
    if (value == nullptr) return &parameters[i].name;
    slots.values[static_cast<std::size_t>(compiled.scope.parameter_slot(static_cast<int>(i)))] =
        value->code();
  }
  return nullptr;
}

void derive(const CompiledDerived& derived, Slots& slots) {
  const Evaluated<std::int64_t> result = evaluate(derived.value.program, slots);
  slots.values[static_cast<std::size_t>(derived.slot)] = result.value;
  slots.faults[static_cast<std::size_t>(derived.slot)] = result.fault;
}

void derive_all(const CompiledSpec& compiled, Slots& slots) {
  for (const CompiledDerived& derived : compiled.derived) derive(derived, slots);
}

std::string explain(const CompiledSpec& compiled, const Compiled& expression, const Slots& slots, Fault fault,
                    int slot) {
  if (slot < 0) return fmt::format("`{}`: {}", excerpt(expression.source->text), describe(fault));
  const auto culprit = std::ranges::find_if(compiled.derived, [&](const auto& d) { return d.slot == slot; });
  const std::string& name =
      compiled.spec.derived[static_cast<std::size_t>(slot - compiled.scope.derived_slot(0))].name;
  const Evaluated<std::int64_t> again = evaluate(culprit->value.program, slots);
  return fmt::format("`{}` needs `{}` = {}", excerpt(expression.source->text), name,
                     explain(compiled, culprit->value, slots, again.fault, again.slot));
}

}  // namespace tuner::space
