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

/// The answer of sound code on doubles that works something out from sizes, one after the other, and holds it
/// against the last: as the questions of rules do. False where it is other code, or has no value: evaluate()
/// says. In half its time, which a pick by a rule mostly consists of.
bool ask_sizes(const std::uint8_t* code, std::uint32_t bytes, const std::int64_t* sizes, bool& holds);

/// Of sound code.
Fault evaluate(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables,
               std::int64_t& value);
Fault evaluate(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables, double& value);

}  // namespace tuner::use
