#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/sweep/candidate_queue.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/device_thread.hpp"
#include "tuner/sweep/final_stage.hpp"
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
  /// A run of a trial that has raced, to see how far the devices are apart.
  struct Comparison {};
  using Work = std::variant<std::monostate, Compiled, FinalStage::Final, Comparison>;
  struct Lane {
    std::string id;
    std::string uuid;
    std::unique_ptr<DeviceThread> thread;  ///< null: the device has left the sweep
    Work work;
    double began = 0;                  ///< with `work`, by the clock
    bool launching = false;            ///< it has not said yet that it is about to launch
    bool probes = false;               ///< it runs the probes of its trial's binary
    std::optional<std::size_t> group;  ///< whose inputs it used last

    bool is_there() const { return thread != nullptr; }
    bool is_busy() const { return !std::holds_alternative<std::monostate>(work); }
    bool is_idle() const { return is_there() && !is_busy(); }
  };
  struct Ended {
    model::TrialRecord record;
    CandidateQueue::Item item;
  };

  void race();
  bool over();
  bool anyone_busy() const;
  bool anyone_idle() const;
  bool anyone_launching() const;
  bool anyone_speaks() const;
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
  void hear(std::size_t lane, DeviceThread::Event event);
  void end_trial(std::size_t lane, model::TrialOutcome outcome);
  void end_final(std::size_t lane, const model::FinalOutcome& outcome);
  void end_comparison(std::size_t lane, const model::TrialOutcome& outcome);
  /// The device is not to be had any more; what it was at goes to another. Throws where there is none:
  /// `error`, or a model::Error that says `why`.
  void leave(std::size_t lane, const std::string& why, const std::exception_ptr& error);

  /// Gives the idle devices what there is to do.
  bool serve();
  bool serve_final(std::size_t lane, bool own);
  bool serve_comparison(std::size_t lane);
  bool serve_trial(std::size_t lane);
  /// Whether it is launched; else it has ended already, or is not to be run at all.
  bool launch(std::size_t lane, Compiled trial);
  void put_to_work(std::size_t lane, Work work, DeviceThread::Job job);
  Work take_work(std::size_t lane);

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
  double best_ns(const Compiled& trial, std::size_t lane);
  void remember_best(const Compiled& trial, std::size_t lane);
  void say_missing(const model::TrialRecord& record);
  void commit_ended();
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
  std::map<std::size_t, double> m_best_ns;  ///< by group, as the first device would have it; 0: none yet
  Wakeup m_wakeup;
  std::vector<Lane> m_lanes;  ///< last: their threads use the above
};

}  // namespace tuner::sweep
