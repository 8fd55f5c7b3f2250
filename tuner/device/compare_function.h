#pragma once
// What it means that an output is right. Compiled by host and device compilers, see words.h.
#include "tuner/device/fill_function.h"

namespace tuner::device {

/// How wrong one element is: |got - expected| / magnitude, which passes when it is at most the bound factor.
///   0         equal, whatever the magnitude; or left alone by reference and kernel alike
///   infinity  NaN, or different where the magnitude is no positive finite number
/// `expected` that is still poison was never written by the reference: then the element is not the kernel's
/// to write either, so it must still be poison (`got_is_poison`), or with `ignore_unwritten` may be anything.
TUNER_BOTH double relative_error(double got, bool got_is_poison, double expected, double magnitude,
                                 bool ignore_unwritten) {
  const double infinity = double_of_bits(0x7FF0000000000000ULL);
  if (bits_of_double(expected) == poison_double) return got_is_poison || ignore_unwritten ? 0 : infinity;
  if (got == expected) return 0;
  const double difference = got > expected ? got - expected : expected - got;
  if (!(difference < infinity) || !(magnitude > 0) || !(magnitude < infinity)) return infinity;
  return difference / magnitude;
}

/// The number that the low fill_size(type) bytes of `bits` are.
TUNER_BOTH double value_of(int type, Word bits) {
  switch (type) {
    case fill_float32:
      return static_cast<double>(float_of_bits(bits));
    case fill_float64:
      return double_of_bits(bits);
    case fill_int8:
      return static_cast<double>(static_cast<signed char>(bits));
    case fill_int16:
      return static_cast<double>(static_cast<short>(bits));
    case fill_int32:
      return static_cast<double>(static_cast<int>(bits));
    case fill_int64:
      return static_cast<double>(static_cast<long long>(bits));
    case fill_float16:
    case fill_bfloat16:
    case fill_float8_e4m3:
    case fill_float8_e5m2:
      return small_value(small_float_of(type), bits);
    default:
      return static_cast<double>(bits);  // unsigned: the bits are the value
  }
}

/// The distance of a floating type's numbers about `value`, 1 of integers.
TUNER_BOTH double ulp_of(int type, double value) {
  int fraction_bits = 0;
  int least = 0;
  if (type == fill_float32) {
    fraction_bits = 23;
    least = -126;
  } else if (type == fill_float64) {
    fraction_bits = 52;
    least = -970;  // where 2^-52 of it is still a normal number
  } else if (is_small_float(type)) {
    const SmallFloat format = small_float_of(type);
    fraction_bits = format.fraction_bits;
    least = 2 - (1 << (format.bits - 2 - fraction_bits));
  } else {
    return 1;
  }
  int exponent = static_cast<int>((bits_of_double(value) >> 52U) & 0x7FFU) - 1023;
  if (exponent < least) exponent = least;
  return exponent > 1023 ? value : power_of_two(exponent - fraction_bits);
}

/// What a result may be off: `bound_factor` times the reference's magnitude, and the sum of the others. Where
/// only the first is not 0, errors are relative_error(); else they are told in shares of what is allowed.
struct CompareRule {
  double bound_factor;
  double absolute;
  double relative;
  double ulps;
  /// Wrong numbers may be excused: they have a finite error, and those that are not written or NaN an
  /// infinite.
  bool excuses;
};

TUNER_BOTH bool is_plain(const CompareRule& rule) {
  return rule.absolute == 0 && rule.relative == 0 && rule.ulps == 0 && !rule.excuses;
}

/// The largest error that passes.
TUNER_BOTH double most_error(const CompareRule& rule) {
  return is_plain(rule) ? rule.bound_factor : 1;
}

/// How wrong one number is; see CompareRule and relative_error().
TUNER_BOTH double error_of(const CompareRule& rule, int type, double got, bool got_is_poison, double expected,
                           double magnitude, bool ignore_unwritten) {
  const double strict = relative_error(got, got_is_poison, expected, magnitude, ignore_unwritten);
  if (is_plain(rule) || strict == 0) return strict;
  const double infinity = double_of_bits(0x7FF0000000000000ULL);
  const bool is_number = bits_of_double(expected) != poison_double;
  // The poison of short integers is a result that a kernel may well have.
  const bool unwritten = got_is_poison && (fill_size(type) >= 4 || type == fill_boolean);
  if (!is_number || unwritten || !(got == got) || !(expected == expected)) return infinity;
  const double most = 0x1p1000;  // of what may be excused
  const double difference = got > expected ? got - expected : expected - got;
  const double size = expected < 0 ? -expected : expected;
  double allowed = fill_fma(rule.relative, size, rule.absolute);  // rounded alike everywhere
  allowed = fill_fma(rule.ulps, ulp_of(type, size), allowed);
  if (rule.bound_factor > 0) allowed = fill_fma(rule.bound_factor, magnitude, allowed);
  const bool sound = difference < infinity && allowed > 0 && allowed < infinity;
  const double error = sound ? difference / allowed : infinity;
  return rule.excuses && error > most ? most : error;
}

}  // namespace tuner::device
