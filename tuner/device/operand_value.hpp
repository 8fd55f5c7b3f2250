#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tuner/device/device.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::device {

/// What an operand is passed as, in the low bytes of a word (little endian, two's complement): an address of
/// `bindings`, or a number of its type.
inline std::uint64_t operand_value(const model::Operand& operand, const Bindings& bindings) {
  const auto index = static_cast<std::size_t>(operand.buffer);
  switch (operand.kind) {
    case model::Operand::Kind::buffer:
      return bindings.buffers.at(index);
    case model::Operand::Kind::expected:
      return bindings.expected.at(index);
    case model::Operand::Kind::magnitude:
      return bindings.magnitude.at(index);
    case model::Operand::Kind::scalar:
      break;
  }
  if (operand.type == model::ElementType::float32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(operand.real));
  if (operand.type == model::ElementType::float64) return std::bit_cast<std::uint64_t>(operand.real);
  return static_cast<std::uint64_t>(operand.integer);
}

/// Of the parameter that takes it.
inline std::size_t operand_bytes(const model::Operand& operand) {
  if (operand.kind != model::Operand::Kind::scalar) return sizeof(Address);
  return static_cast<std::size_t>(model::size_bytes(operand.type));
}

}  // namespace tuner::device
