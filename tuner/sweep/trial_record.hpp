#pragma once
#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

/// A trial on its way: what it is, and what has been found out so far.
struct Trial {
  model::TrialRecord record;
  model::Plan plan;
};

/// Everything known of a trial before it is compiled. A configuration that has no plan, or that the spec
/// excludes from this device, already has its outcome: anything but ok.
Trial describe(const Request& request, const Work& work, const model::Problem& problem,
               const model::Configuration& configuration, const model::Digest& key);

/// Adds what the compiler says, and what the device's limits say of that. The outcome is ok where the trial
/// may be launched.
void add_compilation(Trial& trial, const model::Compilation& compilation, const LaunchOracle& oracle);

/// Adds how it ran, and its metrics.
void add_outcome(Trial& trial, model::TrialOutcome outcome, const Work& work);

}  // namespace tuner::sweep
