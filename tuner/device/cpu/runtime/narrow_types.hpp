#pragma once
// What the toolkit's headers of narrow floating types (__half, __nv_bfloat16) declare for the device alone,
// for any such type: functions are computed in double precision and rounded once. Templates, so that a
// function that a newer header has for hosts as well comes first.
#include "atomics.hpp"
#include "intrinsics.hpp"
#include "mathematics.hpp"
#include "rounding.hpp"

namespace tuner_cpu {

/// Specialised for each narrow type: its `Pair`, its value, and the nearest to a value.
template <class Type>
struct Narrow {};
/// Specialised for each pair of them.
template <class Type>
struct NarrowPair {};

template <class Type>
struct Same {  // of a parameter that is not to be deduced from
  using Of = Type;
};

template <class Element>
inline Element clamped(Element x) {
  const double wide = Narrow<Element>::wide(x);
  return Narrow<Element>::rounded(wide > 0 ? (wide < 1 ? wide : 1.0) : 0.0);
}
template <class Element>
inline Element not_negative(Element x) {
  return Narrow<Element>::wide(x) < 0 ? Narrow<Element>::rounded(0.0) : x;
}

}  // namespace tuner_cpu

#define TUNER_CPU_NARROW template <class T, class P = typename tuner_cpu::Narrow<T>::Pair>
#define TUNER_CPU_PAIR template <class P, class T = typename tuner_cpu::NarrowPair<P>::Element>

#define TUNER_CPU_NARROW_FUNCTION(name, change)         \
  TUNER_CPU_NARROW inline T h##name(T value) {          \
    const double x = tuner_cpu::Narrow<T>::wide(value); \
    return tuner_cpu::Narrow<T>::rounded(change);       \
  }                                                     \
  TUNER_CPU_PAIR inline P h2##name(P value) {           \
    return P(h##name(value.x), h##name(value.y));       \
  }
TUNER_CPU_NARROW_FUNCTION(trunc, trunc(x))
TUNER_CPU_NARROW_FUNCTION(ceil, ceil(x))
TUNER_CPU_NARROW_FUNCTION(floor, floor(x))
TUNER_CPU_NARROW_FUNCTION(rint, rint(x))
TUNER_CPU_NARROW_FUNCTION(sqrt, sqrt(x))
TUNER_CPU_NARROW_FUNCTION(rsqrt, 1.0 / sqrt(x))
TUNER_CPU_NARROW_FUNCTION(rcp, 1.0 / x)
TUNER_CPU_NARROW_FUNCTION(log, log(x))
TUNER_CPU_NARROW_FUNCTION(log2, log2(x))
TUNER_CPU_NARROW_FUNCTION(log10, log10(x))
TUNER_CPU_NARROW_FUNCTION(exp, exp(x))
TUNER_CPU_NARROW_FUNCTION(exp2, exp2(x))
TUNER_CPU_NARROW_FUNCTION(exp10, pow(10.0, x))
TUNER_CPU_NARROW_FUNCTION(sin, sin(x))
TUNER_CPU_NARROW_FUNCTION(cos, cos(x))
TUNER_CPU_NARROW_FUNCTION(tanh, tanh(x))
TUNER_CPU_NARROW_FUNCTION(tanh_approx, tanh(x))
#undef TUNER_CPU_NARROW_FUNCTION

// A product of two is exact in double precision; the sum is rounded there before it is rounded again.
TUNER_CPU_NARROW inline T __hfma(T a, typename tuner_cpu::Same<T>::Of b, typename tuner_cpu::Same<T>::Of c) {
  using N = tuner_cpu::Narrow<T>;
  return N::rounded(static_cast<double>(N::wide(a)) * N::wide(b) + N::wide(c));
}
TUNER_CPU_NARROW inline T __hfma_sat(T a, typename tuner_cpu::Same<T>::Of b,
                                     typename tuner_cpu::Same<T>::Of c) {
  return tuner_cpu::clamped(__hfma(a, b, c));
}
TUNER_CPU_NARROW inline T __hfma_relu(T a, typename tuner_cpu::Same<T>::Of b,
                                      typename tuner_cpu::Same<T>::Of c) {
  return tuner_cpu::not_negative(__hfma(a, b, c));
}
TUNER_CPU_PAIR inline P __hfma2(P a, typename tuner_cpu::Same<P>::Of b, typename tuner_cpu::Same<P>::Of c) {
  return P(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
TUNER_CPU_PAIR inline P __hfma2_sat(P a, typename tuner_cpu::Same<P>::Of b,
                                    typename tuner_cpu::Same<P>::Of c) {
  return P(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
TUNER_CPU_PAIR inline P __hfma2_relu(P a, typename tuner_cpu::Same<P>::Of b,
                                     typename tuner_cpu::Same<P>::Of c) {
  return P(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
TUNER_CPU_PAIR inline P __hcmadd(P a, typename tuner_cpu::Same<P>::Of b, typename tuner_cpu::Same<P>::Of c) {
  return P(__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

TUNER_CPU_NARROW TUNER_CPU_ATOMIC T atomicAdd(T* at, typename tuner_cpu::Same<T>::Of value) {
  TUNER_CPU_NOTE(at);
  return tuner_cpu::exchange_with<unsigned short>(at, [value](T old) -> T { return old + value; });
}
// The third parameter makes it another template than the one above.
template <class P, class T = typename tuner_cpu::NarrowPair<P>::Element, int = 2>
TUNER_CPU_ATOMIC P atomicAdd(P* at, typename tuner_cpu::Same<P>::Of value) {
  TUNER_CPU_NOTE(at);
  return tuner_cpu::exchange_with<unsigned>(at, [value](P old) -> P { return old + value; });
}

#undef TUNER_CPU_NARROW
#undef TUNER_CPU_PAIR

#define TUNER_CPU_NARROW_TO(type, from, name, integer)                                  \
  inline integer __##from##2##name##_rn(type x) {                                       \
    return tuner_cpu::clamp_to<integer, type>(rint(tuner_cpu::Narrow<type>::wide(x)));  \
  }                                                                                     \
  inline integer __##from##2##name##_rd(type x) {                                       \
    return tuner_cpu::clamp_to<integer, type>(floor(tuner_cpu::Narrow<type>::wide(x))); \
  }                                                                                     \
  inline integer __##from##2##name##_ru(type x) {                                       \
    return tuner_cpu::clamp_to<integer, type>(ceil(tuner_cpu::Narrow<type>::wide(x)));  \
  }
/// __half2int_rn and its like.
#define TUNER_CPU_NARROW_TO_INTEGERS(type, from)          \
  TUNER_CPU_NARROW_TO(type, from, int, int)               \
  TUNER_CPU_NARROW_TO(type, from, uint, unsigned)         \
  TUNER_CPU_NARROW_TO(type, from, short, short)           \
  TUNER_CPU_NARROW_TO(type, from, ushort, unsigned short) \
  TUNER_CPU_NARROW_TO(type, from, ll, long long)          \
  TUNER_CPU_NARROW_TO(type, from, ull, unsigned long long)

/// What there is of a type and its pair, by what the toolkit's header has for hosts as well.
#define TUNER_CPU_NARROW_TYPE(type, pair, name, to_float, from_double) \
  namespace tuner_cpu {                                                \
  template <>                                                          \
  struct Narrow<type> {                                                \
    using Pair = pair;                                                 \
    static float wide(type x) { return to_float(x); }                  \
    static type rounded(double x) { return from_double(x); }           \
  };                                                                   \
  template <>                                                          \
  struct NarrowPair<pair> {                                            \
    using Element = type;                                              \
  };                                                                   \
  }                                                                    \
  TUNER_CPU_NARROW_TO_INTEGERS(type, name)

// By way of float, rounded in the same direction.
#define TUNER_CPU_TO_BFLOAT16(name, integer, wide, ending)        \
  inline __nv_bfloat16 __##name##2bfloat16##ending(integer x) {   \
    return __float2bfloat16##ending(__##wide##2float##ending(x)); \
  }
#define TUNER_CPU_TO_BFLOAT16_DIRECTED(name, integer, wide) \
  TUNER_CPU_TO_BFLOAT16(name, integer, wide, _rd)           \
  TUNER_CPU_TO_BFLOAT16(name, integer, wide, _ru)           \
  TUNER_CPU_TO_BFLOAT16(name, integer, wide, _rz)
/// What the toolkit's header leaves to the device.
#define TUNER_CPU_INTEGERS_TO_BFLOAT16                         \
  TUNER_CPU_TO_BFLOAT16_DIRECTED(int, int, int)                \
  TUNER_CPU_TO_BFLOAT16_DIRECTED(uint, unsigned, uint)         \
  TUNER_CPU_TO_BFLOAT16_DIRECTED(short, short, int)            \
  TUNER_CPU_TO_BFLOAT16_DIRECTED(ushort, unsigned short, uint) \
  TUNER_CPU_TO_BFLOAT16_DIRECTED(ll, long long, ll)            \
  TUNER_CPU_TO_BFLOAT16_DIRECTED(ull, unsigned long long, ull)
