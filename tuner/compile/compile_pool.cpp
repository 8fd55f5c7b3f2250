#include "tuner/compile/compile_pool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/model/error.hpp"

namespace tuner::compile {
namespace {

using Clock = std::chrono::steady_clock;

/// Everything about one distinct job: who waits for it, and its result once there is one.
struct Work {
  model::Digest key;
  model::CompileJob job;
  std::size_t waiting = 0;                   ///< tickets whose result was not taken
  std::vector<CompilePool::Ticket> tickets;  ///< to be told when it is done
  std::shared_ptr<const model::Compilation> result;
  std::size_t result_bytes = 0;
  std::atomic<bool> abandoned{false};
};
using WorkPtr = std::shared_ptr<Work>;

std::size_t bytes_of(const model::Compilation& compilation) {
  return compilation.binary.size() + compilation.log.size() + sizeof compilation;
}

}  // namespace

/// Shared by the callers and the workers; all members below the mutex are guarded by it.
class CompilePool::State {
 public:
  State(int workers, Factory factory, PoolLimits limits) : m_factory(std::move(factory)), m_limits(limits) {
    m_limits.ready_count = std::max<std::size_t>(m_limits.ready_count, 1);
    const int count = std::max(workers, 1);
    m_threads.reserve(static_cast<std::size_t>(count));
    try {
      for (int i = 0; i < count; ++i) m_threads.emplace_back([this] { work(); });
    } catch (...) {  // no more threads to be had: those that started must not outlive us
      stop_and_join();
      throw;
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { stop_and_join(); }

  Ticket submit(model::CompileJob job) {
    const model::Digest key = job.key();
    const std::lock_guard lock(m_mutex);
    if (m_failure) std::rethrow_exception(m_failure);
    if (m_cancelled) throw model::Error("a compile job was submitted after the compile pool was cancelled");
    const Ticket ticket = ++m_last_ticket;
    ++m_outstanding;
    WorkPtr& work = m_by_key[key];
    if (work) {
      ++m_shared;
    } else {
      work = std::make_shared<Work>();
      work->key = key;
      work->job = std::move(job);
      m_pending.push_back(work);
      m_work_changed.notify_one();
    }
    ++work->waiting;
    if (work->result) {
      m_ready.emplace_back(ticket, work);
      m_result_changed.notify_one();
      if (m_listener) m_listener();
    } else {
      work->tickets.push_back(ticket);
    }
    return ticket;
  }

  void start_longest_first(const std::map<Ticket, double>& expected_ms) {
    const std::lock_guard lock(m_mutex);
    std::vector<std::pair<double, WorkPtr>> order;
    for (const WorkPtr& work : m_pending) {
      double longest = -1;
      for (const Ticket ticket : work->tickets) {
        const auto expected = expected_ms.find(ticket);
        if (expected != expected_ms.end()) longest = std::max(longest, expected->second);
      }
      order.emplace_back(longest, work);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < order.size(); ++i) m_pending[i] = std::move(order[i].second);
  }

  std::optional<Finished> take(std::optional<Clock::time_point> deadline) {
    std::unique_lock lock(m_mutex);
    const auto settled = [this] { return m_failure || !m_ready.empty() || m_outstanding == 0; };
    if (deadline) {
      m_result_changed.wait_until(lock, *deadline, settled);
    } else {
      m_result_changed.wait(lock, settled);
    }
    if (m_failure) std::rethrow_exception(m_failure);
    if (m_ready.empty()) return std::nullopt;
    auto [ticket, work] = std::move(m_ready.front());
    m_ready.pop_front();
    Finished finished{ticket, work->result};
    --m_outstanding;
    if (--work->waiting == 0) {
      m_ready_bytes -= work->result_bytes;
      --m_ready_works;
      m_by_key.erase(work->key);
      m_work_changed.notify_all();  // one large result may have held up several workers
    }
    // Others may wait for the last result; when there are none left they must hear of it.
    if (m_outstanding == 0) m_result_changed.notify_all();
    return finished;
  }

  void report_results_to(std::function<void()> listener) {
    const std::lock_guard lock(m_mutex);
    m_listener = std::move(listener);
  }

  std::size_t outstanding() const {
    const std::lock_guard lock(m_mutex);
    return m_outstanding;
  }

  PoolStats stats() const {
    const std::lock_guard lock(m_mutex);
    PoolStats stats;
    stats.workers = static_cast<int>(m_threads.size());
    stats.running = static_cast<int>(m_running);
    stats.pending = m_pending.size();
    stats.ready = m_ready_works;
    stats.ready_bytes = m_ready_bytes;
    stats.compiled = m_compiled;
    stats.shared = m_shared;
    stats.busy_seconds = m_busy_seconds;
    return stats;
  }

  void abandon(bool for_good) noexcept {
    {
      const std::lock_guard lock(m_mutex);
      m_cancelled = m_cancelled || for_good;
      drop_everything();
    }
    m_result_changed.notify_all();
  }

 private:
  void stop_and_join() noexcept {
    {
      const std::lock_guard lock(m_mutex);
      m_stopping = m_cancelled = true;
      drop_everything();
    }
    m_work_changed.notify_all();
    m_result_changed.notify_all();
    for (std::thread& thread : m_threads) thread.join();
  }

  void drop_everything() noexcept {
    for (const WorkPtr& work : m_under_way) work->abandoned = true;
    m_pending.clear();
    m_ready.clear();
    m_by_key.clear();
    m_outstanding = 0;
    m_ready_works = 0;
    m_ready_bytes = 0;
  }

  bool may_start() const {
    return !m_pending.empty() && m_ready_works + m_running < m_limits.ready_count &&
           (m_ready_works == 0 || m_ready_bytes < m_limits.ready_bytes);
  }

  void work() {
    std::unique_ptr<Compiler> compiler;
    std::unique_lock lock(m_mutex);
    while (true) {
      m_work_changed.wait(lock, [this] { return m_stopping || may_start(); });
      if (m_stopping) return;
      const WorkPtr work = m_pending.front();
      m_pending.pop_front();
      ++m_running;
      m_under_way.push_back(work);
      lock.unlock();
      const Clock::time_point start = Clock::now();
      std::shared_ptr<const model::Compilation> result;
      std::exception_ptr failure;
      try {
        if (!compiler) compiler = m_factory();
        result =
            std::make_shared<const model::Compilation>(compiler->compile_unless(work->job, work->abandoned));
      } catch (...) {
        failure = std::current_exception();
      }
      const std::chrono::duration<double> spent = Clock::now() - start;
      lock.lock();
      --m_running;
      std::erase(m_under_way, work);
      m_busy_seconds += spent.count();
      finish(work, std::move(result), failure);
    }
  }

  void finish(const WorkPtr& work, std::shared_ptr<const model::Compilation> result,
              const std::exception_ptr& failure) {
    if (failure) {
      m_cancelled = true;
      drop_everything();
      if (!m_failure) m_failure = failure;
      m_result_changed.notify_all();
      if (m_listener) m_listener();
      return;
    }
    ++m_compiled;
    if (work->abandoned) return;
    work->result = std::move(result);
    work->result_bytes = bytes_of(*work->result);
    work->job = {};  // the source text is not needed any more
    ++m_ready_works;
    m_ready_bytes += work->result_bytes;
    for (const Ticket ticket : std::exchange(work->tickets, {})) m_ready.emplace_back(ticket, work);
    m_result_changed.notify_all();
    if (m_listener) m_listener();
  }

  const Factory m_factory;
  PoolLimits m_limits;
  mutable std::mutex m_mutex;
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

CompilePool::CompilePool(int workers, Factory factory, PoolLimits limits)
    : m_state(std::make_unique<State>(workers, std::move(factory), limits)) {}
CompilePool::~CompilePool() = default;
CompilePool::Ticket CompilePool::submit(model::CompileJob job) {
  return m_state->submit(std::move(job));
}
void CompilePool::start_longest_first(const std::map<Ticket, double>& expected_ms) {
  m_state->start_longest_first(expected_ms);
}
std::optional<CompilePool::Finished> CompilePool::take() {
  return m_state->take(std::nullopt);
}
std::optional<CompilePool::Finished> CompilePool::take_for(std::chrono::milliseconds patience) {
  return m_state->take(Clock::now() + patience);
}
void CompilePool::report_results_to(std::function<void()> listener) {
  m_state->report_results_to(std::move(listener));
}
std::size_t CompilePool::outstanding() const {
  return m_state->outstanding();
}
PoolStats CompilePool::stats() const {
  return m_state->stats();
}
void CompilePool::abandon() noexcept {
  m_state->abandon(false);
}
void CompilePool::cancel() noexcept {
  m_state->abandon(true);
}

}  // namespace tuner::compile
