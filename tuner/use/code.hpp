#pragma once
#include <cstdint>

#include "tuner/use/pack_format.hpp"

namespace tuner::use {

/// Why code has no value.
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

const char* describe(Fault fault);

/// What code reads. Only what the code may read has to be set.
struct Variables {
  std::int64_t values[variable_count];
  Fault faults[variable_count];  ///< of derived values
};

/// Which variables code may read.
struct Readable {
  std::uint32_t sizes = 0;
  std::uint32_t derived = 0;
};

/// Whether it can be evaluated: whole instructions, jumps forward to instructions, known variables, never
/// more than `stack_limit` values, one left at the end.
bool is_sound(const std::uint8_t* code, std::uint32_t bytes, bool is_real, const Readable& readable);

/// Of sound code.
Fault evaluate(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables,
               std::int64_t& value);
Fault evaluate(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables, double& value);

}  // namespace tuner::use
