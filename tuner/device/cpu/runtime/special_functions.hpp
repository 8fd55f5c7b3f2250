#pragma once
// Functions that CUDA has beyond C's: of the normal distribution, inverses of the error function, norms, and
// Bessel functions. Computed in double precision, for float too.
#include "mathematics.hpp"

namespace tuner_cpu {

/// x with erfc(x) = y, by Newton's method with Halley's correction from the tail's expansion.
inline double inverse_erfc(double y) {
  if (!(y >= 0) || y > 2) return __builtin_nan("");
  if (y == 0 || y == 2) return y == 0 ? __builtin_inf() : -__builtin_inf();
  const double tail = y < 1 ? y : 2 - y;
  const double t = sqrt(-2 * log(tail / 2));
  // Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.23.
  double x = (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                      (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))) *
             0.70710678118654752440;
  for (int i = 0; i < 3; ++i) {
    const double step = (erfc(x) - tail) / (1.12837916709551257390 * exp(-x * x));
    x += step / (1 + x * step);
  }
  return y < 1 ? x : -x;
}

/// x with erf(x) = y; near 0 not by 1 - y, which has lost digits there.
inline double inverse_erf(double y) {
  if (fabs(y) > 0.5) return y > 0 ? inverse_erfc(1 - y) : -inverse_erfc(1 + y);
  double x = y * 0.88622692545275801365;
  for (int i = 0; i < 5; ++i) x -= (erf(x) - y) / (1.12837916709551257390 * exp(-x * x));
  return x;
}

/// exp(x²) erfc(x): for large x by the continued fraction of erfc (Abramowitz and Stegun, 7.1.14).
inline double scaled_erfc(double x) {
  if (x < 10) return exp(x * x) * erfc(x);
  double fraction = x;
  for (int k = 20; k > 0; --k) fraction = x + k / 2.0 / fraction;
  return 0.56418958354775628695 / fraction;
}

/// I_order(x), order 0 or 1, by its power series, whose terms have one sign.
inline double modified_bessel(int order, double x) {
  double term = order == 0 ? 1 : x / 2;
  double sum = term;
  for (int k = 1; fabs(term) > 1e-17 * fabs(sum); ++k) {
    term *= x * x / 4 / (static_cast<double>(k) * (k + order));
    sum += term;
  }
  return sum;
}

}  // namespace tuner_cpu

#define TUNER_CPU_SPECIAL(name, result)                      \
  inline double name(double x) noexcept {                    \
    return result;                                           \
  }                                                          \
  inline float name##f(float x) noexcept {                   \
    return static_cast<float>(name(static_cast<double>(x))); \
  }                                                          \
  inline float name(float x) noexcept {                      \
    return name##f(x);                                       \
  }
TUNER_CPU_SPECIAL(erfinv, tuner_cpu::inverse_erf(x))
TUNER_CPU_SPECIAL(erfcinv, tuner_cpu::inverse_erfc(x))
TUNER_CPU_SPECIAL(erfcx, tuner_cpu::scaled_erfc(x))
TUNER_CPU_SPECIAL(normcdf, 0.5 * erfc(-0.70710678118654752440 * x))
TUNER_CPU_SPECIAL(normcdfinv, -1.41421356237309504880 * tuner_cpu::inverse_erfc(2 * x))
TUNER_CPU_SPECIAL(cyl_bessel_i0, tuner_cpu::modified_bessel(0, x))
TUNER_CPU_SPECIAL(cyl_bessel_i1, tuner_cpu::modified_bessel(1, x))
#undef TUNER_CPU_SPECIAL

namespace tuner_cpu {

/// A root of a sum of squares is root * 2^exponent: the squares may lie beyond the type's range.
struct Norm {
  double root = 0;
  int exponent = 0;
};

template <class Value>
inline Norm norm_of(int count, const Value* of) noexcept {
  double largest = 0;
  for (int i = 0; i < count; ++i) largest = fmax(largest, fabs(static_cast<double>(of[i])));
  if (__builtin_isinf(largest)) return {largest, 0};  // whatever the others are
  Norm norm;
  frexp(largest, &norm.exponent);
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const double part = ldexp(static_cast<double>(of[i]), -norm.exponent);
    sum += part * part;
  }
  norm.root = sqrt(sum);
  return norm;
}
template <class Value>
inline Value norm(int count, const Value* of) noexcept {
  const Norm norm = norm_of(count, of);
  return static_cast<Value>(ldexp(norm.root, norm.exponent));
}
template <class Value>
inline Value reciprocal_norm(int count, const Value* of) noexcept {
  const Norm norm = norm_of(count, of);
  return static_cast<Value>(ldexp(1 / norm.root, -norm.exponent));
}

}  // namespace tuner_cpu

#define TUNER_CPU_NORMS(type, ending, prefix, function)                         \
  inline type prefix##norm##ending(int count, const type* of) noexcept {        \
    return tuner_cpu::function(count, of);                                      \
  }                                                                             \
  inline type prefix##norm3d##ending(type x, type y, type z) noexcept {         \
    const type of[] = {x, y, z};                                                \
    return tuner_cpu::function(3, of);                                          \
  }                                                                             \
  inline type prefix##norm4d##ending(type x, type y, type z, type w) noexcept { \
    const type of[] = {x, y, z, w};                                             \
    return tuner_cpu::function(4, of);                                          \
  }
TUNER_CPU_NORMS(float, f, , norm)
TUNER_CPU_NORMS(float, f, r, reciprocal_norm)
TUNER_CPU_NORMS(double, , , norm)
TUNER_CPU_NORMS(double, , r, reciprocal_norm)
#undef TUNER_CPU_NORMS
inline float rhypotf(float x, float y) noexcept {
  return rnorm3df(x, y, 0);
}
inline double rhypot(double x, double y) noexcept {
  return rnorm3d(x, y, 0);
}
