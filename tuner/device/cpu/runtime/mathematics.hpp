#pragma once
// The C mathematics library under CUDA's names: the C functions themselves, and overloads for float, so that
// sqrt(1.0f) is computed in float as on a GPU; any other or mixed types are computed in double. A source that
// includes headers of the standard library gets the same from there.

#if defined(TUNER_CPU_STANDARD_HEADERS)
#include <math.h>
#include <stdlib.h>
#else
#define TUNER_CPU_C1(name)                  \
  extern "C" double name(double) noexcept;  \
  extern "C" float name##f(float) noexcept; \
  inline float name(float x) {              \
    return name##f(x);                      \
  }                                         \
  template <class X>                        \
  inline double name(X x) {                 \
    return name(static_cast<double>(x));    \
  }
#define TUNER_CPU_C2(name)                                       \
  extern "C" double name(double, double) noexcept;               \
  extern "C" float name##f(float, float) noexcept;               \
  inline float name(float x, float y) {                          \
    return name##f(x, y);                                        \
  }                                                              \
  template <class X, class Y>                                    \
  inline double name(X x, Y y) {                                 \
    return name(static_cast<double>(x), static_cast<double>(y)); \
  }

TUNER_CPU_C1(sqrt)
TUNER_CPU_C1(cbrt)
TUNER_CPU_C1(exp)
TUNER_CPU_C1(exp2)
TUNER_CPU_C1(expm1)
TUNER_CPU_C1(log)
TUNER_CPU_C1(log2)
TUNER_CPU_C1(log10)
TUNER_CPU_C1(log1p)
TUNER_CPU_C1(logb)
TUNER_CPU_C1(sin)
TUNER_CPU_C1(cos)
TUNER_CPU_C1(tan)
TUNER_CPU_C1(asin)
TUNER_CPU_C1(acos)
TUNER_CPU_C1(atan)
TUNER_CPU_C1(sinh)
TUNER_CPU_C1(cosh)
TUNER_CPU_C1(tanh)
TUNER_CPU_C1(asinh)
TUNER_CPU_C1(acosh)
TUNER_CPU_C1(atanh)
TUNER_CPU_C1(erf)
TUNER_CPU_C1(erfc)
TUNER_CPU_C1(tgamma)
TUNER_CPU_C1(lgamma)
TUNER_CPU_C1(floor)
TUNER_CPU_C1(ceil)
TUNER_CPU_C1(round)
TUNER_CPU_C1(trunc)
TUNER_CPU_C1(rint)
TUNER_CPU_C1(nearbyint)
TUNER_CPU_C1(fabs)
TUNER_CPU_C1(j0)
TUNER_CPU_C1(j1)
TUNER_CPU_C1(y0)
TUNER_CPU_C1(y1)
TUNER_CPU_C2(pow)
TUNER_CPU_C2(atan2)
TUNER_CPU_C2(hypot)
TUNER_CPU_C2(fmod)
TUNER_CPU_C2(remainder)
TUNER_CPU_C2(fmin)
TUNER_CPU_C2(fmax)
TUNER_CPU_C2(fdim)
TUNER_CPU_C2(copysign)
TUNER_CPU_C2(nextafter)
#undef TUNER_CPU_C1
#undef TUNER_CPU_C2

extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
inline float fma(float x, float y, float z) {
  return fmaf(x, y, z);
}
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
inline float ldexp(float x, int exponent) {
  return ldexpf(x, exponent);
}
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
extern "C" double modf(double, double*) noexcept;
extern "C" float modff(float, float*) noexcept;
inline float modf(float x, float* whole) {
  return modff(x, whole);
}
extern "C" double scalbn(double, int) noexcept;
extern "C" float scalbnf(float, int) noexcept;
inline float scalbn(float x, int exponent) {
  return scalbnf(x, exponent);
}
extern "C" double scalbln(double, long) noexcept;
extern "C" float scalblnf(float, long) noexcept;
extern "C" int ilogb(double) noexcept;
extern "C" int ilogbf(float) noexcept;
extern "C" double remquo(double, double, int*) noexcept;
extern "C" float remquof(float, float, int*) noexcept;
extern "C" double nan(const char*) noexcept;
extern "C" float nanf(const char*) noexcept;
extern "C" double jn(int, double) noexcept;
extern "C" float jnf(int, float) noexcept;
extern "C" double yn(int, double) noexcept;
extern "C" float ynf(int, float) noexcept;
extern "C" long lrint(double) noexcept;
extern "C" long lrintf(float) noexcept;
extern "C" long lround(double) noexcept;
extern "C" long lroundf(float) noexcept;
extern "C" long long llrint(double) noexcept;
extern "C" long long llrintf(float) noexcept;
extern "C" long long llround(double) noexcept;
extern "C" long long llroundf(float) noexcept;

#define TUNER_CPU_CLASSIFY(name) \
  inline bool name(float x) {    \
    return __builtin_##name(x);  \
  }                              \
  inline bool name(double x) {   \
    return __builtin_##name(x);  \
  }
TUNER_CPU_CLASSIFY(isnan)
TUNER_CPU_CLASSIFY(isinf)
TUNER_CPU_CLASSIFY(isfinite)
TUNER_CPU_CLASSIFY(signbit)
#undef TUNER_CPU_CLASSIFY

extern "C" int abs(int) noexcept;
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;
inline long abs(long x) {
  return labs(x);
}
inline long long abs(long long x) {
  return llabs(x);
}
inline float abs(float x) {
  return fabsf(x);
}
inline double abs(double x) {
  return fabs(x);
}

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#endif

// What CUDA has beyond C. `noexcept`: some of the names are the host library's too.
namespace tuner_cpu {

/// sin(pi x): 0 at whole numbers, which multiples of a rounded pi would miss.
inline double sine_of_pi(double x) {
  double part = remainder(x, 2.0);  // exact, from -1 to 1
  if (fabs(part) > 0.5) part = copysign(1.0, part) - part;
  return sin(3.14159265358979323846 * part);
}

}  // namespace tuner_cpu

#define TUNER_CPU_BEYOND_C(name, in_float, in_double) \
  inline double name(double x) noexcept {             \
    return in_double;                                 \
  }                                                   \
  inline float name##f(float x) noexcept {            \
    return in_float;                                  \
  }
TUNER_CPU_BEYOND_C(rsqrt, 1.0F / sqrtf(x), 1.0 / sqrt(x))
TUNER_CPU_BEYOND_C(rcbrt, 1.0F / cbrtf(x), 1.0 / cbrt(x))
TUNER_CPU_BEYOND_C(exp10, powf(10.0F, x), pow(10.0, x))
TUNER_CPU_BEYOND_C(sinpi, static_cast<float>(sinpi(static_cast<double>(x))), tuner_cpu::sine_of_pi(x))
TUNER_CPU_BEYOND_C(cospi, static_cast<float>(cospi(static_cast<double>(x))),
                   tuner_cpu::sine_of_pi(0.5 - fabs(remainder(x, 2.0))))
#undef TUNER_CPU_BEYOND_C
inline float rsqrt(float x) noexcept {
  return rsqrtf(x);
}
inline float fdividef(float x, float y) noexcept {
  return x / y;
}
inline void sincosf(float x, float* sine, float* cosine) noexcept {
  *sine = sinf(x), *cosine = cosf(x);
}
inline void sincos(double x, double* sine, double* cosine) noexcept {
  *sine = sin(x), *cosine = cos(x);
}
inline void sincos(float x, float* sine, float* cosine) noexcept {
  sincosf(x, sine, cosine);
}
inline void sincospif(float x, float* sine, float* cosine) noexcept {
  *sine = sinpif(x), *cosine = cospif(x);
}
inline void sincospi(float x, float* sine, float* cosine) noexcept {
  sincospif(x, sine, cosine);
}
inline void sincospi(double x, double* sine, double* cosine) noexcept {
  *sine = sinpi(x), *cosine = cospi(x);
}

// min and max of integers; mixed signs compare as unsigned, as in CUDA. Of floating numbers a NaN loses.
#define TUNER_CPU_MIN_MAX(type, left, right)                    \
  constexpr type min(left a, right b) {                         \
    return static_cast<type>(a) < static_cast<type>(b) ? a : b; \
  }                                                             \
  constexpr type max(left a, right b) {                         \
    return static_cast<type>(a) < static_cast<type>(b) ? b : a; \
  }
TUNER_CPU_MIN_MAX(int, int, int)
TUNER_CPU_MIN_MAX(unsigned, unsigned, unsigned)
TUNER_CPU_MIN_MAX(unsigned, int, unsigned)
TUNER_CPU_MIN_MAX(unsigned, unsigned, int)
TUNER_CPU_MIN_MAX(long, long, long)
TUNER_CPU_MIN_MAX(unsigned long, unsigned long, unsigned long)
TUNER_CPU_MIN_MAX(unsigned long, long, unsigned long)
TUNER_CPU_MIN_MAX(unsigned long, unsigned long, long)
TUNER_CPU_MIN_MAX(long long, long long, long long)
TUNER_CPU_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
TUNER_CPU_MIN_MAX(unsigned long long, long long, unsigned long long)
TUNER_CPU_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef TUNER_CPU_MIN_MAX
#define TUNER_CPU_REAL_MIN_MAX(type, left, right, suffix) \
  inline type min(left a, right b) {                      \
    return fmin##suffix(a, b);                            \
  }                                                       \
  inline type max(left a, right b) {                      \
    return fmax##suffix(a, b);                            \
  }
TUNER_CPU_REAL_MIN_MAX(float, float, float, f)
TUNER_CPU_REAL_MIN_MAX(double, double, double, )
TUNER_CPU_REAL_MIN_MAX(double, float, double, )
TUNER_CPU_REAL_MIN_MAX(double, double, float, )
#undef TUNER_CPU_REAL_MIN_MAX
inline unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
inline unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}
inline long long llmin(long long a, long long b) {
  return min(a, b);
}
inline long long llmax(long long a, long long b) {
  return max(a, b);
}
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}
