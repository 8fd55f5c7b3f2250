#pragma once
// C = alpha * sums.
//
// alpha is a number of which the compiler knows nothing, and that is what it is for here: a store of 16 bytes
// wants its four values in neighbouring registers, so without the multiplication the sums themselves would
// have to lie there, each in the same register bank as the element of B it is made of.

#include "sgemm/reduction.cuh"
#include "sgemm/thread_tile.cuh"

__device__ inline void scale(Sums& sum, float alpha) {
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) sum[i][j] *= alpha;
  }
}

/// Of a quad that begins at C[row][column] what lies inside C; EDGE: some of it may not.
template <bool EDGE>
__device__ inline void store_quad(float4 value, const Problem& problem, int row, int column) {
  float* const to = problem.C + static_cast<size_t>(row) * problem.ldc + column;
  if (EDGE && row >= problem.M) return;
  if (VECTOR == 16 && (!EDGE || column + QUAD <= problem.N)) {
    *reinterpret_cast<float4*>(to) = value;
    return;
  }
  const float single[QUAD] = {value.x, value.y, value.z, value.w};
#pragma unroll
  for (int i = 0; i < QUAD; ++i) {
    if (!EDGE || column + i * COLUMN_STEP < problem.N) to[i * COLUMN_STEP] = single[i];
  }
}

template <bool EDGE>
__device__ inline void store_quads(const OwnSums& own, const Problem& problem, int row, int column,
                                   int slice) {
#pragma unroll
  for (int i = 0; i < OWN_QUADS; ++i) {
    const int quad = i * SLICES + slice;
    if (!is_quad(quad)) continue;
    store_quad<EDGE>(own.quads[i], problem, row + row_offset(quad / QUADS_N),
                     column + column_offset(quad % QUADS_N * QUAD));
  }
}

/// `segment` says which tile it is, `place` where in it this thread's quads are. A tile inside C is stored
/// without a look at edges: a block comes here once or twice, and what it runs through for the first time it
/// has to fetch.
__device__ inline void store(const OwnSums& own, const Problem& problem, const Segment& segment,
                             const Place& place, int slice) {
  const int row = segment.row + place.row;
  const int column = segment.column + place.first_column();
  if (segment.row + TILE_M <= problem.M && segment.column + TILE_N <= problem.N) {
    store_quads<false>(own, problem, row, column, SLICES == 1 ? 0 : slice);
  } else {
    store_quads<true>(own, problem, row, column, SLICES == 1 ? 0 : slice);
  }
}
