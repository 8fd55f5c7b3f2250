#include "tuner/measure/guarded_buffer.hpp"

namespace tuner::measure {

GuardedBuffer::GuardedBuffer(device::Device& device, std::int64_t bytes)
    : m_bytes(bytes), m_memory(device.allocate(bytes + 2 * fence_bytes)) {
  // Byte by byte: the back fence has any alignment.
  for (const device::Address fence : {m_memory->address(), back_fence()}) {
    device.fill(fence, model::ElementType::uint8, fence_bytes, model::Init{}, 0);
  }
  m_front_checksum = device.checksum(m_memory->address(), fence_bytes);
  m_back_checksum = device.checksum(back_fence(), fence_bytes);
}

GuardedBuffer::Damage GuardedBuffer::damage(device::Device& device) const {
  if (device.checksum(back_fence(), fence_bytes) != m_back_checksum) return Damage::past_end;
  if (device.checksum(m_memory->address(), fence_bytes) != m_front_checksum) return Damage::before_start;
  return Damage::none;
}

}  // namespace tuner::measure
