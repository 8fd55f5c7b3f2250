#include "tuner/space/compiled_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/space/generator.hpp"
#include "tuner/space/parser.hpp"
#include "tuner/space/spec_compiler.hpp"

namespace tuner::space {
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
