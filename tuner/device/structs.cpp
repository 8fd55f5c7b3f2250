#include "tuner/device/structs.hpp"

#include <algorithm>
#include <cstddef>

namespace tuner::device {
namespace {

constexpr auto poison_byte = std::byte{0xFF};

/// Calls `copy(structs, field, bytes)` with where each field of each struct is in both images.
template <typename Copy>
void for_each_field(const model::BufferPlan& buffer, std::vector<std::byte>& structs,
                    const model::FieldPlan& field, std::vector<std::byte>& values, const Copy& copy) {
  const std::int64_t count = buffer.elements / buffer.struct_bytes;
  if (count == 0) return;
  const std::int64_t bytes = static_cast<std::int64_t>(values.size()) / count;
  for (std::int64_t i = 0; i < count; ++i)
    copy(structs.data() + i * buffer.struct_bytes + field.offset_bytes, values.data() + i * bytes, bytes);
}

std::vector<std::byte> image_of(const model::BufferPlan& buffer) {
  return std::vector<std::byte>(static_cast<std::size_t>(buffer.bytes()), poison_byte);
}

}  // namespace

void assemble_structs(Device& device, const model::Plan& plan, std::size_t index, const Bindings& bindings) {
  const model::BufferPlan& buffer = plan.buffers.at(index);
  std::vector<std::byte> structs = image_of(buffer);
  for (const model::FieldPlan& field : buffer.fields) {
    const auto of_field = static_cast<std::size_t>(field.buffer);
    std::vector<std::byte> values = image_of(plan.buffers.at(of_field));
    device.read(bindings.buffers.at(of_field), values);
    for_each_field(buffer, structs, field, values,
                   [](std::byte* to, const std::byte* from, std::int64_t n) { std::copy_n(from, n, to); });
  }
  device.write(bindings.buffers.at(index), structs);
}

void disassemble_structs(Device& device, const model::Plan& plan, std::size_t index,
                         const Bindings& bindings) {
  const model::BufferPlan& buffer = plan.buffers.at(index);
  std::vector<std::byte> structs = image_of(buffer);
  device.read(bindings.buffers.at(index), structs);
  for (const model::FieldPlan& field : buffer.fields) {
    const auto of_field = static_cast<std::size_t>(field.buffer);
    std::vector<std::byte> values = image_of(plan.buffers.at(of_field));
    for_each_field(buffer, structs, field, values,
                   [](const std::byte* from, std::byte* to, std::int64_t n) { std::copy_n(from, n, to); });
    device.write(bindings.buffers.at(of_field), values);
  }
}

}  // namespace tuner::device
