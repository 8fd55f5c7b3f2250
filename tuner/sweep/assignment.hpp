#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/sweep/candidate_queue.hpp"
#include "tuner/sweep/device_slots.hpp"

namespace tuner::sweep {

/// Which device works at which problem. Inputs and reference of a large problem take as long as dozens of
/// trials, so a problem stays where they are: each device has problems of its own, and shares another's once
/// no problem is left without a device.
class Assignment {
 public:
  /// As things stand now.
  Assignment(const CandidateQueue& queue, const DeviceSlots& slots);

  /// How little a trial of `group` suits the device; nothing: it is left to another.
  std::optional<std::size_t> reluctance(const DeviceSlot& slot, std::size_t group) const;
  /// Whether some device has no problem that proposes trials, and will get none of those begun.
  bool lacks_problems() const { return m_lacking > m_new; }

 private:
  bool has_own(const DeviceSlot& slot) const;
  bool may_share(const DeviceSlot& slot) const;

  const DeviceSlots& m_slots;
  std::vector<std::size_t> m_proposing;  ///< groups
  bool m_has_another = false;
  std::size_t m_lacking = 0;  ///< devices without such a group of their own
  std::size_t m_new = 0;      ///< such groups that no device has
};

}  // namespace tuner::sweep
