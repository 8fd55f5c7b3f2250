#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tuner/device/cpu/block_runner.hpp"
#include "tuner/device/cpu/shared_object.hpp"

namespace tuner::device::cpu {

/// Threads that share the blocks of a launch; the calling thread is one of them. One caller at a time.
class WorkerPool {
 public:
  /// At least one worker, the caller.
  WorkerPool(int workers, std::int64_t stack_bytes);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  int workers() const { return static_cast<int>(m_threads.size()) + 1; }
  /// Most CUDA threads that a launch whose blocks may wait for each other has at once: each has a stack.
  static constexpr std::int64_t most_threads_together = 28 * 1024;

  /// Runs all blocks and returns when the last has finished. Returns the first fault; no block is started
  /// after one.
  std::optional<std::string> run(const Launch& launch);
  /// Of launches whose module reports its accesses: those run on the caller alone.
  std::vector<RawRace> take_races() { return m_own.take_races(); }

 private:
  std::optional<std::string> run_together(const Launch& launch);
  void serve(std::int64_t stack_bytes);
  void work(BlockRunner& runner);
  void wake(const Launch& launch, int helpers);

  BlockRunner m_own;
  std::int64_t m_stack_bytes;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  std::condition_variable m_done;
  const Launch* m_launch = nullptr;
  std::uint64_t m_generation = 0;  ///< counts launches
  int m_wanted = 0;                ///< helpers that may still join the launch
  int m_busy = 0;                  ///< helpers at work
  bool m_stop = false;
  std::atomic<std::int64_t> m_next_block{0};
  std::int64_t m_blocks_at_once = 1;
  std::optional<std::string> m_fault;
  std::vector<std::thread> m_threads;
};

}  // namespace tuner::device::cpu
