#pragma once
// Integers of 16 or 8 bits in the two or four lanes of a word (__vadd4 and its like), and the instructions
// for dynamic programming (__vimax3_s32 and its like).
#include "mathematics.hpp"

namespace tuner_cpu {

/// A word as lanes of `Bits` bits.
template <int Bits, bool IsSigned>
struct Lanes {
  static constexpr unsigned mask = (1U << Bits) - 1U;
  static constexpr int least = IsSigned ? -(1 << (Bits - 1)) : 0;
  static constexpr int greatest = static_cast<int>(IsSigned ? mask >> 1 : mask);

  static int at(unsigned word, int shift) {
    const int bits = static_cast<int>(word >> shift & mask);
    return bits > greatest ? bits - (1 << Bits) : bits;
  }
  static int saturated(int x) { return x < least ? least : x > greatest ? greatest : x; }

  template <class Operation>
  static unsigned each(unsigned a, unsigned b, Operation operation) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += Bits)
      result |= (static_cast<unsigned>(operation(at(a, shift), at(b, shift))) & mask) << shift;
    return result;
  }
  template <class Operation>
  static unsigned total(unsigned a, unsigned b, Operation operation) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += Bits)
      result += static_cast<unsigned>(operation(at(a, shift), at(b, shift)));
    return result;
  }
};

}  // namespace tuner_cpu

#define TUNER_CPU_LANES_1(name, is_signed, bits, result)                              \
  inline unsigned name(unsigned a) {                                                  \
    using L = tuner_cpu::Lanes<bits, is_signed>;                                      \
    return L::each(a, a, [](int x, int) -> int { return static_cast<int>(result); }); \
  }
#define TUNER_CPU_LANES_2(name, is_signed, bits, result)                                \
  inline unsigned name(unsigned a, unsigned b) {                                        \
    using L = tuner_cpu::Lanes<bits, is_signed>;                                        \
    return L::each(a, b, [](int x, int y) -> int { return static_cast<int>(result); }); \
  }
#define TUNER_CPU_EACH_WIDTH(operands, name, is_signed, result) \
  TUNER_CPU_LANES_##operands(name##2, is_signed, 16, result)    \
      TUNER_CPU_LANES_##operands(name##4, is_signed, 8, result)
#define TUNER_CPU_SIGNED_TOO(name, result)       \
  TUNER_CPU_EACH_WIDTH(2, name##s, true, result) \
  TUNER_CPU_EACH_WIDTH(2, name##u, false, result)
// __vset… gives 1, __vcmp… all bits.
#define TUNER_CPU_COMPARED(name, is_signed, condition)                \
  TUNER_CPU_EACH_WIDTH(2, __vset##name, is_signed, condition ? 1 : 0) \
  TUNER_CPU_EACH_WIDTH(2, __vcmp##name, is_signed, condition ? -1 : 0)
#define TUNER_CPU_ORDERED(name, condition)     \
  TUNER_CPU_COMPARED(name##s, true, condition) \
  TUNER_CPU_COMPARED(name##u, false, condition)
#define TUNER_CPU_SUM_OF_DIFFERENCES(name, bits, is_signed)                                              \
  inline unsigned name(unsigned a, unsigned b) {                                                         \
    return tuner_cpu::Lanes<bits, is_signed>::total(a, b,                                                \
                                                    [](int x, int y) { return x < y ? y - x : x - y; }); \
  }

TUNER_CPU_EACH_WIDTH(1, __vabs, true, x < 0 ? -x : x)
TUNER_CPU_EACH_WIDTH(1, __vabsss, true, L::saturated(x < 0 ? -x : x))
TUNER_CPU_EACH_WIDTH(1, __vneg, true, -x)
TUNER_CPU_EACH_WIDTH(1, __vnegss, true, L::saturated(-x))
TUNER_CPU_EACH_WIDTH(2, __vadd, false, x + y)
TUNER_CPU_EACH_WIDTH(2, __vaddss, true, L::saturated(x + y))
TUNER_CPU_EACH_WIDTH(2, __vaddus, false, L::saturated(x + y))
TUNER_CPU_EACH_WIDTH(2, __vsub, false, x - y)
TUNER_CPU_EACH_WIDTH(2, __vsubss, true, L::saturated(x - y))
TUNER_CPU_EACH_WIDTH(2, __vsubus, false, L::saturated(x - y))
TUNER_CPU_EACH_WIDTH(2, __vhaddu, false, (x + y) >> 1)
// A half is rounded up from 0 on and away from it below (PTX ISA, vavrg2).
TUNER_CPU_SIGNED_TOO(__vavg, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)
TUNER_CPU_SIGNED_TOO(__vabsdiff, x < y ? y - x : x - y)
TUNER_CPU_SIGNED_TOO(__vmax, x < y ? y : x)
TUNER_CPU_SIGNED_TOO(__vmin, x < y ? x : y)
TUNER_CPU_COMPARED(eq, false, x == y)
TUNER_CPU_COMPARED(ne, false, x != y)
TUNER_CPU_ORDERED(lt, x < y)
TUNER_CPU_ORDERED(le, x <= y)
TUNER_CPU_ORDERED(gt, x > y)
TUNER_CPU_ORDERED(ge, x >= y)
TUNER_CPU_SUM_OF_DIFFERENCES(__vsads2, 16, true)
TUNER_CPU_SUM_OF_DIFFERENCES(__vsadu2, 16, false)
TUNER_CPU_SUM_OF_DIFFERENCES(__vsads4, 8, true)
TUNER_CPU_SUM_OF_DIFFERENCES(__vsadu4, 8, false)
#undef TUNER_CPU_LANES_1
#undef TUNER_CPU_LANES_2
#undef TUNER_CPU_EACH_WIDTH
#undef TUNER_CPU_SIGNED_TOO
#undef TUNER_CPU_COMPARED
#undef TUNER_CPU_ORDERED
#undef TUNER_CPU_SUM_OF_DIFFERENCES

/// For `way` max and min: of three, of a sum and another, and which of two it was.
#define TUNER_CPU_EXTREME(way, type, ending, of, sum)        \
  inline type __vi##way##3##ending(type a, type b, type c) { \
    return of(of(a, b), c);                                  \
  }                                                          \
  inline type __viadd##way##ending(type a, type b, type c) { \
    return of(static_cast<type>(sum), c);                    \
  }
#define TUNER_CPU_RELU(way, type, ending, of, not_negative)         \
  inline type __vi##way##ending##_relu(type a, type b) {            \
    return not_negative(of(a, b), type(0));                         \
  }                                                                 \
  inline type __vi##way##3##ending##_relu(type a, type b, type c) { \
    return not_negative(of(of(a, b), c), type(0));                  \
  }                                                                 \
  inline type __viadd##way##ending##_relu(type a, type b, type c) { \
    return not_negative(__viadd##way##ending(a, b, c), type(0));    \
  }
#define TUNER_CPU_WHICH(way, type, ending)                         \
  inline type __vib##way##ending(type a, type b, bool* is_first) { \
    *is_first = way(a, b) == a;                                    \
    return way(a, b);                                              \
  }
#define TUNER_CPU_WHICH_OF_PAIRS(way, ending, of)                                                       \
  inline unsigned __vib##way##ending(unsigned a, unsigned b, bool* high_is_first, bool* low_is_first) { \
    const unsigned result = of(a, b);                                                                   \
    *high_is_first = result >> 16 == a >> 16;                                                           \
    *low_is_first = (result & 0xffffU) == (a & 0xffffU);                                                \
    return result;                                                                                      \
  }
#define TUNER_CPU_DYNAMIC_PROGRAMMING(way)                                                    \
  TUNER_CPU_EXTREME(way, int, _s32, way, static_cast<unsigned>(a) + static_cast<unsigned>(b)) \
  TUNER_CPU_EXTREME(way, unsigned, _u32, way, a + b)                                          \
  TUNER_CPU_EXTREME(way, unsigned, _s16x2, __v##way##s2, __vadd2(a, b))                       \
  TUNER_CPU_EXTREME(way, unsigned, _u16x2, __v##way##u2, __vadd2(a, b))                       \
  TUNER_CPU_RELU(way, int, _s32, way, max)                                                    \
  TUNER_CPU_RELU(way, unsigned, _s16x2, __v##way##s2, __vmaxs2)                               \
  TUNER_CPU_WHICH(way, int, _s32)                                                             \
  TUNER_CPU_WHICH(way, unsigned, _u32)                                                        \
  TUNER_CPU_WHICH_OF_PAIRS(way, _s16x2, __v##way##s2)                                         \
  TUNER_CPU_WHICH_OF_PAIRS(way, _u16x2, __v##way##u2)
TUNER_CPU_DYNAMIC_PROGRAMMING(max)
TUNER_CPU_DYNAMIC_PROGRAMMING(min)
#undef TUNER_CPU_EXTREME
#undef TUNER_CPU_RELU
#undef TUNER_CPU_WHICH
#undef TUNER_CPU_WHICH_OF_PAIRS
#undef TUNER_CPU_DYNAMIC_PROGRAMMING
