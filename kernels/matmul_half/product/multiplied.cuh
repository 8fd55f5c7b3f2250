#pragma once
// What mma multiplies: Number, but FP8 (e4m3) becomes half in registers, without an error. Products of halves
// are exact in sums of float, which FP8's own products are not; and on sm_90 and sm_100 mma of FP8 is
// compiled to the same conversions.

#include "product/variant.cuh"

#if ELEMENT_BYTES == 1
using Multiplied = __half;
constexpr int WIDER = 2;  // registers that one becomes
#else
using Multiplied = Number;
constexpr int WIDER = 1;
#endif

#if defined(__CUDA_ARCH__)

/// Four numbers as two pairs. Which number is in which pair is the same in each call, and nobody may ask
/// more: a sum over k has any order.
__device__ inline void to_half(unsigned four, unsigned& first, unsigned& second) {
#if __CUDA_ARCH__ >= 890
  asm("{.reg .b16 low, high; mov.b32 {low, high}, %2;"
      " cvt.rn.f16x2.e4m3x2 %0, low; cvt.rn.f16x2.e4m3x2 %1, high;}"
      : "=r"(first), "=r"(second)
      : "r"(four));
#else
  // The exponent of half has a bit more, hence the shift, and a bias larger by 8, hence the factor 256. NaN
  // becomes 480.
  const auto of_upper_bytes = [](unsigned upper) {
    const unsigned shifted = (upper & 0x80008000U) | (upper >> 1 & 0x3F803F80U);
    unsigned pair;
    asm("mul.f16x2 %0, %1, %2;" : "=r"(pair) : "r"(shifted), "r"(0x5C005C00U));
    return pair;
  };
  first = of_upper_bytes(four);
  second = of_upper_bytes(four << 8);
#endif
}

#endif
