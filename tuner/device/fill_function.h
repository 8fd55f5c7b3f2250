#pragma once
// What a buffer holds before a run: element i is a function of the seed and i alone, the same on every
// device. Compiled by host and device compilers, see words.h.
#ifndef __CUDACC__
#include <cmath>
#endif
#include "tuner/device/small_float.h"

namespace tuner::device {

/// The numbers of model::ElementType, vectors left out, and of model::Init::Kind, for a compiler that does
/// not see those headers. A vector is filled and compared number by number.
enum FillType {
  fill_float32,
  fill_float64,
  fill_int8,
  fill_uint8,
  fill_int32,
  fill_uint32,
  fill_int64,
  fill_uint64,
  fill_int16,
  fill_uint16,
  fill_boolean,
  fill_float16,
  fill_bfloat16,
  fill_float8_e4m3,
  fill_float8_e5m2
};
enum FillKind {
  fill_none,
  fill_constant,
  fill_uniform,
  fill_integers,
  fill_iota,
  fill_odd_integers,
  fill_signs,
  fill_normal,
  fill_permutation,
  fill_sorted,
  fill_sparse
};

/// Every 32-bit word of memory nobody has written: a NaN as a float, two of them a NaN as a double.
constexpr unsigned int poison_word = 0xFFFFDEADU;
constexpr Word poison_double = 0xFFFFDEADFFFFDEADULL;

struct FillRequest {
  int type = fill_float32;
  int kind = fill_none;
  double a = 0;
  double b = 0;
  double c = 0;
  Word seed = 0;
};

TUNER_BOTH int fill_size(int type) {
  switch (type) {
    case fill_int8:
    case fill_uint8:
    case fill_boolean:
    case fill_float8_e4m3:
    case fill_float8_e5m2:
      return 1;
    case fill_int16:
    case fill_uint16:
    case fill_float16:
    case fill_bfloat16:
      return 2;
    case fill_float32:
    case fill_int32:
    case fill_uint32:
      return 4;
    default:
      return 8;
  }
}

TUNER_BOTH bool is_small_float(int type) {
  return type >= fill_float16 && type <= fill_float8_e5m2;
}

/// Of a type that is_small_float().
TUNER_BOTH SmallFloat small_float_of(int type) {
  if (type == fill_float16) return {16, 10, true};
  if (type == fill_bfloat16) return {16, 7, true};
  if (type == fill_float8_e4m3) return {8, 3, false};
  return {8, 2, true};
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

/// The poison of element `index` of a buffer that starts at a multiple of four bytes. Each value of a short
/// integer may be a result; `other` has another one in its place.
TUNER_BOTH Word poison_bits(int type, Word index, bool other) {
  const int size = fill_size(type);
  if (size == 8) return poison_double;
  if (size == 4) return poison_word;
  if (is_small_float(type)) return small_nan(small_float_of(type));
  if (type == fill_boolean) return 0xFFU;
  const unsigned int word = other ? ~poison_word : poison_word;
  if (size == 2) return (word >> (16 * (index % 2))) & 0xFFFFU;
  return (word >> (8 * (index % 4))) & 0xFFU;
}

/// A real number as an element of `type`, rounded to nearest; of integer types its whole part.
TUNER_BOTH Word bits_of_real(int type, double value) {
  if (type == fill_float32) return bits_of_float(static_cast<float>(value));
  if (type == fill_float64) return bits_of_double(value);
  if (is_small_float(type)) return small_bits(small_float_of(type), value);
  return static_cast<Word>(fill_truncate(value));
}

/// Uniform in [a, b): 24 random bits for a float and 53 for a double scale the range with one rounding to
/// double, then one to float, so uniform(-1, 1) is exact in both. What rounds up to b becomes a.
TUNER_BOTH Word uniform_bits(const FillRequest& request, Word random) {
  if (request.type == fill_float32) {
    const double t = static_cast<double>(random >> 40U) * 0x1p-24;
    const float value = static_cast<float>(fill_fma(request.b - request.a, t, request.a));
    return bits_of_float(static_cast<double>(value) < request.b ? value : static_cast<float>(request.a));
  }
  if (is_small_float(request.type)) {
    const SmallFloat format = small_float_of(request.type);
    const double t = static_cast<double>(random >> 40U) * 0x1p-24;
    const Word bits = small_bits(format, fill_fma(request.b - request.a, t, request.a));
    return small_value(format, bits) < request.b ? bits : small_bits(format, request.a);
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

/// The sum of twelve numbers uniform in [0, 1) has mean 6 and variance 1 and is near to normal (Irwin-Hall);
/// made of 32-bit words it is exact, so that all devices round alike, once.
TUNER_BOTH double normal_at(double mean, double deviation, Word seed, Word index) {
  Word sum = 0;
  for (Word i = 0; i < 6; ++i) {
    const Word random = fill_random(seed + i * mix_step, index);
    sum += (random >> 32U) + (random & 0xFFFFFFFFU);
  }
  const double standard = static_cast<double>(static_cast<long long>(sum - (Word{6} << 32U))) * 0x1p-32;
  return fill_fma(deviation, standard, mean);
}

/// Where `index` goes in a permutation of [0, count): a Feistel network permutes the next power of four, and
/// is walked on where it leads beyond (Black, Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
TUNER_BOTH Word permuted(Word count, Word seed, Word index) {
  Word half = 1;
  while (half < 32 && (Word{1} << (2 * half)) < count) ++half;
  const Word mask = (Word{1} << half) - 1;
  Word at = index;
  do {
    Word left = at >> half;
    Word right = at & mask;
    for (Word round = 0; round < 4; ++round) {
      const Word next = left ^ (mix(mix(seed + round * mix_step) + right) & mask);
      left = right;
      right = next;
    }
    at = (left << half) | right;
  } while (at >= count);
  return at;
}

/// Number `index` of `count` that do not descend: [a, b) in equal parts, a random place in each.
TUNER_BOTH double sorted_at(const FillRequest& request, Word index) {
  const Word random = fill_random(request.seed, index);
  const double place = static_cast<double>(index) + static_cast<double>(random >> 40U) * 0x1p-24;
  return fill_fma((request.b - request.a) / request.c, place, request.a);
}

/// The same of whole numbers in [a, b], both ends included.
TUNER_BOTH Word sorted_integer(const FillRequest& request, Word index) {
  FillRequest wider = request;
  wider.b = request.b + 1;
  const double at = sorted_at(wider, index);
  const double down = static_cast<double>(fill_truncate(at));
  const double whole = down > at ? down - 1 : down;
  return static_cast<Word>(fill_truncate(whole < request.b ? whole : request.b));
}

/// Whether a number drawn with this probability is.
TUNER_BOTH bool happens(double probability, Word random) {
  return static_cast<double>(random >> 11U) * 0x1p-53 < probability;
}

/// The bits of element `index`, in the low fill_size(type) bytes. Integers are computed in 64 bits and keep
/// their low bytes, so an iota wraps.
TUNER_BOTH Word fill_bits(const FillRequest& request, Word index) {
  const bool floating =
      request.type == fill_float32 || request.type == fill_float64 || is_small_float(request.type);
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
    case fill_normal:
      return bits_of_real(request.type, normal_at(request.a, request.b, request.seed, index));
    case fill_permutation:
      whole =
          static_cast<long long>(static_cast<Word>(fill_truncate(request.a)) +
                                 permuted(static_cast<Word>(fill_truncate(request.c)), request.seed, index));
      real = static_cast<double>(whole);
      break;
    case fill_sorted:
      if (floating) return bits_of_real(request.type, sorted_at(request, index));
      return sorted_integer(request, index);
    case fill_sparse: {
      const Word random = fill_random(request.seed, index);
      if (!happens(request.c, random)) break;
      if (floating) return uniform_bits(request, mix(random));
      whole = integer_between(request.a, request.b, mix(random));
      break;
    }
    default:
      return poison_bits(request.type, index, request.a != 0);
  }
  return floating ? bits_of_real(request.type, real) : static_cast<Word>(whole);
}

}  // namespace tuner::device
