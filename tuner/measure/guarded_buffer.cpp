#include "tuner/measure/guarded_buffer.hpp"

namespace tuner::measure {
namespace {

/// Neither 0 nor 1, which adding and multiplying would leave as they are; all finite, in any type.
constexpr model::Init numbers{model::Init::Kind::uniform, 2, 100};
constexpr std::uint64_t front_seed = 0x66726f6e74;
constexpr std::uint64_t back_seed = 0x6261636b;

}  // namespace

GuardedBuffer::GuardedBuffer(device::Device& device, model::ElementType type, std::int64_t elements,
                             Fence fence, model::Memory memory)
    : m_bytes(elements * model::size_bytes(type)),
      m_memory(memory == model::Memory::device ? device.allocate(m_bytes + 2 * fence_bytes)
                                               : device.allocate_in(memory, m_bytes + 2 * fence_bytes)) {
  const model::ElementType number = model::component_type(type);
  const auto fill = [&](device::Address address, std::uint64_t seed) {
    const bool poison = fence == Fence::poison;
    // Both begin at a multiple of a number's size.
    device.fill(address, number, fence_bytes / model::size_bytes(number), poison ? model::Init{} : numbers,
                seed);
  };
  fill(m_memory->address(), front_seed);
  fill(back_fence(), back_seed);
  m_front_checksum = device.checksum(m_memory->address(), fence_bytes);
  m_back_checksum = device.checksum(back_fence(), fence_bytes);
}

GuardedBuffer::Damage GuardedBuffer::damage(device::Device& device) const {
  if (device.checksum(back_fence(), fence_bytes) != m_back_checksum) return Damage::past_end;
  if (device.checksum(m_memory->address(), fence_bytes) != m_front_checksum) return Damage::before_start;
  return Damage::none;
}

}  // namespace tuner::measure
