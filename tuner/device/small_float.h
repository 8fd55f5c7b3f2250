#pragma once
// Floating numbers narrower than float, by their bits: neither every host nor the GPU's compiler without a
// toolkit has types for them. Compiled by host and device compilers, see words.h.
#include "tuner/device/words.h"

namespace tuner::device {

/// A sign, exponent bits and fraction bits, as IEEE 754 has them; without infinity the greatest exponent
/// belongs to numbers too, and only all ones are NaN (e4m3 of "FP8 Formats for Deep Learning", 2022).
struct SmallFloat {
  int bits;
  int fraction_bits;
  bool has_infinity;
};

TUNER_BOTH Word small_nan(SmallFloat format) {
  return (Word{1} << format.bits) - 1;
}

/// 2^exponent, for exponents of normal doubles.
TUNER_BOTH double power_of_two(int exponent) {
  return double_of_bits(static_cast<Word>(1023 + exponent) << 52U);
}

/// To nearest, ties to even; what is beyond the largest number becomes it.
TUNER_BOTH Word small_bits(SmallFloat format, double value) {
  if (!(value == value)) return small_nan(format);
  const int exponent_bits = format.bits - 1 - format.fraction_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const Word sign = (bits_of_double(value) >> 63U) << (format.bits - 1);
  const Word exponents = ((Word{1} << exponent_bits) - 1) << format.fraction_bits;
  const Word largest = format.has_infinity ? exponents - 1 : small_nan(format) / 2 - 1;
  const double size = double_of_bits(bits_of_double(value) & 0x7FFFFFFFFFFFFFFFULL);
  if (!(size < power_of_two(bias + 2))) return sign | largest;
  int exponent = static_cast<int>(bits_of_double(size) >> 52U) - 1023;
  if (exponent < 1 - bias) exponent = 1 - bias;
  const double scaled = size * power_of_two(format.fraction_bits - exponent);
  Word whole = static_cast<Word>(scaled);
  const double rest = scaled - static_cast<double>(whole);
  if (rest > 0.5 || (rest == 0.5 && whole % 2 == 1)) ++whole;
  const Word lowest = Word{1} << format.fraction_bits;  // a carry goes into the exponent by itself
  const Word bits = (static_cast<Word>(exponent + bias) << format.fraction_bits) + whole - lowest;
  return sign | (bits < largest ? bits : largest);
}

TUNER_BOTH double small_value(SmallFloat format, Word bits) {
  const int exponent_bits = format.bits - 1 - format.fraction_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int greatest = (1 << exponent_bits) - 1;
  const int exponent = static_cast<int>(bits >> format.fraction_bits) & greatest;
  const Word fraction = bits & ((Word{1} << format.fraction_bits) - 1);
  const double sign = (bits >> (format.bits - 1)) % 2 != 0 ? -1 : 1;
  if (exponent == greatest && format.has_infinity)
    return sign * double_of_bits(fraction == 0 ? 0x7FF0000000000000ULL : 0x7FF8000000000000ULL);
  if ((bits & (small_nan(format) / 2)) == small_nan(format) / 2) return double_of_bits(0x7FF8000000000000ULL);
  const Word whole = exponent == 0 ? fraction : fraction + (Word{1} << format.fraction_bits);
  const int scale = (exponent == 0 ? 1 : exponent) - bias - format.fraction_bits;
  return sign * static_cast<double>(whole) * power_of_two(scale);
}

}  // namespace tuner::device
