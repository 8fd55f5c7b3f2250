#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

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

}  // namespace tuner::sweep
