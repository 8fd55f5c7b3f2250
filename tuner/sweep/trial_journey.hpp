#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/trial.hpp"
#include "tuner/sweep/candidate_queue.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/device_slots.hpp"
#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/final_stage.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/trial_list.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {

/// Refusals that have nothing to do with the configuration. Where the first ones of a kernel on a problem are
/// all refused alike before anything of them is measured, so are the others: there is no use in asking each.
class Refusals {
 public:
  /// So many in a row, and no other outcome among them. Preparing a problem owes little to a configuration.
  static constexpr int enough_unprepared = 16;
  /// A driver's refusal to take what a probe gives it may owe something to one: of a space where 97 of 100
  /// are refused for their own sake one in seven would be given up after these, were they drawn from it
  /// alone.
  static constexpr int enough_on_probes = 64;

  /// Whether an outcome is the driver's refusal of a probe, before it was run.
  static bool is_of_probe(const model::TrialOutcome& outcome) {
    return outcome.subject == model::Subject::binary && outcome.status == model::TrialStatus::launch_error;
  }
  /// Of the kernel (by number) of the group: its inputs or reference cannot be made. Returns whether that is
  /// enough, once.
  bool unprepared(std::size_t group, std::size_t kernel) {
    return add(m_rows[{group, kernel}], "", enough_unprepared);
  }
  /// It was refused on a probe, and that is why.
  bool on_probe(std::size_t group, std::size_t kernel, const std::string& why);
  /// It has another outcome.
  void other(std::size_t group, std::size_t kernel) { m_rows[{group, kernel}].differs = true; }

 private:
  struct Row {
    std::string why;
    int length = 0;
    bool differs = false;
  };
  bool add(Row& row, const std::string& why, int enough);

  std::map<std::pair<std::size_t, std::size_t>, Row> m_rows;
};

/// Problems whose inputs or reference cannot be made: a failure of the problem's and not of its
/// configurations, said once, and nothing of it counts as tried.
class Unprepared {
 public:
  /// `observer` must outlive the object.
  explicit Unprepared(Observer& observer) : m_observer(observer) {}

  bool contains(const Trial& trial) const { return m_problems.contains(trial.preparation_key); }
  /// The same of a trial that is compiled, which may be the first whose reference was not.
  bool contains(const CompiledTrial& trial);
  void add(const Trial& trial, const std::string& why);

 private:
  Observer& m_observer;
  std::set<model::Digest> m_problems;        ///< by preparation key
  std::set<model::Digest> m_bad_references;  ///< that do not compile, and were told
};

/// What is known of the binaries' probes, from this sweep and from before. A verdict is of a binary: whatever
/// the problem that its next trial is about, it need not be probed again, and one that failed need not run.
class ProbeVerdicts {
 public:
  /// The references must outlive the object.
  ProbeVerdicts(const Request& request, Services& services) : m_request(request), m_services(services) {}

  /// The verdict that stands; nothing where the probes are to be run. One of before by which the process died
  /// stands for no longer than it took to see it twice, and none that failed where failures are tried again.
  std::optional<model::ProbeVerdict> find(const model::Digest& probe);
  /// Keeps what running `record`'s probes said.
  void learn(const model::TrialRecord& record, const model::TrialOutcome& outcome);

 private:
  const Request& m_request;
  Services& m_services;
  std::map<model::Digest, model::ProbeVerdict> m_seen;  ///< in this sweep, or read by it
};

/// What happens to a trial: it is begun, compiled, judged, perhaps launched, and written down. When each of
/// that happens is the driver's business.
class TrialJourney : SweepPart {
 public:
  /// The references must outlive the object. `summary`: what has ended is counted there.
  TrialJourney(const Request& request, const TrialList& list, Services& services, CandidateQueue& queue,
               CompileAhead& compiling, FinalStage& finals, const DeviceSpread& spread, Summary& summary);

  /// Begun and not finished.
  std::int64_t under_way() const { return m_under_way; }
  /// Makes the trial and has it compiled, where it does not end before that.
  void start(const CandidateQueue::Item& item);
  /// The same of a trial of the past that is measured again; `work`: its kernel, which must outlive the
  /// object.
  void start_again(std::size_t group, const Work& work, Trial trial);
  /// How many of these have not ended.
  std::int64_t under_way_again(std::size_t group) const;
  /// What the compiler says of it, and the strategy of that. Returns whether it is still wanted: what failed
  /// is, since it is a result.
  bool judge(CompiledTrial& trial);
  /// The job for `slot`, which is told what it needs to know. Nothing: the trial has ended already, or is not
  /// to be run at all.
  std::optional<model::TrialJob> job(CompiledTrial& trial, DeviceSlot& slot);
  /// How it ran on `slot`. It is written down with the next commit().
  void end(DeviceSlot& slot, CompiledTrial trial, model::TrialOutcome outcome);
  /// Its device has left before it ended: it is ready again.
  void return_unrun(CompiledTrial trial, const std::string& why);
  /// Writes down what has ended, and an attempt of each that is launched next.
  void commit(const std::vector<const model::TrialRecord*>& next = {});

 private:
  struct Ended {
    model::TrialRecord record;
    CandidateQueue::Item item;
  };

  const sweep::Work& work_of(const CandidateQueue::Item& item) const;
  const TrialMaker& maker_of(const CandidateQueue::Item& item);
  void start(Trial trial, const CandidateQueue::Item& item);
  void withdraw(const CandidateQueue::Item& item);
  bool gives_back(const CandidateQueue::Item& item);
  void quarantine(Trial& trial);
  bool is_condemned(CompiledTrial& trial);
  std::size_t kernel_of(const CandidateQueue::Item& item) const;
  void note_refusal(const model::TrialRecord& record, const CandidateQueue::Item& item);
  void leave_out(const model::TrialRecord& record, const CandidateQueue::Item& item);
  void skip(const model::TrialRecord& record, const CandidateQueue::Item& item);
  void add_settings(const CandidateQueue::Item& item, model::TrialRecord& record) const;
  void say_missing(const model::TrialRecord& record);
  void say_without_library(const CandidateQueue::Item& item, const model::TrialRecord& record);
  /// Writes down what has not been launched.
  void finish(const model::TrialRecord& record, const CandidateQueue::Item& item);
  void note_finished(const model::TrialRecord& record, const CandidateQueue::Item& item);

  CandidateQueue& m_queue;
  CompileAhead& m_compiling;
  FinalStage& m_finals;
  Summary& m_summary;
  ProbeVerdicts m_verdicts;
  Unprepared m_unprepared;
  Refusals m_refusals;
  BestTimes m_best;
  std::vector<Ended> m_ended;  ///< measured, and not yet committed
  std::int64_t m_under_way = 0;
  std::vector<model::Plan> m_probes;  ///< to be sent with the trial in hand
  std::set<std::string> m_missing;    ///< baselines without times, with the reasons that were told
  std::map<std::pair<std::size_t, const Work*>, TrialMaker> m_makers;  ///< by group and kernel
  std::map<std::size_t, std::int64_t> m_again;                         ///< under way, by group
};

/// Trials were dropped for the best of their day. Once a group has raced, those are measured again that might
/// be the best of today, whichever kernel they are of: the one that they were dropped for may have been
/// edited, and run alone.
class Reopening : SweepPart {
 public:
  Reopening(const Request& request, const TrialList& list, Services& services, TrialJourney& trials)
      : SweepPart(request, list, services), m_trials(trials) {}

  /// Begins those of a group that has raced, `most` of them at most, the fastest and what is near it. Returns
  /// how many there are: what they show decides which come next. None for a part of the trials alone, as
  /// those of some bits are: it knows too little. None of a recording, which has no more to say.
  std::size_t begin(std::size_t group, std::int64_t most = std::numeric_limits<std::int64_t>::max());
  /// Groups whose trials have been begun here and have ended, each once.
  std::vector<std::size_t> take_ended();
  bool empty() const { return m_groups.empty(); }

 private:
  struct Open {
    const Work* work = nullptr;
    Trial trial;
    double time_ns = 0;  ///< when it was dropped
  };
  /// Those that might be the best and whose specs are at hand, fastest first, without those of this run.
  std::vector<Open> open(const model::Problem& problem);
  void say_absent(const std::map<std::string, std::size_t>& absent, const model::Problem& problem);

  TrialJourney& m_trials;
  std::set<model::Digest> m_tried;
  std::set<std::string> m_told;  ///< of absent kernels
  std::set<std::size_t> m_groups;
};

}  // namespace tuner::sweep
