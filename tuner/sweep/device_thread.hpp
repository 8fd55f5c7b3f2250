#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "tuner/model/trial_runner.hpp"

namespace tuner::sweep {

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
  using Event = std::variant<Launching, model::TrialOutcome, model::FinalOutcome, Broken>;
  using Job = std::variant<model::TrialJob, model::FinalJob>;

  /// `ring` is called, on the thread, after each event. The runner must outlive the object.
  DeviceThread(model::TrialRunner& runner, std::function<void()> ring);
  DeviceThread(const DeviceThread&) = delete;
  DeviceThread& operator=(const DeviceThread&) = delete;
  /// Waits for what is being run; a trial that waits to be launched is not.
  ~DeviceThread();

  /// Only where nothing is being run: an outcome, or Broken, ends each job.
  void start(Job job);
  void proceed();
  std::optional<Event> take();
  bool has_event() const;

 private:
  void work();
  Event run(const Job& job);
  void await_proceed();
  void post(Event event);

  model::TrialRunner& m_runner;
  std::function<void()> m_ring;
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::optional<Job> m_job;
  std::deque<Event> m_events;
  bool m_may_launch = false;
  bool m_ending = false;
  std::thread m_thread;  ///< last: it uses all of the above
};

}  // namespace tuner::sweep
