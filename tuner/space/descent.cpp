#include "tuner/space/descent.hpp"

#include <algorithm>
#include <utility>

#include "tuner/space/relaxation.hpp"

namespace tuner::space {
Descent::Descent(const CompiledSpec& compiled, const model::Problem& problem,
                 const model::DeviceLimits& limits)
    : m_compiled(compiled), m_slots(problem_slots(compiled, problem, limits)) {
  for (std::size_t i = 0; i < compiled.parameters.size(); ++i) {
    Level level;
    level.parameter = &compiled.parameters[i];
    level.slot = static_cast<std::size_t>(compiled.scope.parameter_slot(static_cast<int>(i)));
    m_levels.push_back(std::move(level));
  }
  m_coordinates.resize(m_levels.size());
  // Derived values first: the others of the same level may read them.
  schedule_derived();
  schedule_whens();
  schedule_constraints();
  schedule_relaxed();
}

std::size_t Descent::known_after(const Program& program) const {
  const Scope& scope = m_compiled.scope;
  std::size_t after = 0;
  for (const int slot : program.reads) {
    if (scope.is_parameter(slot)) {
      after = std::max(after, static_cast<std::size_t>(slot - scope.parameter_slot(0)) + 1);
    }
    if (scope.is_derived(slot)) {
      after = std::max(after, m_derived_after[static_cast<std::size_t>(slot - scope.derived_slot(0))]);
    }
  }
  return after;
}

void Descent::schedule_derived() {
  m_derived_after.resize(m_compiled.derived.size());
  std::vector<bool> needed(static_cast<std::size_t>(m_compiled.scope.slots()), false);
  const auto mark = [&](const Program& program) {
    for (const int slot : program.reads) needed[static_cast<std::size_t>(slot)] = true;
  };
  for (const Compiled& constraint : m_compiled.constraints) mark(constraint.program);
  for (const CompiledParameter& parameter : m_compiled.parameters) {
    if (parameter.when) mark(parameter.when->program);
  }
  for (auto derived = m_compiled.derived.rbegin(); derived != m_compiled.derived.rend(); ++derived) {
    if (needed[static_cast<std::size_t>(derived->slot)]) mark(derived->value.program);
  }
  for (const CompiledDerived& derived : m_compiled.derived) {
    const std::size_t after = known_after(derived.value.program);
    m_derived_after[static_cast<std::size_t>(derived.slot - m_compiled.scope.derived_slot(0))] = after;
    if (needed[static_cast<std::size_t>(derived.slot)]) {
      actions_after(after).push_back({Action::Kind::derive, &derived});
    }
  }
}

void Descent::schedule_whens() {
  for (std::size_t i = 0; i < m_levels.size(); ++i) {
    if (!m_levels[i].parameter->when) continue;
    const Program& when = m_levels[i].parameter->when->program;
    const std::size_t after = known_after(when);
    m_levels[i].decided = after <= i;
    if (!m_levels[i].decided) actions_after(after).push_back({Action::Kind::activity, nullptr, &when, i});
  }
}

void Descent::schedule_constraints() {
  for (const Compiled& constraint : m_compiled.constraints) {
    actions_after(known_after(constraint.program))
        .push_back({Action::Kind::constraint, nullptr, &constraint.program});
  }
}

std::vector<bool> Descent::known_with(std::size_t parameters) const {
  const Scope& scope = m_compiled.scope;
  std::vector<bool> known(static_cast<std::size_t>(scope.slots()), true);
  for (std::size_t i = parameters; i < m_levels.size(); ++i) known[m_levels[i].slot] = false;
  for (std::size_t i = 0; i < m_derived_after.size(); ++i)
    known[static_cast<std::size_t>(scope.derived_slot(static_cast<int>(i)))] =
        m_derived_after[i] <= parameters;
  return known;
}

void Descent::schedule_relaxed() {
  Relaxation relaxation(m_compiled);
  std::vector<std::vector<bool>> known;
  for (std::size_t i = 0; i < m_levels.size(); ++i) known.push_back(known_with(i));
  for (const Compiled& constraint : m_compiled.constraints) {
    const std::size_t whole_after = known_after(constraint.program);
    const Program* last = nullptr;
    for (std::size_t after = 0; after < whole_after; ++after) {
      auto relaxed = relaxation.of(constraint.program, known[after]);
      if (!relaxed || (last != nullptr && relaxed->code == last->code)) continue;
      last = &m_relaxed.emplace_back(std::move(*relaxed));
      actions_after(after).push_back({Action::Kind::relaxed, nullptr, last});
    }
  }
}

Descent::Choices Descent::choices(const Level& level) const {
  if (!level.parameter->when) return {false, true};
  if (!level.decided) return {true, true};
  const Evaluated<std::int64_t> active = evaluate(level.parameter->when->program, m_slots);
  if (active.fault != Fault::none) return {false, false};
  return {active.value == 0, active.value != 0};
}

bool Descent::set(std::size_t level, std::uint16_t coordinate, std::int64_t value) {
  m_coordinates[level] = coordinate;
  m_slots.values[m_levels[level].slot] = value;
  return passes(m_levels[level].actions);
}

bool Descent::passes(const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    if (action.kind == Action::Kind::derive) {
      derive(*action.derived, m_slots);
      continue;
    }
    const Evaluated<std::int64_t> result = evaluate(*action.program, m_slots);
    const bool holds = result.value != 0;
    if (action.kind == Action::Kind::relaxed) {
      if (result.fault == Fault::none && !holds) return false;
      continue;
    }
    if (result.fault != Fault::none) return false;
    if (action.kind == Action::Kind::constraint && !holds) return false;
    if (action.kind == Action::Kind::activity) {
      const bool active = m_coordinates[action.parameter] != ConfigurationList::inactive;
      if (active != holds) return false;
    }
  }
  return true;
}

bool Descent::set_all(std::span<const std::uint16_t> coordinates) {
  for (std::size_t i = 0; i < m_levels.size(); ++i)
    if (!set(i, coordinates[i], m_levels[i].parameter->codes[coordinates[i]])) return false;
  return true;
}

}  // namespace tuner::space
