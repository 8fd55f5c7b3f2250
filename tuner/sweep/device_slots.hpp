#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "tuner/model/trial.hpp"
#include "tuner/sweep/candidate_queue.hpp"
#include "tuner/sweep/final_stage.hpp"

namespace tuner::sweep {

/// Lets one thread sleep until others have something for it.
class Wakeup {
 public:
  /// From any thread.
  void ring() {
    {
      const std::lock_guard lock(m_mutex);
      m_rung = true;
    }
    m_changed.notify_one();
  }
  /// Returns as soon as somebody has rung since the last wait, or after `patience`.
  void wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, patience, [this] { return m_rung; });
    m_rung = false;
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_rung = false;
};

/// Takes the time of a device. One thread at a time.
class DeviceClock {
 public:
  using Part = double DeviceTime::*;

  DeviceClock();
  void begin_job(Part part);
  /// The job's trial asks for the leave to launch.
  void ask_leave();
  /// The job of a runner that tells its phases enters one. Until the first it waits for a process, and so it
  /// does once its process is cleared away.
  void enter(model::TrialPhase phase);
  void hold();
  void end_job();
  /// It has been idle until now, for that reason.
  void idle(Part why) { m_idle.*why += lap(); }
  /// What there was; nothing follows.
  DeviceTime end();

 private:
  double lap();

  DeviceTime m_spent;
  DeviceTime m_idle;  ///< since its last job
  double m_since = 0;
  bool m_has_begun = false;  ///< a job
  Part m_job = nullptr;      ///< what most of its time goes to; of a runner without phases, all
  Part m_now = nullptr;
  bool m_has_phases = false;  ///< the job's runner has told one
};

/// The thread that has a device work, so that one driver keeps several of them busy. What happens comes back
/// as events, and a trial is launched only once the driver has answered the event before it.
class DeviceThread {
 public:
  /// A trial waits to be launched, until proceed().
  struct Launching {};
  /// The runner threw: there is nothing more to be had of it.
  struct Broken {
    std::exception_ptr error;
  };
  using Event = std::variant<Launching, model::TrialOutcome, model::FinalOutcome, model::NotPrepared, Broken>;
  using Job = std::variant<model::TrialJob, model::FinalJob>;

  /// `ring` is called, on the thread, after each event, `is_late` as give_up_preparing_if() says, and `clock`
  /// as a job's phases begin. The runner must outlive the object.
  DeviceThread(model::TrialRunner& runner, std::function<void()> ring, std::function<bool()> is_late,
               std::function<double()> clock);
  DeviceThread(const DeviceThread&) = delete;
  DeviceThread& operator=(const DeviceThread&) = delete;
  /// Waits for what is being run; a trial that waits to be launched is not.
  ~DeviceThread();

  /// Only where nothing is being run: an outcome, or Broken, ends each job.
  void start(Job job);
  void proceed();
  std::optional<Event> take();
  bool has_event() const;
  /// What its last job took until `now`: in its phases, where the runner tells them, or since it `began`.
  /// Ending a process that a trial has broken, and starting another, is no work of the device. Only where
  /// nothing is being run.
  double seconds_at_work(double began, double now) const;
  /// Only where nothing is being run.
  DeviceClock& clock() { return m_clock; }

 private:
  template <typename Change>
  void change(const Change& what);
  void work();
  void enter(model::TrialPhase phase);
  Event run(const Job& job);
  void await_proceed();
  void post(Event event);

  model::TrialRunner& m_runner;
  std::function<void()> m_ring;
  DeviceClock m_clock;
  std::function<double()> m_seconds;   ///< the sweep's clock
  std::optional<double> m_at_work;     ///< seconds in phases that have ended; nothing: no phase was told
  std::optional<double> m_work_began;  ///< those of the phases under way
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::optional<Job> m_job;
  std::deque<Event> m_events;
  bool m_may_launch = false;
  bool m_ending = false;
  std::thread m_thread;  ///< last: it uses all of the above
};

/// A device of a sweep, and what it is at.
struct DeviceSlot {
  /// A run of a trial that has raced, to see how far the devices are apart.
  struct Comparison {
    std::string foreign;  ///< a GPU that is none of the sweep's, which the trial was measured on
  };
  using Work = std::variant<std::monostate, CompiledTrial, FinalStage::PreparedFinal, Comparison>;

  std::size_t number = 0;  ///< as in Services::runners
  std::string uuid;
  std::unique_ptr<DeviceThread> thread;  ///< null: the device has left the sweep
  Work work;
  double began = 0;                  ///< with `work`, by the clock
  bool launching = false;            ///< it has not said yet that it is about to launch
  bool probes = false;               ///< it runs the probes of its trial's binary
  std::optional<std::size_t> group;  ///< whose inputs it used last
  std::set<std::size_t> inputs;      ///< groups whose inputs it has made
  Summary::Device did;

  bool is_there() const { return thread != nullptr; }
  bool is_busy() const { return !std::holds_alternative<std::monostate>(work); }
  bool is_idle() const { return is_there() && !is_busy(); }
  /// Once it has ended all it does here.
  void take_time() {
    if (is_there()) did.time = thread->clock().end();
  }
  void use_inputs_of(std::size_t used) {
    group = used;
    inputs.insert(used);
  }
  bool is_launching() const { return launching; }
  bool speaks() const { return is_there() && thread->has_event(); }
};

/// All of them.
class DeviceSlots {
 public:
  using Is = bool (DeviceSlot::*)() const;

  /// `ring` and `is_late` are called from the slots' threads, see DeviceThread. The runners must outlive the
  /// object.
  DeviceSlots(const std::vector<model::TrialRunner*>& runners, std::function<double()> clock,
              const std::function<void()>& ring, const std::function<bool()>& is_late);

  std::size_t size() const { return m_slots.size(); }
  auto begin() { return m_slots.begin(); }
  auto end() { return m_slots.end(); }
  auto begin() const { return m_slots.begin(); }
  auto end() const { return m_slots.end(); }
  bool any(Is is) const { return count(is) > 0; }
  std::size_t count(Is is) const;
  /// How many others used the inputs of `group` last.
  std::size_t others_at(std::size_t group, const DeviceSlot& slot) const;

  /// Whether some device that is there has made the inputs of `group`.
  bool has_inputs(std::size_t group) const;

  void start(DeviceSlot& slot, DeviceSlot::Work work, DeviceThread::Job job);
  /// What the slot was at; it is idle now.
  DeviceSlot::Work finish(DeviceSlot& slot);
  /// Who is idle was so until now, for that reason.
  void note_idle(DeviceClock::Part why);
  /// Of all of them, at what has ended, without starts and ends of processes: at trials of `group`, or all
  /// together.
  double busy_seconds(std::optional<std::size_t> group = std::nullopt) const;

 private:
  std::function<double()> m_clock;
  std::vector<DeviceSlot> m_slots;
  std::map<std::size_t, double> m_trial_seconds;  ///< by group
};

/// Which device works at which problem. Inputs and reference of a large problem take as long as dozens of
/// trials, so a problem stays where they are: each device has problems of its own, and shares another's once
/// no problem is left without a device.
class Assignment {
 public:
  /// As things stand now.
  Assignment(const CandidateQueue& queue, const DeviceSlots& slots);

  /// How little a trial of `group` suits the device; nothing: it is left to another.
  std::optional<std::size_t> reluctance(const DeviceSlot& slot, std::size_t group) const;
  /// Whether some device has no problem that proposes trials, and will get none of those begun.
  bool lacks_problems() const { return m_lacking > m_new; }

 private:
  bool has_own(const DeviceSlot& slot) const;
  bool may_share(const DeviceSlot& slot) const;

  const DeviceSlots& m_slots;
  std::vector<std::size_t> m_proposing;  ///< groups
  std::size_t m_lacking = 0;             ///< devices without such a group of their own
  std::size_t m_new = 0;                 ///< such groups that no device has
};

}  // namespace tuner::sweep
