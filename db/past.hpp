#pragma once
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// An outcome without a measurement that is not the current one of its trial any more: a run keeps what it
/// found.
struct PastFailure {
  tuner::model::Digest trial;
  tuner::model::Digest run;
  tuner::model::TrialStatus status = tuner::model::TrialStatus::ok;
  std::string detail;
  std::string measured_at;
  std::int64_t sequence = 0;  ///< as TrialRecord::sequence
  tuner::model::Verification verification;
};

/// What the trial says now, which has no measurement.
PastFailure failure_of(const tuner::model::TrialRecord& trial);

/// By trial, then run.
std::vector<PastFailure> past_failures(const Connection& db);

/// One run of a binary's probes. One that is cleared was wrong perhaps, and the probes were run again since.
struct Probing {
  tuner::model::ProbeVerdict verdict;
  bool cleared = false;
};

/// By probes, then time.
std::vector<Probing> probings(const Connection& db);

}  // namespace db
