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

  /// Identity by content and by the run that took it, so that the same measurement arriving twice (merge,
  /// import) is kept once, and equal ones of two tuners are two.
  tuner::model::Digest key(const tuner::model::Digest& trial) const;
};

}  // namespace db
