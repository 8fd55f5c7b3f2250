#pragma once
#include <cstdint>
#include <memory>

#include "tuner/device/device.hpp"

namespace tuner::measure {

/// What the fences of a buffer hold. Poison, a NaN, makes a read beyond the end tell in the result; it cannot
/// tell a kernel that adds to what it finds there, since a NaN plus anything may be the same NaN. Numbers
/// that differ from place to place can.
enum class Fence { poison, numbers };

/// Device memory between two fences, so that a write past either end is seen. It starts where allocations do
/// plus a multiple of 256 bytes; the back fence starts with the very next byte after the end.
class GuardedBuffer {
 public:
  /// A stray row or tile still lands in it.
  static constexpr std::int64_t fence_bytes = std::int64_t{64} << 10U;

  enum class Damage { none, before_start, past_end };

  /// Throws device::DeviceFault.
  GuardedBuffer(device::Device& device, model::ElementType type, std::int64_t elements, Fence fence,
                model::Memory memory = model::Memory::device);

  device::Address address() const { return m_memory->address() + fence_bytes; }
  std::int64_t bytes() const { return m_bytes; }
  Damage damage(device::Device& device) const;

 private:
  device::Address back_fence() const { return address() + static_cast<device::Address>(m_bytes); }

  std::int64_t m_bytes;
  std::unique_ptr<device::Buffer> m_memory;
  std::uint64_t m_front_checksum = 0;
  std::uint64_t m_back_checksum = 0;
};

}  // namespace tuner::measure
