#pragma once
// Arithmetic and conversions of floating numbers with the rounding that their names end in: _rd down, _ru up,
// _rz towards zero; _rn is the processor's own, to nearest. The other ones set the processor's mode for one
// operation.
#include "mathematics.hpp"
#include "types.hpp"

#if defined(TUNER_CPU_STANDARD_HEADERS)
#include <fenv.h>
#else
extern "C" int fesetround(int) noexcept;
#endif

namespace tuner_cpu {

#if defined(__aarch64__)
inline constexpr int to_nearest = 0, round_up = 0x400000, round_down = 0x800000, to_zero = 0xc00000;
#else
inline constexpr int to_nearest = 0, round_up = 0x800, round_down = 0x400, to_zero = 0xc00;
#endif

/// Unknown to the compiler, and read from memory where this stands.
template <class Value>
inline Value unfolded(Value value) {
  const volatile Value kept = value;
  return kept;
}

/// The result of an operation in a rounding mode; it happens between the two changes of the mode.
template <class Result, class Operation, class... Operands>
inline Result rounded(int mode, Operation operation, Operands... operands) {
  fesetround(mode);
  const Result result = unfolded(operation(unfolded(operands)...));
  fesetround(to_nearest);
  return result;
}

}  // namespace tuner_cpu

#define TUNER_CPU_DIRECTIONS(macro, ...)                                                      \
  macro(_rd, tuner_cpu::round_down, __VA_ARGS__) macro(_ru, tuner_cpu::round_up, __VA_ARGS__) \
      macro(_rz, tuner_cpu::to_zero, __VA_ARGS__)

#define TUNER_CPU_DIRECTED_1(ending, mode, type, name, result) \
  inline type name##ending(type a) {                           \
    return tuner_cpu::rounded<type>(                           \
        mode, [](type x) { return result; }, a);               \
  }
#define TUNER_CPU_DIRECTED_2(ending, mode, type, name, result) \
  inline type name##ending(type a, type b) {                   \
    return tuner_cpu::rounded<type>(                           \
        mode, [](type x, type y) { return result; }, a, b);    \
  }
#define TUNER_CPU_DIRECTED_3(ending, mode, type, name, result)         \
  inline type name##ending(type a, type b, type c) {                   \
    return tuner_cpu::rounded<type>(                                   \
        mode, [](type x, type y, type z) { return result; }, a, b, c); \
  }
#define TUNER_CPU_CONVERTED(ending, mode, from, name, to)    \
  inline to name##ending(from a) {                           \
    return tuner_cpu::rounded<to>(                           \
        mode, [](from x) { return static_cast<to>(x); }, a); \
  }
#define TUNER_CPU_NEAREST_1(type, name, result) \
  inline type name##_rn(type x) {               \
    return result;                              \
  }
#define TUNER_CPU_NEAREST_2(type, name, result) \
  inline type name##_rn(type x, type y) {       \
    return result;                              \
  }
#define TUNER_CPU_NEAREST_3(type, name, result)   \
  inline type name##_rn(type x, type y, type z) { \
    return result;                                \
  }
#define TUNER_CPU_ROUNDED(operands, type, name, result) \
  TUNER_CPU_NEAREST_##operands(type, name, result)      \
      TUNER_CPU_DIRECTIONS(TUNER_CPU_DIRECTED_##operands, type, name, result)
#define TUNER_CPU_ROUNDED_CONVERSION(from, name, to) \
  inline to name##_rn(from x) {                      \
    return static_cast<to>(x);                       \
  }                                                  \
  TUNER_CPU_DIRECTIONS(TUNER_CPU_CONVERTED, from, name, to)

TUNER_CPU_ROUNDED(2, float, __fadd, x + y)
TUNER_CPU_ROUNDED(2, float, __fsub, x - y)
TUNER_CPU_ROUNDED(2, float, __fmul, x* y)
TUNER_CPU_ROUNDED(2, float, __fdiv, x / y)
TUNER_CPU_ROUNDED(1, float, __frcp, 1 / x)
TUNER_CPU_ROUNDED(1, float, __fsqrt, sqrtf(x))
TUNER_CPU_ROUNDED(3, float, __fmaf, fmaf(x, y, z))
TUNER_CPU_ROUNDED(3, float, __fmaf_ieee, fmaf(x, y, z))
TUNER_CPU_ROUNDED(2, double, __dadd, x + y)
TUNER_CPU_ROUNDED(2, double, __dsub, x - y)
TUNER_CPU_ROUNDED(2, double, __dmul, x* y)
TUNER_CPU_ROUNDED(2, double, __ddiv, x / y)
TUNER_CPU_ROUNDED(1, double, __drcp, 1 / x)
TUNER_CPU_ROUNDED(1, double, __dsqrt, sqrt(x))
TUNER_CPU_ROUNDED(3, double, __fma, fma(x, y, z))
TUNER_CPU_ROUNDED_CONVERSION(int, __int2float, float)
TUNER_CPU_ROUNDED_CONVERSION(unsigned, __uint2float, float)
TUNER_CPU_ROUNDED_CONVERSION(long long, __ll2float, float)
TUNER_CPU_ROUNDED_CONVERSION(unsigned long long, __ull2float, float)
TUNER_CPU_ROUNDED_CONVERSION(int, __int2double, double)
TUNER_CPU_ROUNDED_CONVERSION(unsigned, __uint2double, double)
TUNER_CPU_ROUNDED_CONVERSION(long long, __ll2double, double)
TUNER_CPU_ROUNDED_CONVERSION(unsigned long long, __ull2double, double)
TUNER_CPU_ROUNDED_CONVERSION(double, __double2float, float)
#undef TUNER_CPU_DIRECTIONS
#undef TUNER_CPU_DIRECTED_1
#undef TUNER_CPU_DIRECTED_2
#undef TUNER_CPU_DIRECTED_3
#undef TUNER_CPU_CONVERTED
#undef TUNER_CPU_NEAREST_1
#undef TUNER_CPU_NEAREST_2
#undef TUNER_CPU_NEAREST_3
#undef TUNER_CPU_ROUNDED
#undef TUNER_CPU_ROUNDED_CONVERSION
inline float __frsqrt_rn(float a) {
  return static_cast<float>(1.0 / sqrt(static_cast<double>(a)));
}

#define TUNER_CPU_OF_PAIRS(ending)                                         \
  inline float2 __fadd2##ending(float2 a, float2 b) {                      \
    return {__fadd##ending(a.x, b.x), __fadd##ending(a.y, b.y)};           \
  }                                                                        \
  inline float2 __fmul2##ending(float2 a, float2 b) {                      \
    return {__fmul##ending(a.x, b.x), __fmul##ending(a.y, b.y)};           \
  }                                                                        \
  inline float2 __ffma2##ending(float2 a, float2 b, float2 c) {            \
    return {__fmaf##ending(a.x, b.x, c.x), __fmaf##ending(a.y, b.y, c.y)}; \
  }
TUNER_CPU_OF_PAIRS(_rn)
TUNER_CPU_OF_PAIRS(_rd)
TUNER_CPU_OF_PAIRS(_ru)
TUNER_CPU_OF_PAIRS(_rz)
#undef TUNER_CPU_OF_PAIRS
