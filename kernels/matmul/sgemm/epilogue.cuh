#pragma once
// C = alpha * sums.
//
// alpha is a number of which the compiler knows nothing, and that is what it is for here: a store of 16 bytes wants its
// four values in neighbouring registers, so without the multiplication the sums themselves would have to lie there, each
// in the same register bank as the element of B it is made of.

#include "sgemm/reduction.cuh"
#include "sgemm/thread_tile.cuh"

__device__ inline void scale(Sums& sum, float alpha) {
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) sum[i][j] *= alpha;
  }
}

/// `segment` says which tile it is, `place` where in it this thread's quads are.
__device__ inline void store(const Sums& sum, const Problem& problem, const Segment& segment, const Place& place,
                             int slice) {
  const int first_row = segment.row + place.row;
  const int first_column = segment.column + place.first_column();
#pragma unroll
  for (int quad = 0; quad < QUADS; ++quad) {
    if (quad % SLICES != slice) continue;
    const int row = first_row + row_offset(quad / QUADS_N);
    const int column = first_column + column_offset(quad % QUADS_N * QUAD);
    if (row >= problem.M) continue;
    float* const to = problem.C + static_cast<size_t>(row) * problem.ldc + column;
    const float4 value = get_quad(sum, quad);
    if (VECTOR == 16 && column + QUAD <= problem.N) {
      *reinterpret_cast<float4*>(to) = value;
      continue;
    }
    const float single[QUAD] = {value.x, value.y, value.z, value.w};
#pragma unroll
    for (int i = 0; i < QUAD; ++i) {
      if (column + i * COLUMN_STEP < problem.N) to[i * COLUMN_STEP] = single[i];
    }
  }
}
