#pragma once
#include <string>

#include "tuner/model/configuration.hpp"
#include "tuner/model/device_info.hpp"
#include "tuner/model/problem.hpp"
#include "tuner/space/compiled_spec.hpp"

namespace tuner::space {

/// Slots with sizes, row padding, element properties and limits set. Throws model::UsageError where `problem`
/// lacks one of the kernel's sizes.
Slots problem_slots(const CompiledSpec& compiled, const model::Problem& problem,
                    const model::DeviceLimits& limits);

/// Sets the parameters. Returns the name of one that `configuration` leaves out, or null.
const std::string* set_parameters(const CompiledSpec& compiled, const model::Configuration& configuration,
                                  Slots& slots);

/// Computes one derived value from what it reads, all of them in order.
void derive(const CompiledDerived& derived, Slots& slots);
void derive_all(const CompiledSpec& compiled, Slots& slots);

/// Why `expression` has no value: "`M / X`: division by zero", or the same of the derived value that is to
/// blame.
std::string explain(const CompiledSpec& compiled, const Compiled& expression, const Slots& slots, Fault fault,
                    int slot);

}  // namespace tuner::space
