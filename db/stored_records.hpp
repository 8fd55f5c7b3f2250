#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/results.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// A declaration as it travels between databases.
struct StoredDeclaration {
  tuner::model::KernelDeclaration kernel;
  std::int64_t generation = 0;                 ///< one more than that of those it took the place of
  std::vector<tuner::model::Digest> followed;  ///< these, by id
  bool own = false;  ///< the last one that a sweep on its database made; nothing that travels

  /// Of what it says and what it took the place of, so that it is one wherever it comes from. One of before
  /// version 8 of the schema (generation 0) is named by its spec or its definition.
  tuner::model::Digest id() const;
};

/// What somebody found who held a trial against a spec.
struct StoredJudgement {
  tuner::model::Digest trial;
  tuner::model::Digest spec;
  bool describes = false;
};

/// More no declaration takes the place of at once.
constexpr std::size_t most_followed = 1000;

/// Judgements by one spec, as an export has them.
struct SpecJudgements {
  tuner::model::Digest spec;
  std::vector<tuner::model::Digest> describes;
  std::vector<tuner::model::Digest> excludes;
};
/// In one line of an export.
constexpr std::size_t most_judgements = 10'000;

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
