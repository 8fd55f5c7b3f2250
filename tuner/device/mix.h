#pragma once
// Compiled twice from this one text: by the host's compiler, and by the device's for the support kernels. So
// what follows includes nothing on the device and uses only what both have.
#ifdef __CUDACC__
#define TUNER_BOTH __device__ inline
#else
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

}  // namespace tuner::device
