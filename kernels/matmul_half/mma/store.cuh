#pragma once
// D = alpha * sums + beta * C, rounded once. A warp turns 16 rows of its tile at a time into whole pieces, in
// shared memory.

#include "mma/multiply.cuh"

struct Result {
  const Output* C;  // lies as D does
  Output* D;
  int N, ldd;
  float alpha, beta;
  const float* scale_a;  // of FP8 alone: one for each matrix, or with a stride of 1 for each row and column
  const float* scale_b;
  int scale_stride;
};

constexpr int STORE_PIECE = 8;

struct alignas(16) OutputPiece {
  Output of[STORE_PIECE];
};

/// `row`, `column`: of D, where eight sums go.
__device__ inline void store_piece(const Result& result, const float* sum, int row, int column) {
  const long long at = static_cast<long long>(row) * result.ldd + column;
  const int count = min(STORE_PIECE, result.N - column);
  OutputPiece piece;
  if (BETA) piece = *reinterpret_cast<const OutputPiece*>(result.C + at);
#pragma unroll
  for (int i = 0; i < STORE_PIECE; ++i) {
    float product = result.alpha * sum[i];
    if (sizeof(Number) == 1) {
      product *= result.scale_a[row * result.scale_stride] *
                 result.scale_b[min(column + i, result.N - 1) * result.scale_stride];
    }
    piece.of[i] = Output(BETA ? product + result.beta * static_cast<float>(piece.of[i]) : product);
  }
  if (count == STORE_PIECE) {
    *reinterpret_cast<OutputPiece*>(result.D + at) = piece;
  } else {
#pragma unroll
    for (int i = 0; i < STORE_PIECE; ++i) {
      if (i < count) result.D[at + i] = piece.of[i];
    }
  }
}

/// `row`, `column`: where the block's tile begins; rows from `end` on are not its own.
__device__ inline void store(const Sums& sums, const Result& result, float* staged, int row, int column,
                             int end) {
  constexpr int pieces = WARP_N / STORE_PIECE;
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
      const int to_column = column + static_cast<int>(warp_column()) + i % pieces * STORE_PIECE;
      if (to_row >= end || to_column >= result.N) continue;
      float eight[STORE_PIECE];
      const float4* const from =
          reinterpret_cast<const float4*>(staged + i / pieces * STORE_ROW + i % pieces * STORE_PIECE);
      *reinterpret_cast<float4*>(eight) = from[0];
      *reinterpret_cast<float4*>(eight + 4) = from[1];
      store_piece(result, eight, to_row, to_column);
    }
  }
}
