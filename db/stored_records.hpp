#pragma once
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tuner/model/record_fields.hpp"

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

/// What counting said of one metric of a trial, as it travels between databases. Of two of a trial and metric
/// the one of the larger generation counts.
struct StoredCounter {
  tuner::model::Digest trial;
  tuner::model::Counter counter;
  std::int64_t generation = 0;  ///< one more than those of the trial that were known when it was counted
  std::string counted_at;       ///< UTC, ISO 8601
  bool operator==(const StoredCounter&) const = default;
};

/// Judgements by one spec, as an export has them.
struct SpecJudgements {
  tuner::model::Digest spec;
  std::vector<tuner::model::Digest> describes;
  std::vector<tuner::model::Digest> excludes;
};
/// In one line of an export.
constexpr std::size_t most_judgements = 10'000;

/// What is taken from the sequences of databases and exports from before version 9, whose runs each counted
/// for themselves: they come before all that is measured since, and in their runs' order.
constexpr std::int64_t before_version_9 = 10'000'000'000'000'000;

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

/// A trial with its measurements before the current one.
struct StoredTrial {
  tuner::model::TrialRecord trial;
  std::vector<StoredMeasurement> earlier = {};
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

/// Of measurements and failures of one trial the greatest is the current one, as the rank in rows.cpp has it.
template <class Result>
auto rank_of(const Result& one) {
  const bool counts = one.sequence > 0;
  return std::tuple(counts ? one.sequence : 0, counts ? "" : one.measured_at, one.run, one.sequence);
}

/// The trial as that failure left it.
tuner::model::TrialRecord as_failed(tuner::model::TrialRecord trial, const PastFailure& failure);

/// One run of a binary's probes. One that is cleared was wrong perhaps, and the probes were run again since.
struct Probing {
  tuner::model::ProbeVerdict verdict;
  bool cleared = false;
};

template <class Archive, tuner::model::Described<StoredMeasurement> T>
void describe(Archive& a, T& v) {
  a("measured_at", v.measured_at);
  a("run", v.run);
  a("sequence", v.sequence);
  a("status", v.status);
  a("metrics", v.metrics);
  a("measurement", v.measurement);
}

template <class Archive, tuner::model::Described<PastFailure> T>
void describe(Archive& a, T& v) {
  a("trial", v.trial);
  a("run", v.run);
  a("status", v.status);
  a("detail", v.detail);
  a("verification", v.verification);
  a("measured_at", v.measured_at);
  a("sequence", v.sequence);
}

template <class Archive, tuner::model::Described<Probing> T>
void describe(Archive& a, T& v) {
  describe(a, v.verdict);
  a("cleared", v.cleared);
}

template <class Archive, tuner::model::Described<StoredDeclaration> T>
void describe(Archive& a, T& v) {
  describe(a, v.kernel);
  a("generation", v.generation);
  a("followed", v.followed);
}

template <class Archive, tuner::model::Described<StoredCounter> T>
void describe(Archive& a, T& v) {
  a("trial", v.trial);
  describe(a, v.counter);
  a("generation", v.generation);
  a("counted_at", v.counted_at);
}

template <class Archive, tuner::model::Described<SpecJudgements> T>
void describe(Archive& a, T& v) {
  a("spec", v.spec);
  a("describes", v.describes);
  a("excludes", v.excludes);
}

}  // namespace db
