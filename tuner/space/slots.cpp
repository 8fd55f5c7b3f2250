#include "tuner/space/slots.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/model/error.hpp"
#include "tuner/space/lexer.hpp"
#include "tuner/space/limits.hpp"

namespace tuner::space {

Slots problem_slots(const CompiledSpec& compiled, const model::Problem& problem,
                    const model::DeviceLimits& limits) {
  const model::KernelSpec& spec = compiled.spec;
  Slots slots;
  slots.values.resize(static_cast<std::size_t>(compiled.scope.slots()), 0);
  slots.faults.resize(slots.values.size(), Fault::none);
  auto* next = slots.values.data();
  for (const std::string& name : spec.sizes) {
    const auto found = std::find_if(problem.sizes.begin(), problem.sizes.end(),
                                    [&](const auto& d) { return d.name == name; });
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
  const auto culprit = std::find_if(compiled.derived.begin(), compiled.derived.end(),
                                    [&](const auto& d) { return d.slot == slot; });
  const std::string& name =
      compiled.spec.derived[static_cast<std::size_t>(slot - compiled.scope.derived_slot(0))].name;
  const Evaluated<std::int64_t> again = evaluate(culprit->value.program, slots);
  return fmt::format("`{}` needs `{}` = {}", excerpt(expression.source->text), name,
                     explain(compiled, culprit->value, slots, again.fault, again.slot));
}

}  // namespace tuner::space
