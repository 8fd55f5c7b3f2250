#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/sweep/candidate_queue.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/device_slots.hpp"
#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/final_stage.hpp"
#include "tuner/sweep/refusals.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {

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
  void note_death(model::TrialRecord& record);
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

}  // namespace tuner::sweep
