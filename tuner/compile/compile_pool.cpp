#include "tuner/compile/compile_pool.hpp"

#include <algorithm>

#include "tuner/model/error.hpp"

namespace tuner::compile {
namespace {

std::size_t bytes_of(const model::Compilation& compilation) {
  return compilation.binary.size() + compilation.library.size() + compilation.log.size() + sizeof compilation;
}

}  // namespace

CompilePool::CompilePool(int workers, Factory factory, PoolLimits limits)
    : m_factory(std::move(factory)), m_limits(limits) {
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
CompilePool::~CompilePool() {
  stop_and_join();
}

CompilePool::Ticket CompilePool::submit(model::CompileJob job) {
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

void CompilePool::start_longest_first(const std::map<Ticket, double>& expected_ms) {
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
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < order.size(); ++i) m_pending[i] = std::move(order[i].second);
}

std::optional<CompilePool::Finished> CompilePool::take_until(std::optional<Clock::time_point> deadline) {
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

void CompilePool::report_results_to(std::function<void()> listener) {
  const std::lock_guard lock(m_mutex);
  m_listener = std::move(listener);
}

std::size_t CompilePool::outstanding() const {
  const std::lock_guard lock(m_mutex);
  return m_outstanding;
}

PoolStats CompilePool::stats() const {
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

void CompilePool::give_up(bool for_good) noexcept {
  {
    const std::lock_guard lock(m_mutex);
    m_cancelled = m_cancelled || for_good;
    drop_everything();
  }
  m_result_changed.notify_all();
}

void CompilePool::stop_and_join() noexcept {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = m_cancelled = true;
    drop_everything();
  }
  m_work_changed.notify_all();
  m_result_changed.notify_all();
  for (std::thread& thread : m_threads) thread.join();
}

void CompilePool::drop_everything() noexcept {
  for (const WorkPtr& work : m_under_way) work->abandoned = true;
  m_pending.clear();
  m_ready.clear();
  m_by_key.clear();
  m_outstanding = 0;
  m_ready_works = 0;
  m_ready_bytes = 0;
}

bool CompilePool::may_start() const {
  return !m_pending.empty() && m_ready_works + m_running < m_limits.ready_count &&
         (m_ready_works == 0 || m_ready_bytes < m_limits.ready_bytes);
}

void CompilePool::work() {
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

void CompilePool::finish(const WorkPtr& work, std::shared_ptr<const model::Compilation> result,
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

}  // namespace tuner::compile
