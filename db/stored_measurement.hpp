#pragma once
#include <string>

#include "tuner/model/digest.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/model/trial_status.hpp"

namespace db {

/// One of a trial's measurements, with when and by which run it was taken.
struct StoredMeasurement {
  tuner::model::Measurement measurement;
  tuner::model::TrialStatus status = tuner::model::TrialStatus::ok;  ///< ok or dropped
  std::string measured_at;                                           ///< UTC, ISO 8601
  tuner::model::Digest run;                                          ///< empty: unknown
  std::int64_t sequence = 0;                                         ///< as TrialRecord::sequence
  tuner::model::Metrics metrics;                                     ///< at its median

  /// Identity by content and by the run that took it, so that the same measurement arriving twice (merge,
  /// import) is kept once, and equal ones of two tuners are two.
  tuner::model::Digest key(const tuner::model::Digest& trial) const;
};

/// The measurement that is the trial's current one, which it must have.
StoredMeasurement current_measurement(const tuner::model::TrialRecord& trial);
/// Whether the trial was measured and then failed, by what its probes were found to say: the measurement
/// keeps the status that the trial has lost.
bool is_condemned(const tuner::model::TrialRecord& trial);
/// Whether that measurement is the trial's current one.
bool is_of(const StoredMeasurement& measurement, const tuner::model::TrialRecord& trial);
/// The trial as that measurement left it.
tuner::model::TrialRecord as_measured(tuner::model::TrialRecord trial, const StoredMeasurement& measurement);

}  // namespace db
