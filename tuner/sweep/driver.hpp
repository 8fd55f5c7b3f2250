#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/sweep/best_times.hpp"
#include "tuner/sweep/candidate_queue.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/final_stage.hpp"
#include "tuner/sweep/lanes.hpp"
#include "tuner/sweep/probe_verdicts.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/sweep/unprepared.hpp"
#include "tuner/sweep/wakeup.hpp"

namespace tuner::sweep {

/// Keeps compilers and devices busy until a sweep is over. All decisions and all records are made by the one
/// thread that calls run(); each device has a thread that does nothing but wait for it.
class Driver {
 public:
  /// The references must outlive the object.
  Driver(const Request& request, const TrialList& list, Services& services);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver();

  /// Once. Throws model::Error as sweep() says.
  Summary run();

 private:
  struct Ended {
    model::TrialRecord record;
    CandidateQueue::Item item;
  };

  void race();
  bool over();
  /// Sleeps until a device or a compiler has something.
  void wait();

  const sweep::Work& work_of(const CandidateQueue::Item& item) const;
  const TrialMaker& maker_of(const CandidateQueue::Item& item);

  /// Begins trials, so that the compilers are busy, but never more than the budget has room for.
  void fill();
  std::int64_t left_to_come() const;
  void start(const CandidateQueue::Item& item);
  void quarantine(Trial& trial);
  bool judge(Compiled& trial);

  /// What the devices have to say.
  void hear();
  void hear(Lane& lane, DeviceThread::Event event);
  void let_launch(const std::vector<Lane*>& lanes);
  void end_trial(Lane& lane, model::TrialOutcome outcome);
  void end_final(Lane& lane, const model::FinalOutcome& outcome);
  void end_comparison(Lane& lane, const model::TrialOutcome& outcome);
  /// The device is not to be had any more; what it was at goes to another. Throws where there is none:
  /// `error`, or a model::Error that says `why`.
  void leave(Lane& lane, const std::string& why, const std::exception_ptr& error);

  /// Gives the idle devices what there is to do.
  bool serve();
  bool serve_final(Lane& lane, bool own);
  bool serve_comparison(Lane& lane);
  bool serve_trial(Lane& lane);
  /// Whether it is launched; else it has ended already, or is not to be run at all.
  bool launch(Lane& lane, Compiled trial);

  void finish_groups();
  void compare_devices(std::size_t group);
  void say_spread();
  void record(const EndedSearch& ended);
  void record_searches();
  void hold_rest();

  void leave_out(const model::TrialRecord& record, const CandidateQueue::Item& item);
  void pass_over(const model::TrialRecord& record, const CandidateQueue::Item& item);
  bool is_condemned(Compiled& trial);
  void add_settings(const CandidateQueue::Item& item, model::TrialRecord& record) const;
  void note_death(model::TrialRecord& record);
  void say_missing(const model::TrialRecord& record);
  /// Writes down what has ended, and an attempt of each that is launched next.
  void commit_ended(const std::vector<const model::TrialRecord*>& next = {});
  void note_finished(const model::TrialRecord& record, const CandidateQueue::Item& item);
  /// Writes down what has not been launched.
  void finish(const model::TrialRecord& record, const CandidateQueue::Item& item);

  const Request& m_request;
  const TrialList& m_list;
  Services& m_services;
  CandidateQueue m_queue;
  CompileAhead m_compiling;
  DeviceSpread m_spread;
  FinalStage m_finals;
  ProbeVerdicts m_verdicts;
  Unprepared m_unprepared;
  BestTimes m_best;
  double m_started;
  Summary m_summary;
  std::vector<Ended> m_ended;                   ///< measured, and not yet committed
  std::int64_t m_under_way = 0;                 ///< begun and not finished
  std::vector<model::Plan> m_probes;            ///< to be sent with the trial in hand
  std::deque<std::size_t> m_raced;              ///< groups whose final is to be held
  std::deque<FinalStage::Final> m_interrupted;  ///< finals whose device left
  std::optional<model::TrialJob> m_comparison;  ///< what all devices run, see DeviceSpread
  std::string m_compared;                       ///< the same, for people
  std::set<std::string> m_missing;              ///< baselines without times, with the reasons that were told
  std::map<std::pair<std::size_t, std::size_t>, TrialMaker> m_makers;  ///< by group and kernel
  Wakeup m_wakeup;
  Lanes m_lanes;  ///< last: their threads use the above
};

}  // namespace tuner::sweep
