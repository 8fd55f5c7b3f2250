#pragma once
// What FP8 numbers stand for: each is multiplied by a scale, one for all of A and one for all of B, or one
// for each row of A and each column of B.

#include "wgmma/result.cuh"

struct Scales {
  const float* a;
  const float* b;
};

/// Where there is one scale for all of A and one for all of B.
__device__ inline float common_scale(const Scales& scales) {
#if ELEMENT_BYTES == 1 && SCALES == SCALES_tensor
  return *scales.a * *scales.b;
#else
  return 1;
#endif
}

/// Where there are many: the sums of a warpgroup that begin at `row`, `column` of D.
__device__ inline void scale(Sums& sums, const Scales& scales, const Result& result, int row, int column) {
#if ELEMENT_BYTES == 1 && SCALES == SCALES_rows
  const float* const of_long = TRANSPOSED ? scales.b : scales.a;
  const float* const of_wide = TRANSPOSED ? scales.a : scales.b;
  const int last_long = (TRANSPOSED ? result.N : result.M) - 1;
  const int last_wide = (TRANSPOSED ? result.M : result.N) - 1;
  const int lane = threadIdx.x % WARP;
  const int first_long = (TRANSPOSED ? column : row) + threadIdx.x % GROUP / WARP * 16 + lane / 4;
  const int first_wide = (TRANSPOSED ? row : column) + lane % 4 * 2;
#pragma unroll
  for (int block = 0; block < BLOCKS; ++block) {
    const float upper = __ldg(of_long + min(first_long + block * 64, last_long));
    const float lower = __ldg(of_long + min(first_long + block * 64 + 8, last_long));
#pragma unroll
    for (int i = 0; i < WIDE / 8; ++i) {
      const float left = __ldg(of_wide + min(first_wide + i * 8, last_wide));
      const float right = __ldg(of_wide + min(first_wide + i * 8 + 1, last_wide));
      float* const quad = sums.of[block] + i * 4;
      quad[0] *= upper * left;
      quad[1] *= upper * right;
      quad[2] *= lower * left;
      quad[3] *= lower * right;
    }
  }
#endif
}
