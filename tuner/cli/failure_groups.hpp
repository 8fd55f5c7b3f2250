#pragma once
#include <string>
#include <vector>

#include "tuner/model/trial.hpp"

namespace tuner::cli {

/// Trials of one kernel that failed alike: with the same status, and for the same reason but for numbers
/// that are each trial's own (values, sizes). What a compiler said must be the same throughout.
struct FailureGroup {
  const model::TrialRecord* example = nullptr;  ///< the first of them
  std::vector<const model::TrialRecord*> trials;
};

/// Those of `trials` that are no success, in groups: kernels by name, of each the largest group first. Points
/// into `trials`.
std::vector<FailureGroup> failure_groups(const std::vector<const model::TrialRecord*>& trials);

/// All that is known of why a trial failed: its compiler's log, or the detail.
const std::string& whole_reason(const model::TrialRecord& trial);

}  // namespace tuner::cli
