#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#include "tuner/use/tuner.h"

/// Numbers of every type, as a kernel's parameter has them.
namespace tuner::use {

/// Whether an integer type holds `value`.
constexpr bool holds(std::uint32_t type, std::int64_t value) {
  constexpr struct {
    std::int64_t least;
    std::int64_t most;
  } ranges[] = {
      {INT64_MIN, INT64_MAX}, {0, 1},          {INT8_MIN, INT8_MAX},   {0, UINT8_MAX},
      {INT16_MIN, INT16_MAX}, {0, UINT16_MAX}, {INT32_MIN, INT32_MAX}, {0, UINT32_MAX},
      {INT64_MIN, INT64_MAX}, {0, INT64_MAX},
  };  // by tuner_type
  return type > TUNER_UINT64 || (value >= ranges[type].least && value <= ranges[type].most);
}

/// Rounds to the nearest number of a binary format of 16 bits or fewer, ties to even.
inline std::uint64_t narrowed(double value, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (exponent_bits + mantissa_bits) : 0;
  if (std::isnan(value)) return sign | infinity | 1;
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);  // value is below 2^exponent
  const int least = 1 - bias;    // exponent of the smallest normal number
  const int unit = (exponent - 1 < least ? least : exponent - 1) - mantissa_bits;
  const double steps = std::nearbyint(std::ldexp(std::fabs(value), -unit));
  // A carry into the exponent comes out right by itself, as does the step from subnormal to normal.
  const auto mantissa = static_cast<std::uint64_t>(std::isfinite(steps) ? steps : 0);
  const std::uint64_t shifted = static_cast<std::uint64_t>(unit + mantissa_bits - least) << mantissa_bits;
  const std::uint64_t bits = std::isfinite(value) ? shifted + mantissa : infinity;
  return sign | (bits < infinity ? bits : infinity);
}

/// The bits of a number of floating type; false for types that the library cannot make.
inline bool real_bits(std::uint32_t type, double value, std::uint64_t& bits) {
  const auto narrow = static_cast<float>(value);
  bits = 0;
  switch (type) {
    case TUNER_FLOAT32:
      std::memcpy(&bits, &narrow, sizeof narrow);
      return true;
    case TUNER_FLOAT64:
      std::memcpy(&bits, &value, sizeof value);
      return true;
    case TUNER_FLOAT16:
      bits = narrowed(value, 5, 10);
      return true;
    case TUNER_BFLOAT16:
      bits = narrowed(value, 8, 7);
      return true;
    default:
      return false;
  }
}

}  // namespace tuner::use
