#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/final.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::model {

/// Where a sweep puts what it learns. Every call is durable when it returns: a crash after it loses nothing.
/// Implemented by db::ResultStore; throws model::Error when the row cannot be kept.
class ResultSink {
 public:
  ResultSink() = default;
  ResultSink(const ResultSink&) = delete;
  ResultSink& operator=(const ResultSink&) = delete;
  virtual ~ResultSink() = default;

  virtual void begin_run(const RunRecord& run) = 0;
  /// `state`: `done`, `interrupted` or `failed`.
  virtual void end_run(const Digest& run, const std::string& state) = 0;
  /// Says which source the kernel has now: trials of another one (TrialRecord::source_key) are kept, but no
  /// longer compete, until their source is used again. Cheap where nothing has changed.
  virtual void use_source(const std::string& family, const std::string& kernel, const Digest& source) = 0;
  /// Says that `trial` is about to be launched, so that the culprit of a crash has a name.
  virtual void open_attempt(const TrialRecord& trial) = 0;
  /// The result of a trial; closes its open attempt, if any.
  virtual void record(const TrialRecord& trial) = 0;
  /// The result of a final, with its contestants: each gets the measurement of the final as its current one.
  /// All or nothing is kept.
  virtual void record_final(const FinalRecord& final, const std::vector<TrialRecord>& contestants) = 0;
  /// Closes the open attempt of `trial` as a death that was observed (`crashed`, `timeout`) without recording
  /// a result.
  virtual void observed_death(const Digest& trial, TrialStatus how, const std::string& detail) = 0;
};

/// What a sweep asks of the past.
class ResultSource {
 public:
  ResultSource() = default;
  ResultSource(const ResultSource&) = delete;
  ResultSource& operator=(const ResultSource&) = delete;
  virtual ~ResultSource() = default;

  /// Those of `keys` that have a result, in any order.
  virtual std::vector<Digest> known(const std::vector<Digest>& keys) = 0;
  virtual std::optional<TrialRecord> find(const Digest& trial) = 0;
  /// Median of the fastest ok trial of a problem in a class; absent when there is none.
  virtual std::optional<double> best_ns(const Problem& problem, const ComparisonClass& comparison_class) = 0;
  /// Whom a final would be between: ok trials whose time is at most the best one's times `within`, fastest
  /// first, `most` of them at most. Empty where the last final is newer than every ok trial, or nothing is
  /// ok.
  virtual std::vector<TrialRecord> contenders(const Problem& problem, const ComparisonClass& comparison_class,
                                              double within, int most) = 0;
  /// Deaths observed while `trial` was open, plus attempts left open under another boot of this machine.
  virtual int deaths(const Digest& trial) = 0;
};

}  // namespace tuner::model
