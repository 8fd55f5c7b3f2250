#include <algorithm>
#include <deque>

#include "tuner/device/cpu/block_runner.hpp"
#include "tuner/device/cpu/shared_object.hpp"

namespace tuner::device::cpu {
namespace {

tuner_cpu::Index3 block_index(std::int64_t block, const tuner_cpu::Index3& grid) {
  const std::int64_t row = block / grid.x;
  return {static_cast<unsigned>(block % grid.x), static_cast<unsigned>(row % grid.y),
          static_cast<unsigned>(row / grid.y)};
}

}  // namespace

WorkerPool::WorkerPool(int workers, std::int64_t stack_bytes)
    : m_own(stack_bytes), m_stack_bytes(stack_bytes) {
  for (int i = 1; i < workers; ++i) m_threads.emplace_back([this, stack_bytes] { serve(stack_bytes); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_wake.notify_all();
  for (std::thread& thread : m_threads) thread.join();
}

std::optional<std::string> WorkerPool::run(const Launch& launch) {
  if (launch.cooperative || launch.cluster_blocks() > 1) return run_together(launch);
  const tuner_cpu::Module& module = launch.module->properties();
  const bool alone = module.static_shared_is_global || module.reports_accesses;
  const auto helpers = alone ? 0 : static_cast<int>(std::min<std::int64_t>(workers(), launch.blocks())) - 1;
  m_next_block = 0;
  // Small blocks are taken several at a time; the last of them still spread over all workers.
  m_blocks_at_once = std::clamp<std::int64_t>(launch.blocks() / (std::int64_t{helpers} + 1) / 16, 1, 64);
  m_fault.reset();
  m_launch = &launch;
  if (helpers > 0) wake(launch, helpers);
  work(m_own);
  std::unique_lock lock(m_mutex);
  m_wanted = 0;  // who has not woken yet need not
  m_done.wait(lock, [this] { return m_busy == 0; });
  return std::move(m_fault);
}

/// Blocks that may wait for each other, each on a thread of its own: of a cooperative grid all, else those of
/// one cluster after the other.
std::optional<std::string> WorkerPool::run_together(const Launch& launch) {
  const tuner_cpu::Index3& size = launch.cluster;
  const tuner_cpu::Index3 grid_of_clusters{launch.grid.x / size.x, launch.grid.y / size.y,
                                           launch.grid.z / size.z};
  const std::int64_t clusters = launch.blocks() / launch.cluster_blocks();
  const auto block_of = [&](std::int64_t cluster, unsigned rank) -> tuner_cpu::Index3 {
    const tuner_cpu::Index3 place = block_index(cluster, grid_of_clusters);
    const tuner_cpu::Index3 inside = block_index(rank, size);
    return {place.x * size.x + inside.x, place.y * size.y + inside.y, place.z * size.z + inside.z};
  };
  std::deque<BlockGroup> groups;
  for (std::int64_t i = 0; i < clusters; ++i) groups.emplace_back(launch.cluster_blocks());
  BlockGroup grid(static_cast<unsigned>(launch.blocks()));
  std::mutex mutex;
  std::optional<std::string> fault;
  const auto failed = [&] {
    const std::lock_guard lock(mutex);
    return fault.has_value();
  };
  const auto run_block = [&](BlockRunner& runner, std::int64_t cluster, unsigned rank) {
    runner.join(launch.cooperative ? &grid : nullptr, &groups[static_cast<std::size_t>(cluster)], rank);
    auto found = runner.run(block_of(cluster, rank));
    const std::lock_guard lock(mutex);
    if (found && !fault) fault = std::move(found);
  };
  const auto work = [&](BlockRunner& runner, std::int64_t first, std::int64_t last, unsigned rank) {
    runner.begin(launch);
    for (std::int64_t cluster = first; cluster < last; ++cluster) {
      if (failed()) {
        groups[static_cast<std::size_t>(cluster)].leave();  // so that no block waits for it
      } else {
        run_block(runner, cluster, rank);
      }
    }
    runner.join(nullptr, nullptr, 0);
  };
  std::vector<std::thread> threads;
  const std::int64_t in_cluster = launch.cluster_blocks();
  for (std::int64_t together = 1; together < launch.blocks_together(); ++together) {
    const std::int64_t cluster = together / in_cluster;
    threads.emplace_back([&, cluster, rank = static_cast<unsigned>(together % in_cluster)] {
      BlockRunner runner(m_stack_bytes);
      work(runner, cluster, launch.cooperative ? cluster + 1 : clusters, rank);
    });
  }
  work(m_own, 0, launch.cooperative ? 1 : clusters, 0);
  for (std::thread& thread : threads) thread.join();
  return fault;
}

void WorkerPool::wake(const Launch& launch, int helpers) {
  {
    const std::lock_guard lock(m_mutex);
    m_launch = &launch;
    m_wanted = helpers;
    ++m_generation;
  }
  m_wake.notify_all();
}

void WorkerPool::serve(std::int64_t stack_bytes) {
  BlockRunner runner(stack_bytes);
  std::uint64_t seen = 0;
  std::unique_lock lock(m_mutex);
  for (;;) {
    m_wake.wait(lock, [&] { return m_stop || (m_generation != seen && m_wanted > 0); });
    if (m_stop) return;
    seen = m_generation;
    --m_wanted;
    ++m_busy;
    lock.unlock();
    work(runner);
    lock.lock();
    if (--m_busy == 0) m_done.notify_one();
  }
}

void WorkerPool::work(BlockRunner& runner) {
  const Launch& launch = *m_launch;
  const std::int64_t blocks = launch.blocks();
  runner.begin(launch);
  for (;;) {
    const std::int64_t first = m_next_block.fetch_add(m_blocks_at_once);
    if (first >= blocks) return;
    for (std::int64_t block = first; block < std::min(first + m_blocks_at_once, blocks); ++block) {
      if (auto fault = runner.run(block_index(block, launch.grid))) {
        m_next_block = blocks;
        const std::lock_guard lock(m_mutex);
        if (!m_fault) m_fault = std::move(fault);
        return;
      }
    }
  }
}

}  // namespace tuner::device::cpu
