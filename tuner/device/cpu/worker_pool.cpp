#include <algorithm>
#include <deque>
#include <utility>

#include "tuner/device/cpu/block_runner.hpp"
#include "tuner/device/cpu/shared_object.hpp"

namespace tuner::device::cpu {

bool BlockGroup::wait() {
  std::unique_lock lock(m_mutex);
  if (++m_waiting == blocks()) {
    m_waiting = 0;
    ++m_meetings;
    m_changed.notify_all();
    return true;
  }
  if (is_stuck()) {
    m_broken = true;
    m_changed.notify_all();
  }
  const std::uint64_t before = m_meetings;
  m_changed.wait(lock, [&] { return m_broken || m_meetings != before; });
  return m_meetings != before;
}

void BlockGroup::leave() {
  const std::lock_guard lock(m_mutex);
  ++m_ended;
  if (!is_stuck()) return;
  m_broken = true;
  m_changed.notify_all();
}

void* BlockGroup::map(const void* address, unsigned own, unsigned other) const {
  if (other >= blocks()) return nullptr;
  const auto* at = static_cast<const std::byte*>(address);
  const auto within = [at](std::span<std::byte> memory) {
    return !memory.empty() && at >= memory.data() && at < memory.data() + memory.size();
  };
  for (const auto part : {&BlockMemory::fixed, &BlockMemory::dynamic}) {
    const std::span<std::byte> from = m_memory[own].*part;
    if (within(from)) return (m_memory[other].*part).data() + (at - from.data());
  }
  return nullptr;
}

}  // namespace tuner::device::cpu

// How CUDA threads wait for each other: the part of BlockRunner that runs millions of times a second, and the
// calls of kernels that lead to it.
//
// A switch between fibres leaves the processor's return-address prediction behind on the other stack, so each
// function that returns after one is a misprediction. Hence `flatten`: from the kernel's call down to the
// switch it is one function. What happens rarely stays out of line, in block_runner.cpp.

namespace tuner::device::cpu {

using boost::context::fiber;
using tuner_cpu::Site;

int BlockRunner::barrier(bool predicate, const Site& site) {
  return meet(site, nullptr, predicate);
}

int BlockRunner::meet(const Site& site, BlockGroup* group, bool predicate) {
  if (m_arrived == 0) {
    m_barrier_site = site;
    m_met_group = group;
  }
  m_one_site = m_one_site && same_site(site, m_barrier_site);
  m_predicates += predicate ? 1 : 0;
  ++m_arrived;
  if (all_arrived()) {
    m_states[tuner_cpu_current->rank] = {Waiting::nothing, m_running, site};
    finish_barrier();
  } else {
    wait(Waiting::barrier, site);
  }
  return m_barrier_result;
}

unsigned long long BlockRunner::warp_operation(const tuner_cpu::WarpRequest& request) {
  if (!m_warps_meet) begin_warp_operations();
  const unsigned rank = tuner_cpu_current->rank;
  const unsigned warp = rank / warp_size;
  const WarpRendezvous::Arrival arrival = m_warps[warp].arrive(rank % warp_size, request);
  if (arrival.misuse != nullptr) fail_warp(arrival.misuse, request);
  if (arrival.complete == 0) {
    wait(Waiting::warp, request.site);
  } else {
    let_go_on(warp, arrival.complete & ~(1U << (rank % warp_size)));
    if (m_races != nullptr) m_races->warp_operation(warp, arrival.complete);
  }
  return m_warps[warp].result(rank % warp_size);
}

void BlockRunner::let_go_on(unsigned warp, unsigned lanes) {
  m_ready[warp / 2] |= static_cast<std::uint64_t>(lanes) << (warp % 2 * 32);
}

void BlockRunner::wait(Waiting reason, const Site& site) {
  tuner_cpu::Thread* const self = tuner_cpu_current;
  ThreadState& state = m_states[self->rank];
  state.waiting = reason;
  state.site = site;
  switch_to(next_to_run());
  state.waiting = Waiting::nothing;
  tuner_cpu_current = self;
}

void BlockRunner::yield() {
  tuner_cpu::Thread* const self = tuner_cpu_current;
  m_ready[self->rank / 64] |= std::uint64_t{1} << (self->rank % 64);
  if (m_races != nullptr) m_races->release();
  Fibre& next = next_to_run();
  if (&next == m_running) return;  // all others wait
  switch_to(next);
  tuner_cpu_current = self;
}

void BlockRunner::hand_over() {
  switch_to(next_to_run());
}

/// A fibre for a thread not started yet, else one whose thread may go on, else the caller of run().
BlockRunner::Fibre& BlockRunner::next_to_run() {
  if (m_next < m_block.threads) return idle_fibre();
  const unsigned words = (m_block.threads + 63) / 64;
  const unsigned start = tuner_cpu_current->rank + 1;  // threads take turns
  unsigned word = start / 64 % words;
  std::uint64_t bits = m_ready[word] & ~std::uint64_t{0} << (start % 64);
  for (unsigned looked = 0; bits == 0; ++looked) {
    if (looked == words) return m_main;
    word = word + 1 < words ? word + 1 : 0;
    bits = m_ready[word];
  }
  const auto bit = static_cast<unsigned>(__builtin_ctzll(bits));
  m_ready[word] &= ~(std::uint64_t{1} << bit);
  return *m_states[word * 64 + bit].fibre;
}

void BlockRunner::switch_to(Fibre& target) {
  Fibre& self = *m_running;
  m_previous = &self;
  m_running = &target;
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(&self.sanitizer_state, target.stack_bottom, target.stack_bytes);
  }
  fiber previous = std::move(target.context).resume();
  arrived_from_switch(std::move(previous));
}

/// The first thing on the stack that was switched to: the fibre that left is kept where it can be resumed.
void BlockRunner::arrived_from_switch(fiber&& previous) {
  if (__sanitizer_finish_switch_fiber != nullptr) {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(m_running->sanitizer_state, &bottom, &bytes);
    // Only here does one learn where the stack of the calling thread is.
    if (m_previous == &m_main) {
      m_main.stack_bottom = static_cast<const std::byte*>(bottom);
      m_main.stack_bytes = bytes;
    }
  }
  m_previous->context = std::move(previous);
}

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

[[gnu::flatten]] int tuner_cpu_barrier(int predicate, const char* file, int line) {
  return tuner::device::cpu::running().barrier(predicate != 0, {file, line});
}

[[gnu::flatten]] unsigned long long tuner_cpu_warp(const tuner_cpu::WarpRequest* request) {
  return tuner::device::cpu::running().warp_operation(*request);
}

void tuner_cpu_yield() {
  tuner::device::cpu::running().yield();
}
