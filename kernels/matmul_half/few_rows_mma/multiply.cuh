#pragma once
// Shared memory to sums, by mma: of 16 columns of D and 8 rows a lane has columns lane / 4 and 8 more of rows
// lane % 4 * 2 and 1 more. On the CPU device plain loops stand for it.

#include "few_rows_mma/shape.cuh"

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
               : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(a0), "r"(a1))

__device__ inline void multiply_add(float (&sum)[4], const unsigned (&b)[4], unsigned a0, unsigned a1,
                                    __nv_bfloat16) {
  MMA("bf16");
}
__device__ inline void multiply_add(float (&sum)[4], const unsigned (&b)[4], unsigned a0, unsigned a1,
                                    __half) {
  MMA("f16");
}

__device__ inline void multiply(Sums& sums, const Stage& stage) {
  const int in_square = lane() % 8, square = lane() / 8;
#pragma unroll
  for (int k = 0; k < TILE_K; k += STEP_K) {
    unsigned a[BLOCKS_M][4];  // of 8 rows, 32 of k
#pragma unroll
    for (int m = 0; m < BLOCKS_M; ++m) {
      load_squares(a[m], stage.a + place_a(m * 8 + in_square, k / PIECE + square));
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int n = 0; n < BLOCKS_N; ++n) {
        unsigned b[4];  // of 16 columns, 16 of k
        const int row = k + half * 16 + square / 2 * 8 + in_square;
        load_turned_squares(b, stage.b + place_b(row, n * 2 + square % 2));
#pragma unroll
        for (int m = 0; m < BLOCKS_M; ++m) {
          multiply_add(sums.of[n][m], b, a[m][half * 2], a[m][half * 2 + 1], Number());
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
          sums.of[n][m][i] += static_cast<float>(stage.a[place_a(row, k / PIECE) + k % PIECE]) *
                              static_cast<float>(stage.b[place_b(k, column / PIECE) + column % PIECE]);
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
