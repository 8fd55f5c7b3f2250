#include "tuner/device/cpu/block_group.hpp"

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
