#include <utility>

#include "tuner/device/cpu/block_runner.hpp"

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
  if (m_arrived == 0) m_barrier_site = site;
  m_one_site = m_one_site && same_site(site, m_barrier_site);
  m_predicates += predicate ? 1 : 0;
  if (++m_arrived < m_block.threads) {
    wait(Waiting::barrier, site);
  } else {
    finish_barrier(site);
  }
  return m_barrier_result;
}

unsigned long long BlockRunner::warp_operation(const tuner_cpu::WarpRequest& request) {
  const unsigned rank = tuner_cpu_current->rank;
  const unsigned warp = rank / warp_size;
  const WarpRendezvous::Arrival arrival = m_warps[warp].arrive(rank % warp_size, request);
  if (arrival.misuse != nullptr) fail_warp(arrival.misuse, request);
  if (arrival.complete == 0) {
    wait(Waiting::warp, request.site);
  } else {
    const unsigned others = arrival.complete & ~(1U << (rank % warp_size));
    m_ready[warp / 2] |= static_cast<std::uint64_t>(others) << (warp % 2 * 32);
    if (m_races != nullptr) m_races->warp_operation(warp, arrival.complete);
  }
  return m_warps[warp].result(rank % warp_size);
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
