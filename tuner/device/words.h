#pragma once
// Numbers as words and back, and hashes of words. Compiled twice from this one text: by the host's compiler,
// and by the device's for the support kernels. So what follows includes nothing on the device and uses only
// what both have.
#ifdef __CUDACC__
#define TUNER_BOTH __device__ inline
#else
#include <bit>
#define TUNER_BOTH inline
#endif

namespace tuner::device {

using Word = unsigned long long;

/// A bijection of 64-bit words that changes about half of the bits when one changes: the finaliser of
/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
TUNER_BOTH Word mix(Word z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

/// The odd step between the counters that are mixed: 2^64 / golden ratio.
constexpr Word mix_step = 0x9E3779B97F4A7C15ULL;

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

TUNER_BOTH float float_of_bits(Word bits) {
#ifdef __CUDACC__
  return __uint_as_float(static_cast<unsigned int>(bits));
#else
  return std::bit_cast<float>(static_cast<unsigned int>(bits));
#endif
}

// A hash of memory that parts of the memory can be hashed for in any order: the sum over its 8-byte words of
// each word mixed with its position.

/// Of `bytes` bytes with no content yet.
TUNER_BOTH Word checksum_start(Word bytes) {
  return mix(bytes + mix_step);
}

/// What word `index` adds. Words are little-endian, from the first byte on; the last one is padded with
/// zeros.
TUNER_BOTH Word checksum_term(Word word, Word index) {
  return mix(word ^ mix((index + 1) * mix_step));
}

}  // namespace tuner::device
