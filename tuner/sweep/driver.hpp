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

#include "tuner/sweep/candidate_queue.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/device_slots.hpp"
#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/final_stage.hpp"
#include "tuner/sweep/reopening.hpp"
#include "tuner/sweep/trial_journey.hpp"

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
  void race();
  void keep_ended();
  bool over();
  /// Sleeps until a device or a compiler has something.
  void wait();

  /// Begins trials, so that the compilers are busy, but never more than the budget has room for.
  void fill();
  std::int64_t left_to_come() const;

  /// What the devices have to say.
  void hear();
  void hear(DeviceSlot& slot, DeviceThread::Event event);
  void let_launch(const std::vector<DeviceSlot*>& slots);
  void end_final(DeviceSlot& slot, const model::FinalOutcome& outcome);
  void end_comparison(DeviceSlot& slot, const model::TrialOutcome& outcome);
  /// The device is not to be had any more; what it was at goes to another. Throws where there is none:
  /// `error`, or a model::Error that says `why`.
  void leave(DeviceSlot& slot, const std::string& why, const std::exception_ptr& error);

  /// Gives the idle devices what there is to do.
  bool serve();
  void open_finals();
  bool serve_final(DeviceSlot& slot, bool own);
  bool serve_comparison(DeviceSlot& slot);
  bool serve_trial(DeviceSlot& slot);

  void finish_groups();
  /// All trials of the group have ended, unless what was dropped is to be measured again.
  void end_race(std::size_t group);
  void compare_devices(std::size_t group);
  void say_spread();
  void record(const EndedSearch& ended);
  void record_searches();
  void hold_rest();

  const Request& m_request;
  const TrialList& m_list;
  Services& m_services;
  CandidateQueue m_queue;
  CompileAhead m_compiling;
  DeviceSpread m_spread;
  FinalStage m_finals;
  double m_started;
  Summary m_summary;
  TrialJourney m_trials;
  Reopening m_reopening;
  std::deque<std::size_t> m_raced;                      ///< groups whose final is to be opened
  std::deque<FinalStage::PreparedFinal> m_interrupted;  ///< finals whose device left
  std::optional<model::TrialJob> m_comparison;          ///< what all devices run, see DeviceSpread
  std::string m_compared;                               ///< the same, for people
  Wakeup m_wakeup;
  DeviceSlots m_slots;  ///< last: their threads use the above
};

}  // namespace tuner::sweep
