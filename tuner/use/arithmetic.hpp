#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tuner/use/tuner.h"

/// The arithmetic of expressions on 64-bit integers and on doubles, as specs write them
/// (tuner/space/space.hpp) and as packs carry them: one stack machine for both, so that they cannot drift
/// apart.
namespace tuner::use {

/// The places of operators are part of the format of packs.
enum class Op : std::uint8_t {
  // What a value is made from, in packs; see also the end.
  integer,  ///< its 8 bytes follow
  real,     ///< its 8 bytes follow, in code on doubles
  load,     ///< a variable; in packs a byte follows that says which
  // Unary operators, on the top of the stack.
  negate,
  logical_not,
  absolute,
  is_pow2,
  log2,
  square_root,  ///< of integers rounded down
  truth,        ///< 0 or 1
  // Binary operators, on the two topmost. Those on bits are for integers alone.
  add,
  subtract,
  multiply,
  divide,
  remainder,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  minimum,
  maximum,
  ceil_div,
  round_up,
  // Control. In packs two bytes follow: the byte of this code to go on with, behind this instruction.
  jump,
  jump_if_zero,  ///< takes the condition off the stack
  and_jump,      ///< where the top is zero leaves 0 and jumps, else takes it off
  or_jump,       ///< where the top is not zero leaves 1 and jumps, else takes it off
  // What a value is made from before there is a pack.
  constant,
  load_derived,  ///< a variable that may have a fault instead of a value
  load_time,
};
inline constexpr Op last_op = Op::or_jump;  ///< of packs

constexpr bool is_unary(Op op) {
  return op >= Op::negate && op <= Op::truth;
}
constexpr bool is_jump(Op op) {
  return op >= Op::jump && op <= Op::or_jump;
}
/// Whether it puts a value on the stack.
constexpr bool makes_value(Op op) {
  return op <= Op::load || op > Op::or_jump;
}

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

/// `division by zero`, …: as people read it.
constexpr const char* describe(Fault fault) {
  constexpr const char* words[] = {"no fault",
                                   "division by zero",
                                   "overflow of 64-bit integers",
                                   "shift by less than 0 or more than 63",
                                   "log2 of a number that is not positive",
                                   "sqrt of a negative number",
                                   "ceil_div or round_up by a negative number",
                                   "result beyond the range of double"};
  return words[static_cast<std::uint8_t>(fault)];
}

__extension__ using Int128 = __int128;
template <typename Number>
inline constexpr bool is_whole = std::is_same_v<Number, std::int64_t>;
/// Holds what one operator makes of two numbers.
template <typename Number>
using Wide = std::conditional_t<is_whole<Number>, Int128, double>;

// `result` may only be used where the Fault is none.

inline Fault set(Int128 value, std::int64_t& result) {
  result = static_cast<std::int64_t>(value);
  return result == value ? Fault::none : Fault::overflow;
}
inline Fault set(double value, double& result) {
  result = value;
  return std::isfinite(value) ? Fault::none : Fault::not_finite;
}

inline std::int64_t root_of(std::int64_t a) {
  constexpr std::int64_t largest = 3037000499;  // of the largest 64-bit integer
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(a)));
  while (root > largest || root * root > a) --root;
  while (root < largest && (root + 1) * (root + 1) <= a) ++root;
  return root;
}
inline double root_of(double a) {
  return std::sqrt(a);
}

inline std::int64_t log2_of(std::int64_t a) {
  return 63 - __builtin_clzll(static_cast<unsigned long long>(a));
}
inline double log2_of(double a) {
  return std::log2(a);
}

inline bool is_power_of_2(std::int64_t a) {
  return a > 0 && (a & (a - 1)) == 0;
}
inline bool is_power_of_2(double a) {
  int exponent = 0;
  return a >= 1 && std::frexp(a, &exponent) == 0.5;
}

inline std::int64_t remainder_of(std::int64_t a, std::int64_t b) {
  return b == -1 ? 0 : a % b;  // the lowest % -1 traps on x86
}
inline double remainder_of(double a, double b) {
  return std::fmod(a, b);
}

inline std::int64_t ceiling_of(std::int64_t a, std::int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}
inline double ceiling_of(double a, double b) {
  return std::ceil(a / b);
}

template <typename Number>
Fault apply(Op op, Number a, Number& result) {
  using Result = Wide<Number>;
  switch (op) {
    case Op::negate:
      return set(-Result{a}, result);
    case Op::absolute:
      return set(a > 0 ? Result{a} : 0 - Result{a}, result);
    case Op::is_pow2:
      return set(is_power_of_2(a), result);
    case Op::log2:
      return a > 0 ? set(log2_of(a), result) : Fault::logarithm;
    case Op::square_root:
      return a >= 0 ? set(root_of(a), result) : Fault::square_root;
    case Op::logical_not:
      return set(a == 0, result);
    default:
      return set(a != 0, result);  // truth
  }
}

inline Fault apply_to_bits(Op op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (op == Op::bit_and) return set(a & b, result);
  if (op == Op::bit_or) return set(a | b, result);
  if (op == Op::bit_xor) return set(a ^ b, result);
  if (b < 0 || b > 63) return Fault::shift_count;
  return op == Op::shift_left ? set(a * (Int128{1} << b), result) : set(a >> b, result);
}

template <typename Number>
Fault apply(Op op, Number a, Number b, Number& result) {
  using Result = Wide<Number>;
  switch (op) {
    case Op::add:
      return set(Result{a} + b, result);
    case Op::subtract:
      return set(Result{a} - b, result);
    case Op::multiply:
      return set(Result{a} * b, result);
    case Op::divide:
      if (b == 0) return Fault::division_by_zero;
      return set(b == -1 ? -Result{a} : Result{a / b}, result);
    case Op::remainder:
      return b == 0 ? Fault::division_by_zero : set(remainder_of(a, b), result);
    case Op::equal:
      return set(a == b, result);
    case Op::not_equal:
      return set(a != b, result);
    case Op::less:
      return set(a < b, result);
    case Op::less_equal:
      return set(a <= b, result);
    case Op::greater:
      return set(a > b, result);
    case Op::greater_equal:
      return set(a >= b, result);
    case Op::minimum:
      return set(b < a ? b : a, result);
    case Op::maximum:
      return set(b > a ? b : a, result);
    case Op::ceil_div:
    case Op::round_up:
      if (b <= 0) return b == 0 ? Fault::division_by_zero : Fault::multiple;
      return set(ceiling_of(a, b) * (op == Op::round_up ? Result{b} : 1), result);
    default:
      break;
  }
  if constexpr (is_whole<Number>) return apply_to_bits(op, a, b, result);
  return Fault::none;  // code with operations on bits in double precision is refused
}

/// What code needs at a time; more is refused before it runs.
inline constexpr std::uint32_t stack_limit = 256;

/// Leaves one value. `Code` knows how instructions lie: is_over(), next() for an operation, make(op, value)
/// for what makes_value(), and for the target of a jump take() or pass().
template <typename Number, typename Code>
Fault run(Code& code, Number& value) {
  // The first is below all values. Not cleared: a constraint takes tens of nanoseconds.
  Number stack[1 + stack_limit];
  Number* top = stack;
  while (!code.is_over()) {
    const Op op = code.next();
    switch (op) {
      case Op::jump:
        code.take();
        break;
      case Op::jump_if_zero:
        *top-- == 0 ? code.take() : code.pass();
        break;
      case Op::and_jump:
      case Op::or_jump:
        if ((*top == 0) == (op == Op::and_jump)) {
          if (op == Op::or_jump) *top = 1;
          code.take();
        } else {
          --top;
          code.pass();
        }
        break;
      default: {
        Fault fault = Fault::none;
        if (makes_value(op))
          fault = code.make(op, *++top);
        else if (is_unary(op))
          fault = apply(op, *top, *top);
        else
          --top, fault = apply(op, top[0], top[1], top[0]);
        if (fault != Fault::none) return fault;
      }
    }
  }
  value = *top;
  return Fault::none;
}

// Numbers of every type, as a kernel's parameter has them.

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
