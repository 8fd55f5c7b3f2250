#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/compile/compiler.hpp"

namespace tuner::compile {

/// How far compiling may run ahead of the caller that takes the results.
struct PoolLimits {
  std::size_t ready_count = 64;                       ///< distinct compilations waiting or being made
  std::size_t ready_bytes = std::size_t{256} << 20U;  ///< binaries and logs waiting
};

struct PoolStats {
  int workers = 0;
  int running = 0;          ///< workers inside Compiler::compile now
  std::size_t pending = 0;  ///< distinct jobs not started
  std::size_t ready = 0;    ///< distinct compilations waiting to be taken
  std::size_t ready_bytes = 0;
  std::int64_t compiled = 0;  ///< calls of Compiler::compile that returned
  std::int64_t shared = 0;    ///< submissions answered by another submission's compilation
  double busy_seconds = 0;    ///< summed over workers, of calls that returned
};

/// Threads that compile, each with a Compiler of its own, made by `factory` on that thread and destroyed
/// there. The threads live as long as the pool, so child processes may be tied to the thread that spawned
/// them.
///
/// Jobs start in the order submitted, unless they are put in another one, and results come in the order
/// finished. Two submissions whose jobs have the same key share one compilation while the first has not been
/// taken. No job is started while `limits.ready_count` compilations are waiting or being made, or
/// `limits.ready_bytes` are waiting: memory is bounded by the limits plus one compilation a worker. All
/// functions may be called from any thread.
class CompilePool {
 public:
  using Factory = std::function<std::unique_ptr<Compiler>()>;
  using Ticket = std::uint64_t;

  struct Finished {
    Ticket ticket = 0;
    std::shared_ptr<const model::Compilation> compilation;
  };

  /// At least one worker. Threads start here; compilers are made when their thread takes its first job.
  CompilePool(int workers, Factory factory, PoolLimits limits = {});
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  /// Cancels, and waits for the calls of Compiler::compile in hand.
  ~CompilePool();

  /// Never blocks on compiling. Throws what take() throws once a compiler has failed, and model::Error after
  /// cancel().
  Ticket submit(model::CompileJob job);
  /// Puts those of the jobs not started that are named first, the longest before the others; the rest keep
  /// their order behind them. What is submitted later comes last.
  void start_longest_first(const std::map<Ticket, double>& expected_ms);
  /// The next result; waits for it. Nothing when no submission is outstanding, or after cancel().
  /// Rethrows what a factory or a compiler threw: the compiler itself is missing or broken, and the pool is
  /// cancelled.
  std::optional<Finished> take() { return take_until(std::nullopt); }
  /// The same, giving up after `patience`.
  std::optional<Finished> take_for(std::chrono::milliseconds patience) {
    return take_until(Clock::now() + patience);
  }
  /// From now on `listener` is called, on the thread that brings it, whenever take() has something new to
  /// give or to throw; a null one ends it. It must not call the pool.
  void report_results_to(std::function<void()> listener);
  /// Submissions whose result was not taken yet.
  std::size_t outstanding() const;
  PoolStats stats() const;
  /// Forgets all submissions; compilations in hand are abandoned (Compiler::compile_unless) and thrown away.
  /// Wakes the callers that wait in take(). New jobs may be submitted.
  void abandon() noexcept { give_up(false); }
  /// The same, for good.
  void cancel() noexcept { give_up(true); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Everything about one distinct job: who waits for it, and its result once there is one.
  struct Work {
    model::Digest key;
    model::CompileJob job;
    std::size_t waiting = 0;      ///< tickets whose result was not taken
    std::vector<Ticket> tickets;  ///< to be told when it is done
    std::shared_ptr<const model::Compilation> result;
    std::size_t result_bytes = 0;
    std::atomic<bool> abandoned{false};
  };
  using WorkPtr = std::shared_ptr<Work>;

  std::optional<Finished> take_until(std::optional<Clock::time_point> deadline);
  void give_up(bool for_good) noexcept;
  void stop_and_join() noexcept;
  void drop_everything() noexcept;
  bool may_start() const;
  void work();
  void finish(const WorkPtr& work, std::shared_ptr<const model::Compilation> result,
              const std::exception_ptr& failure);

  const Factory m_factory;
  PoolLimits m_limits;
  mutable std::mutex m_mutex;  ///< guards all below
  std::condition_variable m_work_changed;
  std::condition_variable m_result_changed;
  bool m_stopping = false;
  bool m_cancelled = false;
  std::exception_ptr m_failure;
  std::function<void()> m_listener;
  Ticket m_last_ticket = 0;
  std::size_t m_outstanding = 0;
  std::deque<WorkPtr> m_pending;
  std::deque<std::pair<Ticket, WorkPtr>> m_ready;
  /// Jobs pending, running or with a result that somebody still has to take.
  std::unordered_map<model::Digest, WorkPtr, model::DigestHash> m_by_key;
  std::size_t m_running = 0;
  std::vector<WorkPtr> m_under_way;  ///< what the running workers are at
  std::size_t m_ready_works = 0;
  std::size_t m_ready_bytes = 0;
  std::int64_t m_compiled = 0;
  std::int64_t m_shared = 0;
  double m_busy_seconds = 0;
  std::vector<std::thread> m_threads;  ///< last: they use all of the above
};

}  // namespace tuner::compile
