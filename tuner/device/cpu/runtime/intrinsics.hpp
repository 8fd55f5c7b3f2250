#pragma once
// Floating-point intrinsics: rounded arithmetic, conversions, bit casts and the fast functions. A fast
// function is the accurate one here: what is within its bound on a GPU is within it on the CPU. Directed
// rounding is offered where it is exact to do so (conversions to integers); __fadd_ru and its like are not
// offered.
#include "mathematics.hpp"

#define TUNER_CPU_BIT_CAST(name, to, from)            \
  inline to name(from value) {                        \
    to result;                                        \
    __builtin_memcpy(&result, &value, sizeof result); \
    return result;                                    \
  }
TUNER_CPU_BIT_CAST(__float_as_int, int, float)
TUNER_CPU_BIT_CAST(__int_as_float, float, int)
TUNER_CPU_BIT_CAST(__float_as_uint, unsigned, float)
TUNER_CPU_BIT_CAST(__uint_as_float, float, unsigned)
TUNER_CPU_BIT_CAST(__double_as_longlong, long long, double)
TUNER_CPU_BIT_CAST(__longlong_as_double, double, long long)
#undef TUNER_CPU_BIT_CAST

inline float __fadd_rn(float a, float b) {
  return a + b;
}
inline float __fsub_rn(float a, float b) {
  return a - b;
}
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __frcp_rn(float a) {
  return 1.0F / a;
}
inline float __fsqrt_rn(float a) {
  return sqrtf(a);
}
inline float __frsqrt_rn(float a) {
  return static_cast<float>(1.0 / sqrt(static_cast<double>(a)));
}
inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
inline double __dadd_rn(double a, double b) {
  return a + b;
}
inline double __dsub_rn(double a, double b) {
  return a - b;
}
inline double __dmul_rn(double a, double b) {
  return a * b;
}
inline double __ddiv_rn(double a, double b) {
  return a / b;
}
inline double __drcp_rn(double a) {
  return 1.0 / a;
}
inline double __dsqrt_rn(double a) {
  return sqrt(a);
}
inline double __fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}

inline float __fdividef(float a, float b) {
  return a / b;
}
inline float __expf(float x) {
  return expf(x);
}
inline float __exp10f(float x) {
  return exp10f(x);
}
inline float __logf(float x) {
  return logf(x);
}
inline float __log2f(float x) {
  return log2f(x);
}
inline float __log10f(float x) {
  return log10f(x);
}
inline float __sinf(float x) {
  return sinf(x);
}
inline float __cosf(float x) {
  return cosf(x);
}
inline float __tanf(float x) {
  return tanf(x);
}
inline float __tanhf(float x) {
  return tanhf(x);
}
inline float __powf(float x, float y) {
  return powf(x, y);
}
inline void __sincosf(float x, float* sine, float* cosine) {
  sincosf(x, sine, cosine);
}
inline float __saturatef(float x) {
  return x > 0.0F ? (x < 1.0F ? x : 1.0F) : 0.0F;
}

// Conversions to integers clamp to the type's range and turn NaN into 0, as the instruction does.
namespace tuner_cpu {

template <class Integer>
inline Integer clamp_to(double whole) {
  constexpr bool is_signed = static_cast<Integer>(-1) < Integer(0);
  constexpr int bits = static_cast<int>(sizeof(Integer)) * 8 - (is_signed ? 1 : 0);
  const double above = ldexp(1.0, bits);
  if (__builtin_isnan(whole)) return 0;
  constexpr Integer greatest = static_cast<Integer>(~0ULL >> (64 - bits));
  if (whole >= above) return greatest;
  if (whole < (is_signed ? -above : 0.0)) return is_signed ? static_cast<Integer>(-greatest - 1) : Integer(0);
  return static_cast<Integer>(whole);
}

}  // namespace tuner_cpu

#define TUNER_CPU_TO_INTEGER(from, from_name, to, to_name)         \
  inline to __##from_name##2##to_name##_rn(from x) {               \
    return tuner_cpu::clamp_to<to>(rint(static_cast<double>(x)));  \
  }                                                                \
  inline to __##from_name##2##to_name##_rz(from x) {               \
    return tuner_cpu::clamp_to<to>(trunc(static_cast<double>(x))); \
  }                                                                \
  inline to __##from_name##2##to_name##_rd(from x) {               \
    return tuner_cpu::clamp_to<to>(floor(static_cast<double>(x))); \
  }                                                                \
  inline to __##from_name##2##to_name##_ru(from x) {               \
    return tuner_cpu::clamp_to<to>(ceil(static_cast<double>(x)));  \
  }
TUNER_CPU_TO_INTEGER(float, float, int, int)
TUNER_CPU_TO_INTEGER(float, float, unsigned, uint)
TUNER_CPU_TO_INTEGER(float, float, long long, ll)
TUNER_CPU_TO_INTEGER(float, float, unsigned long long, ull)
TUNER_CPU_TO_INTEGER(double, double, int, int)
TUNER_CPU_TO_INTEGER(double, double, unsigned, uint)
TUNER_CPU_TO_INTEGER(double, double, long long, ll)
TUNER_CPU_TO_INTEGER(double, double, unsigned long long, ull)
#undef TUNER_CPU_TO_INTEGER
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
inline float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
inline double __int2double_rn(int x) {
  return x;
}
inline double __uint2double_rn(unsigned x) {
  return x;
}
inline double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}

// Cache hints: plain loads and stores.
#define TUNER_CPU_LOAD(name)             \
  template <class Value>                 \
  inline Value name(const Value* from) { \
    return *from;                        \
  }
TUNER_CPU_LOAD(__ldg)
TUNER_CPU_LOAD(__ldca)
TUNER_CPU_LOAD(__ldcg)
TUNER_CPU_LOAD(__ldcs)
TUNER_CPU_LOAD(__ldcv)
TUNER_CPU_LOAD(__ldlu)
#undef TUNER_CPU_LOAD
#define TUNER_CPU_STORE(name)                \
  template <class Value>                     \
  inline void name(Value* to, Value value) { \
    *to = value;                             \
  }
TUNER_CPU_STORE(__stcg)
TUNER_CPU_STORE(__stcs)
TUNER_CPU_STORE(__stwb)
TUNER_CPU_STORE(__stwt)
#undef TUNER_CPU_STORE
