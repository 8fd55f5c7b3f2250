#pragma once
// D = alpha * sums + beta * C, rounded once. A warp turns 16 rows of its tile at a time into whole pieces, in
// shared memory.

#include "mma/multiply.cuh"

struct Result {
  const Output* C;  // lies as D does
  Output* D;
  int N, ldd;
  float alpha, beta;
};

struct alignas(16) OutputPiece {
  Output of[PIECE];
};

/// `row`, `column`: of D, where eight sums go.
__device__ inline void store_piece(const Result& result, const float* sum, int row, int column) {
  const long long at = static_cast<long long>(row) * result.ldd + column;
  const int count = min(PIECE, result.N - column);
  OutputPiece piece;
  if (BETA) piece = *reinterpret_cast<const OutputPiece*>(result.C + at);
#pragma unroll
  for (int i = 0; i < PIECE; ++i) {
    const float product = result.alpha * sum[i];
    piece.of[i] = Output(BETA ? product + result.beta * static_cast<float>(piece.of[i]) : product);
  }
  if (count == PIECE) {
    *reinterpret_cast<OutputPiece*>(result.D + at) = piece;
  } else {
#pragma unroll
    for (int i = 0; i < PIECE; ++i) {
      if (i < count) result.D[at + i] = piece.of[i];
    }
  }
}

/// `row`, `column`: where the block's tile begins; rows from `end` on are not its own.
__device__ inline void store(const Sums& sums, const Result& result, float* staged, int row, int column,
                             int end) {
  constexpr int pieces = WARP_N / PIECE;
#pragma unroll
  for (int m = 0; m < BLOCKS_M; ++m) {
    __syncwarp();
#pragma unroll
    for (int n = 0; n < BLOCKS_N; ++n) {
      float* const to = staged + lane() / 4 * STORE_ROW + n * 8 + lane() % 4 * 2;
      const float* const sum = sums.of[m][n];
      *reinterpret_cast<float2*>(to) = make_float2(sum[0], sum[1]);
      *reinterpret_cast<float2*>(to + 8 * STORE_ROW) = make_float2(sum[2], sum[3]);
    }
    __syncwarp();
#pragma unroll
    for (int i = lane(); i < 16 * pieces; i += WARP) {
      const int to_row = row + static_cast<int>(warp_row()) + m * 16 + i / pieces;
      const int to_column = column + static_cast<int>(warp_column()) + i % pieces * PIECE;
      if (to_row >= end || to_column >= result.N) continue;
      float eight[PIECE];
      const float4* const from =
          reinterpret_cast<const float4*>(staged + i / pieces * STORE_ROW + i % pieces * PIECE);
      *reinterpret_cast<float4*>(eight) = from[0];
      *reinterpret_cast<float4*>(eight + 4) = from[1];
      store_piece(result, eight, to_row, to_column);
    }
  }
}
