#pragma once
#include <vector>

#include "tuner/interchange/recorded_space.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::interchange {

/// What a database takes of another tuner's file: one run, and a trial for each configuration.
struct RecordedTrials {
  model::RunRecord run;
  std::vector<model::TrialRecord> trials;
};

/// What the file says of one configuration, with an interval of its median where it has samples enough.
model::TrialOutcome outcome_of(const RecordedSpace::Entry& entry);

/// The environment names the format and, where no times were recorded, what stands in their place, so that
/// none of it competes with what was measured here. Identities follow from the content: the same file read
/// twice, or longer the second time, gives the same run and trials.
RecordedTrials recorded_trials(const RecordedSpace& recorded);

}  // namespace tuner::interchange
