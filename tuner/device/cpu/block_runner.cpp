#include "tuner/device/cpu/block_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tuner/device/cpu/runtime/abi.hpp"
#include "tuner/device/cpu/shared_object.hpp"

namespace tuner::device::cpu {

using boost::context::fiber;
using tuner_cpu::Site;

namespace {

constexpr std::size_t shared_alignment = 256;
// NaN in floating types, -1 in integers: shared memory is not zero on a GPU either.
constexpr int poison = 0xff;

std::unique_ptr<std::byte, void (*)(void*)> allocate_shared(std::int64_t bytes) {
  void* memory = nullptr;
  // Exactly as many bytes as asked for, so that AddressSanitizer's redzone begins where the array ends.
  if (posix_memalign(&memory, shared_alignment, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))) !=
      0) {
    throw std::bad_alloc();
  }
  return {static_cast<std::byte*>(memory), &std::free};
}

std::string text(const tuner_cpu::Index3& index) {
  return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

}  // namespace

BlockRunner::BlockRunner(std::int64_t stack_bytes)
    : m_stack_bytes(stack_bytes), m_dynamic_shared(allocate_shared(0)) {}

BlockRunner::~BlockRunner() = default;

void BlockRunner::begin(const Launch& launch) {
  m_launch = &launch;
  if (launch.dynamic_shared_bytes != m_dynamic_shared_bytes) {
    m_dynamic_shared = allocate_shared(launch.dynamic_shared_bytes);
    m_dynamic_shared_bytes = launch.dynamic_shared_bytes;
  }
  m_block = {{},   launch.block,   launch.grid, launch.threads(),  m_dynamic_shared.get(),
             this, launch.cluster, 0,           launch.cooperative};
  m_threads.resize(m_block.threads);
  m_states.assign(m_block.threads, {});
  m_warps.resize((m_block.threads + warp_size - 1) / warp_size);
  unsigned rank = 0;
  for (unsigned z = 0; z < launch.block.z; ++z) {
    for (unsigned y = 0; y < launch.block.y; ++y) {
      for (unsigned x = 0; x < launch.block.x; ++x, ++rank) m_threads[rank] = {{x, y, z}, rank, &m_block};
    }
  }
  if (!launch.module->properties().reports_accesses) {
    m_races.reset();
  } else if (m_races == nullptr) {
    m_races = std::make_unique<RaceDetector>();
  }
  if (m_races == nullptr) return;
  m_races->begin_launch();
  const std::span<std::byte> shared = launch.module->static_shared();
  m_races->keep_private(shared.data(), shared.size());
  m_races->keep_private(m_dynamic_shared.get(), static_cast<std::size_t>(m_dynamic_shared_bytes));
  for (const Fibre& fibre : m_fibres) m_races->keep_private(fibre.stack_bottom, fibre.stack_bytes);
}

void BlockRunner::begin_block(const tuner_cpu::Index3& index) {
  m_block.index = index;
  m_next = 0;
  m_finished = 0;
  m_arrived = 0;
  m_predicates = 0;
  m_one_site = true;
  m_warps_meet = false;
  m_ready.fill(0);
  m_failure.clear();
  for (std::size_t warp = 0; warp < m_warps.size(); ++warp) {
    const unsigned lanes = std::min(m_block.threads - static_cast<unsigned>(warp) * warp_size, warp_size);
    m_warps[warp].reset(lanes == warp_size ? ~0U : (1U << lanes) - 1U);
  }
  const std::span<std::byte> shared = m_launch->module->static_shared();
  if (!shared.empty()) std::memset(shared.data(), poison, shared.size());
  std::memset(m_dynamic_shared.get(), poison, static_cast<std::size_t>(m_dynamic_shared_bytes));
  if (m_races != nullptr) m_races->begin_block(index, m_block.threads);
}

std::optional<std::string> BlockRunner::run(const tuner_cpu::Index3& index) {
  begin_block(index);
  if (enter_groups()) {
    hand_over();
    if (m_failure.empty() && m_finished < m_block.threads) m_failure = why_stuck();
  }
  leave_groups();
  tuner_cpu_current = nullptr;
  if (m_failure.empty()) return std::nullopt;
  // Threads are left in the middle of the kernel: their fibres unwind while its code is still loaded. Not
  // under AddressSanitizer, where that ends the process: it is a short-lived one.
  m_idle.clear();
  if (__sanitizer_start_switch_fiber != nullptr) new std::deque<Fibre>(std::exchange(m_fibres, {}));
  m_fibres.clear();
  return fmt::format("{} (block {})", m_failure, text(index));
}

void BlockRunner::join(BlockGroup* grid, BlockGroup* cluster, unsigned cluster_rank) {
  m_grid_group = grid;
  m_cluster_group = cluster;
  m_block.cluster_rank = cluster_rank;
}

/// False where another block of the cluster never began.
bool BlockRunner::enter_groups() {
  if (m_cluster_group == nullptr) return true;
  const auto bytes = static_cast<std::size_t>(m_dynamic_shared_bytes);
  m_cluster_group->place(m_block.cluster_rank,
                         {m_launch->module->static_shared(), {m_dynamic_shared.get(), bytes}});
  if (m_cluster_group->wait()) return true;
  m_failure = "another block of the cluster could not begin";
  return false;
}

void BlockRunner::leave_groups() {
  for (BlockGroup* group : {m_grid_group, m_cluster_group}) {
    if (group != nullptr) group->leave();
  }
}

void BlockRunner::grid_barrier(const Site& site) {
  if (m_grid_group == nullptr) {
    fail(fmt::format("a barrier of the grid in a launch that is not cooperative: {}:{}", site.file,
                     site.line));
  }
  meet(site, m_grid_group, false);
}

void BlockRunner::cluster_barrier(const Site& site) {
  meet(site, m_cluster_group, false);  // null: a cluster of one
}

void* BlockRunner::map_shared(const void* address, unsigned rank) {
  void* mapped = m_cluster_group == nullptr && rank == 0 ? const_cast<void*>(address)
                 : m_cluster_group != nullptr ? m_cluster_group->map(address, m_block.cluster_rank, rank)
                                              : nullptr;
  if (mapped == nullptr) {
    fail(fmt::format("map_shared_rank of an address that is not in shared memory, or of rank {} of {} blocks",
                     rank, m_cluster_group == nullptr ? 1 : m_cluster_group->blocks()));
  }
  return mapped;
}

BlockRunner::Fibre& BlockRunner::idle_fibre() {
  if (m_idle.empty()) return new_fibre();
  Fibre& fibre = *m_idle.back();
  m_idle.pop_back();
  return fibre;
}

BlockRunner::Fibre& BlockRunner::new_fibre() {
  namespace context = boost::context;
  context::protected_fixedsize_stack allocator(static_cast<std::size_t>(m_stack_bytes));
  context::stack_context stack = allocator.allocate();
  // Stacks are whole pages, so equal frames of all threads would compete for the same few cache sets: start
  // each a few cache lines from the last.
  const std::size_t shift = m_fibres.size() % 16 * 256;
  const context::preallocated memory(static_cast<char*>(stack.sp) - shift, stack.size - shift, stack);
  Fibre& fibre = m_fibres.emplace_back();
  fibre.stack_bottom = static_cast<const std::byte*>(stack.sp) - stack.size;
  fibre.stack_bytes = stack.size;
  if (m_races != nullptr) m_races->keep_private(fibre.stack_bottom, fibre.stack_bytes);
  if (__asan_unpoison_memory_region !=
      nullptr) {  // frames abandoned here before, at a fault, left their marks
    __asan_unpoison_memory_region(fibre.stack_bottom, fibre.stack_bytes);
  }
  fibre.context = fiber(std::allocator_arg, memory, allocator, [this](fiber&& previous) {
    arrived_from_switch(std::move(previous));
    fibre_main();
    return fiber();
  });
  return fibre;
}

void BlockRunner::fibre_main() {
  for (;;) {  // ends when the fibre is destroyed, which unwinds it from switch_to
    while (m_next < m_block.threads) run_thread(m_next++);
    m_idle.push_back(m_running);
    hand_over();
  }
}

void BlockRunner::run_thread(unsigned rank) {
  m_states[rank] = {Waiting::nothing, m_running, {}};
  tuner_cpu_current = &m_threads[rank];
  m_launch->kernel->invoke(m_launch->arguments);
  m_states[rank].waiting = Waiting::over;
  ++m_finished;
  if (m_warps_meet || m_arrived > 0) leave(rank);
}

/// A thread has returned: who waited for it alone goes on.
void BlockRunner::leave(unsigned rank) {
  if (m_warps_meet) {
    const unsigned warp = rank / warp_size;
    m_warps[warp].leave(rank % warp_size, [&](unsigned lanes) {
      let_go_on(warp, lanes);
      if (m_races != nullptr) m_races->warp_operation(warp, lanes);
    });
  }
  if (m_arrived > 0 && all_arrived()) finish_barrier();
}

/// Most kernels have no warp operation, and their threads should not pay for what these need to know.
void BlockRunner::begin_warp_operations() {
  m_warps_meet = true;
  for (unsigned rank = 0; rank < m_next; ++rank)
    if (m_states[rank].waiting == Waiting::over)
      m_warps[rank / warp_size].leave(rank % warp_size, [](unsigned) {});
}

/// At the barrier. One of a grid waits for returned threads too: on a GPU a block's first thread leads.
bool BlockRunner::all_arrived() const {
  const bool counts_returned = m_met_group == nullptr || m_met_group != m_grid_group;
  return m_arrived + (counts_returned ? m_finished : 0) == m_block.threads;
}

/// None of the block goes on before the other blocks of the group are there.
void BlockRunner::finish_barrier() {
  if (!m_one_site) {
    ThreadState& last = m_states[tuner_cpu_current->rank];
    if (last.waiting == Waiting::nothing) last.waiting = Waiting::barrier;
    fail(fmt::format("not all threads of a block reached the same __syncthreads: {}",
                     where("wait", Waiting::barrier)));
  }
  if (m_met_group != nullptr && !m_met_group->wait()) {
    fail(fmt::format("not all blocks of a {} reached its barrier: {}:{} waits for blocks that have ended",
                     m_met_group == m_grid_group ? "cooperative grid" : "cluster", m_barrier_site.file,
                     m_barrier_site.line));
  }
  m_barrier_result = std::exchange(m_predicates, 0);
  m_arrived = 0;
  if (m_finished == 0) {
    // All but the running thread, which arrived last.
    for (unsigned first = 0; first < m_block.threads; first += 64) {
      const unsigned count = std::min(m_block.threads - first, 64U);
      m_ready[first / 64] = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    }
    const unsigned last = tuner_cpu_current->rank;
    m_ready[last / 64] &= ~(std::uint64_t{1} << (last % 64));
  } else {
    for (unsigned rank = 0; rank < m_block.threads; ++rank) {
      const std::uint64_t waits = m_states[rank].waiting == Waiting::barrier ? 1 : 0;
      m_ready[rank / 64] |= waits << (rank % 64);
    }
  }
  if (m_races != nullptr) m_races->barrier();
}

void BlockRunner::report_access(const void* address, unsigned bytes, tuner_cpu::Access access,
                                const void* code) {
  const auto* at = static_cast<const std::byte*>(address);
  const bool own_stack =
      at >= m_running->stack_bottom && at < m_running->stack_bottom + m_running->stack_bytes;
  if (m_races == nullptr || own_stack) return;
  m_races->access(tuner_cpu_current->rank, address, bytes, access, code);
}

std::vector<RawRace> BlockRunner::take_races() {
  return m_races != nullptr ? m_races->take_races() : std::vector<RawRace>{};
}

/// Gives the block up; run() takes over and the calling fibre never continues.
void BlockRunner::fail(const std::string& message) {
  m_failure = message;
  switch_to(m_main);
  std::abort();  // a failed block's fibres are only unwound
}

void BlockRunner::fail_warp(const char* misuse, const tuner_cpu::WarpRequest& request) {
  fail(fmt::format("{}: {}:{}, thread {}", misuse, request.site.file, request.site.line,
                   text(tuner_cpu_current->index)));
}

std::string BlockRunner::why_stuck() const {
  const bool at_barrier = std::any_of(m_states.begin(), m_states.end(), [](const ThreadState& state) {
    return state.waiting == Waiting::barrier;
  });
  std::string message = at_barrier ? "not all threads of a block reached __syncthreads: "
                                   : "not all threads named in the mask reached a warp operation: ";
  message += where("wait", Waiting::barrier);
  const std::string warps = where("wait in a warp operation", Waiting::warp);
  if (!warps.empty()) message += (at_barrier ? ", " : "") + warps;
  if (m_finished > 0) message += ", " + where("returned", Waiting::over);
  return message;
}

/// `31 wait at k.cu:12 (first: thread (0, 0, 0)), 1 wait at k.cu:20 (first: …)` for each place.
std::string BlockRunner::where(const char* what, Waiting reason) const {
  std::string list;
  std::vector<bool> told(m_states.size(), false);
  for (std::size_t rank = 0; rank < m_states.size(); ++rank) {
    if (m_states[rank].waiting != reason || told[rank]) continue;
    std::size_t count = 0;
    for (std::size_t other = rank; other < m_states.size(); ++other) {
      const bool alike = m_states[other].waiting == reason &&
                         (reason == Waiting::over || same_site(m_states[other].site, m_states[rank].site));
      if (alike) told[other] = true;
      count += alike ? 1 : 0;
    }
    if (!list.empty()) list += ", ";
    list += fmt::format("{} of {} threads {}", count, m_states.size(), what);
    if (reason != Waiting::over)
      list += fmt::format(" at {}:{}", m_states[rank].site.file, m_states[rank].site.line);
    list += fmt::format(" (first: {})", text(m_threads[rank].index));
  }
  return list;
}

}  // namespace tuner::device::cpu

// What kernels call besides waiting (block_group.cpp): see runtime/abi.hpp. The linker exports these
// names from every program that links this library.

using tuner::device::cpu::running;

__thread tuner_cpu::Thread* tuner_cpu_current = nullptr;

void tuner_cpu_assertion_failed(const char* condition, const char* file, int line) {
  const tuner_cpu::Index3& block = tuner_cpu_current->block->index;
  const tuner_cpu::Index3& thread = tuner_cpu_current->index;
  std::fprintf(stderr, "%s:%d: block (%u, %u, %u), thread (%u, %u, %u): assertion `%s` failed\n", file, line,
               block.x, block.y, block.z, thread.x, thread.y, thread.z, condition);
  std::abort();
}

void tuner_cpu_grid_barrier(const char* file, int line) {
  running().grid_barrier({file, line});
}

void tuner_cpu_cluster_barrier(const char* file, int line) {
  running().cluster_barrier({file, line});
}

void* tuner_cpu_map_shared(const void* address, unsigned rank) {
  return running().map_shared(address, rank);
}

double tuner_cpu_clock_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void tuner_cpu_access(const void* address, unsigned bytes, tuner_cpu::Access access, const void* code) {
  // While a module is being loaded its initialisers run, on no CUDA thread.
  if (tuner_cpu_current != nullptr) running().report_access(address, bytes, access, code);
}
