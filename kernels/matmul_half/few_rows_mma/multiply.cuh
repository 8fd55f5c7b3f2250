#pragma once
// Shared memory to sums, by mma: of 16 columns of D and 8 rows a lane has columns lane / 4 and 8 more of rows
// lane % 4 * 2 and 1 more. On the CPU device plain loops stand for it.

#include "few_rows_mma/shape.cuh"
#include "product/multiplied.cuh"

struct Sums {
  float of[BLOCKS_N][BLOCKS_M][4];
};

__device__ inline int lane() {
  return threadIdx.x % WARP;
}

#if defined(__CUDA_ARCH__)

__device__ inline unsigned address(const Number* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// Four squares of eight by eight, each lane with the address of one of their rows.
__device__ inline void load_squares(unsigned (&to)[4], const Number* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address(row))
               : "memory");
}
__device__ inline void load_turned_squares(unsigned (&to)[4], const Number* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address(row))
               : "memory");
}

#define MMA(number)                                                                   \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." number "." number             \
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])               \
               : "r"(b0), "r"(b1), "r"(b2), "r"(b3), "r"(a[0]), "r"(a[1]))

__device__ inline void multiply_add(float (&sum)[4], unsigned b0, unsigned b1, unsigned b2, unsigned b3,
                                    const unsigned* a, __nv_bfloat16) {
  MMA("bf16");
}
__device__ inline void multiply_add(float (&sum)[4], unsigned b0, unsigned b1, unsigned b2, unsigned b3,
                                    const unsigned* a, __half) {
  MMA("f16");
}

/// Four squares, as they are multiplied.
struct Operands {
  unsigned of[4 * WIDER];
};

__device__ inline void take(Operands& operands, const unsigned (&squares)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (WIDER == 2) {
      to_half(squares[i], operands.of[i * 2], operands.of[i * 2 + 1]);
    } else {
      operands.of[i] = squares[i];
    }
  }
}

/// Of B: 16 columns with 32 bytes of k from `k` on.
__device__ inline void load_columns(Operands& operands, const Stage& stage, int n, int k) {
  const int in_square = lane() % 8, square = lane() / 8;
  unsigned squares[4];
  if constexpr (B_ALONG_K) {
    load_squares(squares, stage.b + place_along(n * 16 + square % 2 * 8 + in_square, k / PIECE + square / 2));
  } else {
    load_turned_squares(squares, stage.b + place_across(k + square / 2 * 8 + in_square, n * 2 + square % 2));
  }
  take(operands, squares);
}

/// Of A: 8 rows with 64 bytes of k from `k` on.
__device__ inline void load_rows(Operands& operands, const Stage& stage, int m, int k) {
  unsigned squares[4];
  load_squares(squares, stage.a + place_along(m * 8 + lane() % 8, k / PIECE + lane() / 8));
  take(operands, squares);
}

__device__ inline void multiply(Sums& sums, const Stage& stage) {
#pragma unroll
  for (int k = 0; k < TILE_K; k += STEP_K) {
    Operands a[BLOCKS_M];
#pragma unroll
    for (int m = 0; m < BLOCKS_M; ++m) load_rows(a[m], stage, m, k);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int n = 0; n < BLOCKS_N; ++n) {
        Operands b;
        load_columns(b, stage, n, k + half * STEP_K / 2);
#pragma unroll
        for (int i = 0; i < WIDER; ++i) {
          const unsigned* const of = b.of + i * 4;
#pragma unroll
          for (int m = 0; m < BLOCKS_M; ++m) {
            multiply_add(sums.of[n][m], of[0], of[WIDER], of[WIDER == 1 ? 2 : 1], of[3],
                         a[m].of + (half * WIDER + i) * 2, Multiplied());
          }
        }
      }
    }
  }
}

#else

__device__ inline void multiply(Sums& sums, const Stage& stage) {
  for (int n = 0; n < BLOCKS_N; ++n) {
    for (int m = 0; m < BLOCKS_M; ++m) {
      for (int i = 0; i < 4; ++i) {
        const int column = n * 16 + lane() / 4 + i / 2 * 8, row = m * 8 + lane() % 4 * 2 + i % 2;
        for (int k = 0; k < TILE_K; ++k) {
          const int at = B_ALONG_K ? place_along(column, k / PIECE) + k % PIECE
                                   : place_across(k, column / PIECE) + column % PIECE;
          sums.of[n][m][i] += static_cast<float>(stage.a[place_along(row, k / PIECE) + k % PIECE]) *
                              static_cast<float>(stage.b[at]);
        }
      }
    }
  }
}

#endif

/// Leaves a warp's sums in shared memory, row by row of D.
__device__ inline void leave(const Sums& sums, float* to) {
#pragma unroll
  for (int n = 0; n < BLOCKS_N; ++n) {
#pragma unroll
    for (int m = 0; m < BLOCKS_M; ++m) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int column = n * 16 + lane() / 4 + i / 2 * 8, row = m * 8 + lane() % 4 * 2 + i % 2;
        to[row * TILE_N + column] = sums.of[n][m][i];
      }
    }
  }
}
