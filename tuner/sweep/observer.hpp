#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "tuner/model/problem.hpp"
#include "tuner/model/search_record.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::sweep {

/// Who watches a sweep: a terminal, a log, a test. Called from the thread that runs it.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// Before any work: `total` trials are in the sweep, of which `known` have a result already.
  /// `may_end_early`: of some problem not all may be tried.
  virtual void planned(std::int64_t total, std::int64_t known, bool may_end_early) = 0;
  /// So many trials are to be done besides.
  virtual void more(std::int64_t /*trials*/) {}
  /// A trial is about to be launched; its result follows.
  virtual void launching(const model::TrialRecord& trial) = 0;
  /// A trial's result is committed.
  virtual void finished(const model::TrialRecord& trial) = 0;
  /// A trial that was planned is not done: its problem could not be prepared (see notice()).
  virtual void left_out(const model::TrialRecord& trial) = 0;
  /// The best trials of `problem`, so many, are measured again in turn, with the baselines beside them.
  virtual void final_begins(const model::Problem& problem, std::size_t contestants) = 0;
  /// A problem's search has ended, and that is committed.
  virtual void search_ended(const model::SearchRecord& /*search*/) {}
  /// Something a person should know; the sweep goes on.
  virtual void notice(const std::string& text) = 0;
};

}  // namespace tuner::sweep
