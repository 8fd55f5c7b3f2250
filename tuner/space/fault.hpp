#pragma once
#include <cstdint>
#include <string_view>

namespace tuner::space {

/// Why an expression has no value.
enum class Fault : std::uint8_t {
  none,
  division_by_zero,
  overflow,
  shift_count,
  logarithm,
  square_root,
  multiple,
  not_finite
};

/// `division by zero`, …: as it appears in a Rejection.
std::string_view describe(Fault fault);

}  // namespace tuner::space
