#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tuner/cluster/publication.hpp"

namespace tuner::cluster {

/// Publishes at intervals beside a run, from a thread of its own: at once when the run is asked to stop,
/// since what comes after may not be granted, and a last time at the end. Where copying takes long the
/// intervals become ten times as long as it. A folder that is full or gone for a while is told once and tried
/// again.
class Publisher {
 public:
  /// `progress`: who publishes. `stop`: the run was asked to end; outlives this object.
  Publisher(Publication publication, Progress progress, double every_s, const std::atomic<bool>& stop);
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;
  /// Without finish() the run has failed, and what it has measured is published all the same.
  ~Publisher();

  // From the run's thread.
  void planned(std::int64_t trials, std::int64_t known);
  void more(std::int64_t trials);
  void finished_one();
  void left_out_one();
  /// Sentences for people since the last call: that publishing fails, why, and that it works again.
  std::vector<std::string> take_notices();

  /// Publishes all there is. Returns why that was not possible; empty: everything is published. Another
  /// publisher at work on the same file is waited for, a minute at most.
  std::string finish(RunState state);

 private:
  using Clock = std::chrono::steady_clock;

  void work();
  bool wait_until_due(Clock::time_point due, bool& told_of_stop);
  std::string publish(std::chrono::milliseconds patience);
  Progress progress_now() const;
  void say(std::string sentence);

  Publication m_publication;
  const std::atomic<bool>& m_stop;
  Clock::duration m_every;
  Clock::duration m_pause;     ///< until the next round
  std::string m_failure;       ///< of the last round; empty: it worked
  mutable std::mutex m_mutex;  ///< of what follows
  Progress m_progress;
  Clock::time_point m_began;
  std::vector<std::string> m_notices;
  bool m_ending = false;
  std::condition_variable m_wake;
  std::thread m_thread;
};

}  // namespace tuner::cluster
