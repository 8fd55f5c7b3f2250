#include "tuner/space/kernel_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/configuration_list.hpp"
#include "tuner/space/descent.hpp"
#include "tuner/space/planner.hpp"
#include "tuner/space/space.hpp"

namespace tuner::space {
namespace {

std::string text_of(const model::Diagnostic& diagnostic) {
  const std::string where = diagnostic.where.text();
  return where.empty() ? diagnostic.message : where + ": " + diagnostic.message;
}

/// Not 0: the parameter exists.
Evaluated<std::int64_t> applies_of(const CompiledParameter& parameter, const Slots& slots) {
  return parameter.when ? evaluate(parameter.when->program, slots) : Evaluated<std::int64_t>{1};
}

/// Everything set, derived values included; nothing where `configuration` leaves a parameter out. `limits` do
/// not matter to what depends on none (check_uses).
std::optional<Slots> slots_of(const CompiledSpec& compiled, const model::Problem& problem,
                              const model::Configuration& configuration,
                              const model::DeviceLimits& limits = {}) {
  Slots slots = problem_slots(compiled, problem, limits);
  if (set_parameters(compiled, configuration, slots) != nullptr) return std::nullopt;
  derive_all(compiled, slots);
  return slots;
}

}  // namespace

KernelSpace::KernelSpace(model::KernelSpec spec) {
  std::vector<model::Diagnostic> diagnostics;
  m_compiled = compile_spec(std::move(spec), diagnostics);
  if (m_compiled == nullptr) throw model::UsageError(text_of(diagnostics.front()), diagnostics.front().hint);
  m_definition = definition_of(m_compiled->spec);
  m_spec_digest = space::spec_digest(m_compiled->spec);
  m_source_key = model::source_key(m_compiled->spec.source);
  m_reference_key = model::source_key(verification_source(m_compiled->spec));
}

const model::KernelSpec& KernelSpace::spec() const {
  return m_compiled->spec;
}

void KernelSpace::enumerate(const model::Problem& problem, const model::DeviceLimits& limits,
                            const std::function<bool(const model::Configuration&)>& visit) const {
  const std::vector<model::ParameterSpec>& parameters = spec().parameters;
  std::vector<model::Assignment> assignments;
  for (const model::ParameterSpec& parameter : parameters) {
    assignments.push_back({parameter.name, parameter.otherwise});
  }
  // One object for all visits: making one takes longer than finding the next valid configuration.
  model::Configuration configuration(std::move(assignments));
  std::vector<std::uint16_t> shown(parameters.size(), ConfigurationList::inactive);
  Descent(*m_compiled, problem, limits).walk([&](std::span<const std::uint16_t> coordinates) {
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      if (coordinates[i] == shown[i]) continue;
      shown[i] = coordinates[i];
      const bool inactive = shown[i] == ConfigurationList::inactive;
      configuration.set(i, inactive ? parameters[i].otherwise : parameters[i].values[shown[i]]);
    }
    return visit(configuration);
  });
}

std::vector<std::int64_t> KernelSpace::seen_of(const model::Problem& problem,
                                               const model::DeviceLimits& limits) const {
  const Scope& scope = m_compiled->scope;
  std::vector<bool> seen(static_cast<std::size_t>(scope.slots()), false);
  const auto add = [&](const Program& program) {
    const std::vector<bool> needed = dependencies(*m_compiled, program);
    for (std::size_t slot = 0; slot < seen.size(); ++slot) seen[slot] = seen[slot] || needed[slot];
  };
  for (const Compiled& constraint : m_compiled->constraints) add(constraint.program);
  for (const CompiledParameter& parameter : m_compiled->parameters)
    if (parameter.when) add(parameter.when->program);
  const Slots slots = problem_slots(*m_compiled, problem, limits);
  std::vector<std::int64_t> values;
  for (int slot = 0; slot < scope.parameter_slot(0); ++slot)
    if (seen[static_cast<std::size_t>(slot)]) values.push_back(slots.values[static_cast<std::size_t>(slot)]);
  return values;
}

ConfigurationList KernelSpace::list(const model::Problem& problem, const model::DeviceLimits& limits,
                                    const GoOn& go_on, std::size_t most) const {
  ConfigurationList all(spec().parameters);
  // Most spaces are small, and listing one takes less than counting it.
  constexpr std::uint64_t most_steps = 1U << 23U;
  Descent descent(*m_compiled, problem, limits);
  if (spec().listed.empty()) descent.give_up_after(most_steps);
  bool fits = true;
  descent.walk([&](std::span<const std::uint16_t> coordinates) {
    fits = all.size() < most || !spec().listed.empty();
    if (fits) all.add(coordinates);
    return fits;
  });
  if (fits && !descent.has_given_up()) return all;
  auto counted = CountedSpace::make(*m_compiled, problem, limits, go_on);
  if (!counted) {
    // Every search begins with the default.
    const auto first = default_configuration(problem, limits);
    return sample_space(*m_compiled, problem, limits, most, go_on,
                        first ? coordinates_of(problem, *first, limits) : std::nullopt);
  }
  if (counted->size() > static_cast<std::int64_t>(most)) return {spec().parameters, counted};
  ConfigurationList few(spec().parameters);
  std::vector<std::uint16_t> at(spec().parameters.size());
  for (std::int64_t i = 0; i < counted->size(); ++i) {
    counted->coordinates(i, at);
    few.add(at);
  }
  return few;
}

std::string KernelSpace::why_empty(const model::Problem& problem, const model::DeviceLimits& limits,
                                   const ConfigurationList& list) const {
  const std::string text = list.is_sample()
                               ? "no valid configuration was found; its constraints may leave none"
                               : "its constraints leave no valid configuration";
  const auto slots = slots_of(*m_compiled, problem, written_default(problem, limits), limits);
  const auto is_parameter = [&](int slot) { return m_compiled->scope.is_parameter(slot); };
  std::string unmet;
  for (const Compiled& constraint : m_compiled->constraints) {
    const auto value = evaluate(constraint.program, *slots);
    if (value.holds()) continue;
    const std::string what = value.fault == Fault::none
                                 ? fmt::format("`{}`", excerpt(constraint.source->text))
                                 : explain(*m_compiled, constraint, *slots, value.fault, value.slot);
    // No configuration meets what asks for no parameter.
    if (!depends_on(*m_compiled, constraint.program, is_parameter))
      return fmt::format("{}: none meets {}", text, what);
    if (unmet.empty()) unmet = what;
  }
  return unmet.empty() ? text : fmt::format("{}: the default does not meet {}", text, unmet);
}

bool KernelSpace::contains(const model::Problem& problem, const model::Configuration& configuration,
                           const model::DeviceLimits& limits) const {
  return coordinates_of(problem, configuration, limits) &&
         first_hold(m_compiled->constraints.size(), problem, configuration, limits);
}

bool KernelSpace::offers(const model::Problem& problem, const model::Configuration& configuration,
                         const model::DeviceLimits& limits) const {
  return coordinates_of(problem, configuration, limits) && allows(problem, configuration, limits);
}

std::optional<std::vector<std::uint16_t>> KernelSpace::coordinates_of(
    const model::Problem& problem, const model::Configuration& configuration,
    const model::DeviceLimits& limits) const {
  const std::vector<model::ParameterSpec>& parameters = spec().parameters;
  const auto same_size = [](const model::Dimension& dimension, const std::string& name) {
    return dimension.name == name;
  };
  const bool is_problem = std::equal(problem.sizes.begin(), problem.sizes.end(), spec().sizes.begin(),
                                     spec().sizes.end(), same_size);
  if (!is_problem || configuration.assignments().size() != parameters.size()) return std::nullopt;
  if (std::ranges::find(spec().types, problem.type) == spec().types.end()) return std::nullopt;
  if (problem.row_padding != 0 && spec().row_padding.empty()) return std::nullopt;
  const std::optional<Slots> slots = slots_of(*m_compiled, problem, configuration, limits);
  if (!slots) return std::nullopt;
  std::vector<std::uint16_t> coordinates;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const model::Value& value = *configuration.find(parameters[i].name);
    const Evaluated<std::int64_t> applies = applies_of(m_compiled->parameters[i], *slots);
    if (applies.fault != Fault::none) return std::nullopt;
    const bool active = applies.value != 0;
    const auto& values = parameters[i].values;
    const auto place = std::ranges::find(values, value);
    const bool listed = active ? place != values.end() : value == parameters[i].otherwise;
    if (!listed) return std::nullopt;
    coordinates.push_back(active ? static_cast<std::uint16_t>(place - values.begin())
                                 : ConfigurationList::inactive);
  }
  const auto& only = spec().listed;
  const bool listed = only.empty() || std::ranges::binary_search(only, coordinates);
  return listed ? std::optional(std::move(coordinates)) : std::nullopt;
}

bool KernelSpace::allows(const model::Problem& problem, const model::Configuration& configuration,
                         const model::DeviceLimits& limits) const {
  return first_hold(m_compiled->needed_constraints, problem, configuration, limits);
}

bool KernelSpace::first_hold(std::size_t count, const model::Problem& problem,
                             const model::Configuration& configuration,
                             const model::DeviceLimits& limits) const {
  const std::optional<Slots> slots = slots_of(*m_compiled, problem, configuration, limits);
  if (!slots) return false;
  const std::span<const Compiled> first = std::span(m_compiled->constraints).first(count);
  return std::ranges::all_of(
      first, [&](const Compiled& constraint) { return evaluate(constraint.program, *slots).holds(); });
}

std::variant<model::Plan, Rejection> KernelSpace::make_plan(const model::Problem& problem,
                                                            const model::Configuration& configuration,
                                                            const model::DeviceLimits& limits) const {
  Slots slots = problem_slots(*m_compiled, problem, limits);
  if (const std::string* missing = set_parameters(*m_compiled, configuration, slots)) {
    return Rejection{model::TrialStatus::unlaunchable,
                     fmt::format("configuration does not set `{}`", *missing)};
  }
  derive_all(*m_compiled, slots);
  Planner planner(*m_compiled, problem, limits, std::move(slots));
  if (std::optional<model::Plan> plan = planner.plan()) return std::move(*plan);
  return planner.rejection();
}

model::CompileJob KernelSpace::compile_job(const model::Problem& problem,
                                           const model::Configuration& configuration,
                                           const std::string& architecture,
                                           const std::string& compiler) const {
  model::CompileJob job = kernel_job(spec(), problem, configuration, architecture, compiler);
  add_computed_parts(problem, configuration, job);
  const bool has_constants =
      std::ranges::any_of(spec().parameters, [](const auto& parameter) { return parameter.constant; });
  if (!has_constants) job.source_key = m_source_key;
  return job;
}

/// What has no value here has none in the plan either, which says so.
void KernelSpace::add_computed_parts(const model::Problem& problem, const model::Configuration& configuration,
                                     model::CompileJob& job) const {
  if (spec().macros.empty() && spec().conditional_options.empty()) return;
  const std::optional<Slots> slots = slots_of(*m_compiled, problem, configuration);
  if (!slots) return;
  for (const model::PlacedName& macro : spec().macros) {
    const auto slot = static_cast<std::size_t>(m_compiled->scope.find(macro.name)->slot);
    if (slots->faults[slot] == Fault::none)
      job.macros.push_back({macro.name, fmt::format("{}", slots->values[slot])});
  }
  std::ranges::sort(job.macros, [](const auto& a, const auto& b) { return a.name < b.name; });
  for (std::size_t i = 0; i < spec().conditional_options.size(); ++i) {
    if (evaluate(m_compiled->option_conditions[i].program, *slots).holds())
      job.options.push_back(with_values(spec().conditional_options[i].text, configuration));
  }
}

std::optional<model::CompileJob> KernelSpace::reference_job(const model::Problem& problem,
                                                            const std::string& architecture,
                                                            const std::string& compiler) const {
  auto job = verification_job(spec(), problem, architecture, compiler);
  if (job) job->source_key = m_reference_key;
  return job;
}

model::Metrics KernelSpace::metrics(const model::Problem& problem, const model::Configuration& configuration,
                                    double time_ns) const {
  model::Metrics values;
  std::optional<Slots> slots = slots_of(*m_compiled, problem, configuration);
  if (!slots) return values;
  slots->time_ns = time_ns;
  for (std::size_t i = 0; i < m_compiled->metrics.size(); ++i) {
    const Evaluated<double> result = evaluate_real(m_compiled->metrics[i].program, *slots);
    if (result.fault == Fault::none) values[spec().metrics[i].name] = result.value;
  }
  return values;
}

model::Workload KernelSpace::workload(const model::Problem& problem) const {
  // It depends on no parameter and no limit (check_uses), so any will do.
  Slots slots = problem_slots(*m_compiled, problem, model::DeviceLimits{});
  derive_all(*m_compiled, slots);
  const auto value = [&](const std::optional<Compiled>& part) {
    if (!part) return 0.0;
    const Evaluated<double> result = evaluate_real(part->program, slots);
    const bool sound = result.fault == Fault::none && std::isfinite(result.value) && result.value > 0;
    return sound ? result.value : 0.0;
  };
  return {value(m_compiled->operations), value(m_compiled->bytes)};
}

std::optional<model::Problem> KernelSpace::ceiling_problem(const model::DeviceLimits& limits,
                                                           std::optional<model::ElementType> type) const {
  if (spec().ceiling_sizes.empty()) return std::nullopt;
  const std::vector<model::ElementType>& types = spec().types;
  const bool offered = type && std::ranges::count(types, *type) > 0;
  model::Problem problem{spec().family, {}, offered ? *type : types.front(), 0};
  for (const std::string& name : spec().sizes) problem.sizes.push_back({name, 1});
  Slots slots = problem_slots(*m_compiled, problem, limits);
  derive_all(*m_compiled, slots);
  for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
    const Evaluated<std::int64_t> size = evaluate(m_compiled->ceiling_sizes[i].program, slots);
    if (size.fault != Fault::none || size.value < 1) return std::nullopt;
    problem.sizes[i].value = size.value;
  }
  return problem;
}

bool KernelSpace::is_default(const model::Configuration& configuration) const {
  Slots slots = m_compiled->scope.zeros();
  if (set_parameters(*m_compiled, configuration, slots) != nullptr) return false;
  derive_all(*m_compiled, slots);
  const model::Configuration defaults(spec().defaults);
  for (std::size_t i = 0; i < spec().parameters.size(); ++i) {
    const model::ParameterSpec& parameter = spec().parameters[i];
    const model::Value& value = *configuration.find(parameter.name);
    const model::Value* named = defaults.find(parameter.name);
    const model::Value& wanted = is_inactive(i, value, slots) ? parameter.otherwise
                                 : named != nullptr           ? *named
                                                              : parameter.values.front();
    if (value != wanted) return false;
  }
  return true;
}

std::optional<model::Configuration> KernelSpace::default_configuration(
    const model::Problem& problem, const model::DeviceLimits& limits) const {
  model::Configuration found = written_default(problem, limits);
  return contains(problem, found, limits) && is_default(found) ? std::optional(std::move(found))
                                                               : std::nullopt;
}

model::Configuration KernelSpace::written_default(const model::Problem& problem,
                                                  const model::DeviceLimits& limits) const {
  const model::Configuration named(spec().defaults);
  std::vector<model::Assignment> values;
  for (const model::ParameterSpec& parameter : spec().parameters) {
    const model::Value* value = named.find(parameter.name);
    values.push_back({parameter.name, value != nullptr ? *value : parameter.values.front()});
  }
  // A parameter that another one switches off may switch off a third.
  for (std::size_t pass = 0; pass < values.size(); ++pass) {
    const auto slots = slots_of(*m_compiled, problem, model::Configuration(values), limits);
    for (std::size_t i = 0; slots && i < values.size(); ++i) {
      if (applies_of(m_compiled->parameters[i], *slots).is_zero())
        values[i].value = spec().parameters[i].otherwise;
    }
  }
  return model::Configuration(std::move(values));
}

bool KernelSpace::is_inactive(std::size_t parameter, const model::Value& value, const Slots& slots) const {
  const std::optional<Compiled>& when = m_compiled->parameters[parameter].when;
  if (!when) return false;
  const int first = m_compiled->scope.parameter_slot(0);
  const bool asks_more = depends_on(*m_compiled, when->program, [&](int slot) { return slot < first; });
  if (asks_more) return value == spec().parameters[parameter].otherwise;
  return evaluate(when->program, slots).is_zero();
}

}  // namespace tuner::space
