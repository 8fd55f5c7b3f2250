#pragma once
// Numbers as bits and back. Compiled by host and device compilers, see mix.h.
#ifndef __CUDACC__
#include <bit>
#endif
#include "tuner/device/mix.h"

namespace tuner::device {

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

}  // namespace tuner::device
