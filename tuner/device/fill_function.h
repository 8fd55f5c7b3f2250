#pragma once
// What a buffer holds before a run: element i is a function of the seed and i alone, the same on every
// device. Compiled by host and device compilers, see mix.h.
#ifndef __CUDACC__
#include <bit>
#include <cmath>
#endif
#include "tuner/device/mix.h"

namespace tuner::device {

/// The numbers of model::ElementType and model::Init::Kind, for a compiler that does not see those headers.
enum FillType {
  fill_float32,
  fill_float64,
  fill_int8,
  fill_uint8,
  fill_int32,
  fill_uint32,
  fill_int64,
  fill_uint64
};
enum FillKind {
  fill_none,
  fill_constant,
  fill_uniform,
  fill_integers,
  fill_iota,
  fill_odd_integers,
  fill_signs
};

/// Every 32-bit word of memory nobody has written: a NaN as a float, two of them a NaN as a double.
constexpr unsigned int poison_word = 0xFFFFDEADU;
constexpr Word poison_double = 0xFFFFDEADFFFFDEADULL;

struct FillRequest {
  int type = fill_float32;
  int kind = fill_none;
  double a = 0;
  double b = 0;
  Word seed = 0;
};

TUNER_BOTH int fill_size(int type) {
  if (type == fill_int8 || type == fill_uint8) return 1;
  return type == fill_float32 || type == fill_int32 || type == fill_uint32 ? 4 : 8;
}

TUNER_BOTH Word bits_of_float(float value) {
#ifdef __CUDACC__
  return __float_as_uint(value);
#else
  return std::bit_cast<unsigned int>(value);
#endif
}

TUNER_BOTH Word bits_of_double(double value) {
#ifdef __CUDACC__
  return static_cast<Word>(__double_as_longlong(value));
#else
  return std::bit_cast<Word>(value);
#endif
}

TUNER_BOTH double double_of_bits(Word bits) {
#ifdef __CUDACC__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

/// One rounding everywhere: left to a compiler, a*b+c has one or two.
TUNER_BOTH double fill_fma(double x, double y, double z) {
#ifdef __CUDACC__
  return ::fma(x, y, z);
#else
  return std::fma(x, y, z);
#endif
}

/// Towards zero; what does not fit (and NaN) becomes the nearest that does (0).
TUNER_BOTH long long fill_truncate(double value) {
  if (!(value == value)) return 0;
  if (value >= 0x1p63) return 0x7FFFFFFFFFFFFFFFLL;
  if (value < -0x1p63) return -0x7FFFFFFFFFFFFFFFLL - 1;
  return static_cast<long long>(value);
}

TUNER_BOTH Word fill_random(Word seed, Word index) {
  return mix(mix(seed) + (index + 1) * mix_step);
}

/// The poison of element `index` of a buffer that starts at a multiple of four bytes.
TUNER_BOTH Word poison_bits(int type, Word index) {
  const int size = fill_size(type);
  if (size == 8) return poison_double;
  if (size == 4) return poison_word;
  return (poison_word >> (8 * (index % 4))) & 0xFFU;
}

/// Uniform in [a, b): 24 random bits for a float and 53 for a double scale the range with one rounding to
/// double, then one to float, so uniform(-1, 1) is exact in both. What rounds up to b becomes a.
TUNER_BOTH Word uniform_bits(const FillRequest& request, Word random) {
  if (request.type == fill_float32) {
    const double t = static_cast<double>(random >> 40U) * 0x1p-24;
    const float value = static_cast<float>(fill_fma(request.b - request.a, t, request.a));
    return bits_of_float(static_cast<double>(value) < request.b ? value : static_cast<float>(request.a));
  }
  const double t = static_cast<double>(random >> 11U) * 0x1p-53;
  const double value = fill_fma(request.b - request.a, t, request.a);
  const double inside = value < request.b ? value : request.a;
  return request.type == fill_float64 ? bits_of_double(inside) : static_cast<Word>(fill_truncate(inside));
}

/// Whole numbers in [a, b]; the remainder's bias is below 2^-32 for ranges below 2^32.
TUNER_BOTH long long integer_between(double a, double b, Word random) {
  const Word low = static_cast<Word>(fill_truncate(a));
  const Word count = static_cast<Word>(fill_truncate(b)) - low + 1;
  return static_cast<long long>(low + (count == 0 ? random : random % count));
}

/// Odd numbers in [a, b]; the remainder's bias as above.
TUNER_BOTH long long odd_between(double a, double b, Word random) {
  const Word low = static_cast<Word>(fill_truncate(a)) | 1U;  // an even a: the next number
  const Word count = (static_cast<Word>(fill_truncate(b)) - low) / 2 + 1;
  return static_cast<long long>(low + 2 * (random % count));
}

/// In rows of `length` elements: -1 or 1 where row + column is a multiple of `period`, so in every period-th
/// row of each column, and every row has some; 0 elsewhere.
TUNER_BOTH long long sign_at(Word period, Word length, Word index, Word random) {
  if ((index / length + index % length) % period != 0) return 0;
  return (random >> 63U) != 0 ? 1 : -1;
}

/// The bits of element `index`, in the low fill_size(type) bytes. Integers are computed in 64 bits and keep
/// their low bytes, so an iota wraps.
TUNER_BOTH Word fill_bits(const FillRequest& request, Word index) {
  const bool floating = request.type == fill_float32 || request.type == fill_float64;
  double real = 0;
  long long whole = 0;
  switch (request.kind) {
    case fill_constant:
      real = request.a;
      whole = fill_truncate(request.a);
      break;
    case fill_uniform:
      return uniform_bits(request, fill_random(request.seed, index));
    case fill_integers:
      whole = integer_between(request.a, request.b, fill_random(request.seed, index));
      real = static_cast<double>(whole);
      break;
    case fill_odd_integers:
      whole = odd_between(request.a, request.b, fill_random(request.seed, index));
      real = static_cast<double>(whole);
      break;
    case fill_signs:
      whole = sign_at(static_cast<Word>(fill_truncate(request.a)),
                      static_cast<Word>(fill_truncate(request.b)), index, fill_random(request.seed, index));
      real = static_cast<double>(whole);
      break;
    case fill_iota:
      real = fill_fma(request.b, static_cast<double>(index), request.a);
      whole = static_cast<long long>(static_cast<Word>(fill_truncate(request.a)) +
                                     static_cast<Word>(fill_truncate(request.b)) * index);
      break;
    default:
      return poison_bits(request.type, index);
  }
  if (!floating) return static_cast<Word>(whole);
  return request.type == fill_float32 ? bits_of_float(static_cast<float>(real)) : bits_of_double(real);
}

}  // namespace tuner::device
