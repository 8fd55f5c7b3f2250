#include "tuner/sweep/assignment.hpp"

#include <algorithm>

namespace tuner::sweep {

Assignment::Assignment(const CandidateQueue& queue, const DeviceSlots& slots)
    : m_slots(slots), m_proposing(queue.proposing()), m_has_another(queue.has_another()) {
  for (const DeviceSlot& slot : slots)
    if (slot.is_there() && !has_own(slot)) ++m_lacking;
  for (const std::size_t group : m_proposing)
    if (!slots.has_inputs(group)) ++m_new;
}

bool Assignment::has_own(const DeviceSlot& slot) const {
  return std::ranges::any_of(m_proposing, [&](std::size_t group) { return slot.inputs.contains(group); });
}

bool Assignment::may_share(const DeviceSlot& slot) const {
  return !m_has_another && m_new == 0 && !has_own(slot);
}

std::optional<std::size_t> Assignment::reluctance(const DeviceSlot& slot, std::size_t group) const {
  if (slot.inputs.contains(group)) return 0;
  if (!m_slots.has_inputs(group)) {
    const bool others_need_it = m_lacking > 0 && has_own(slot);
    return others_need_it ? std::nullopt : std::optional<std::size_t>(1);
  }
  // Of several the one that fewest are at.
  return may_share(slot) ? std::optional(2 + m_slots.others_at(group, slot)) : std::nullopt;
}

}  // namespace tuner::sweep
