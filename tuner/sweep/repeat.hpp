#pragma once
#include <vector>

#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

/// What measuring remembered trials again works with; nothing is owned.
struct Repeating {
  compile::CompilePool& pool;
  model::TrialRunner& runner;
  LaunchOracle oracle;
};

/// Measures `trials`, of one problem, once more: compiles them, verifies each, then samples all of them in
/// turn in as many rounds as the policy of `request` has for both parts of a final, without dropping any.
/// Nothing is recorded. `request.work` must have their kernels. Throws model::UsageError where a trial is not
/// what its kernel, compiler or device make of its configuration today, model::Error where one fails.
model::FinalOutcome repeat_in_turn(const Request& request, const std::vector<model::TrialRecord>& trials,
                                   const Repeating& with);

}  // namespace tuner::sweep
