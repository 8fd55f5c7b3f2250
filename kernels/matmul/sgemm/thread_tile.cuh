#pragma once
// Shared memory to registers, and the multiply-adds: what a thread does with a k-tile.
//
// For one k a thread reads THREAD_M + THREAD_N floats for THREAD_M * THREAD_N multiply-adds. An SM's
// schedulers issue one instruction a cycle each, and multiply-adds alone fill that: every load costs one of
// them.

#include "sgemm/shape.cuh"

/// Where a thread's quads are in the block tile, as it lies in shared memory.
struct Place {
  int row;
  int column;

  /// The first column of the first quad in C.
  __device__ int first_column() const {
    return VECTOR == 16 ? column : column - column % WARP_N + column % WARP_N / QUAD;
  }

  __device__ explicit Place(int thread) {
    const int lane = thread % WARP;
    const int warp = thread / WARP;
    int lane_m = 0;
    int lane_n = 0;
    if constexpr (LANE_MAP == LANE_MAP_rows) {
      lane_m = lane / LANES_N;
      lane_n = lane % LANES_N;
    } else if constexpr (LANE_MAP == LANE_MAP_columns) {
      lane_m = lane % LANES_M;
      lane_n = lane / LANES_M;
    } else {  // z: lanes 0 to 3 are a square, so that each quarter of a warp reads few different addresses of
              // either
      lane_m = (lane & 1) | (lane / (2 * LANES_N) << 1);
      lane_n = lane / 2 % LANES_N;
    }
    row = warp / WARPS_N * WARP_M + lane_m * QUAD;
    column = warp % WARPS_N * WARP_N + lane_n * QUAD;
  }
};

/// Of a thread's i-th row or column, the distance from its first in shared memory.
__device__ constexpr int row_offset(int i) {
  return i / QUAD * LANES_M * QUAD + i % QUAD;
}
__device__ constexpr int column_offset(int j) {
  return j / QUAD * LANES_N * QUAD + j % QUAD;
}

/// The floats that a thread multiplies at one k, and those it loads meanwhile for the next.
struct Fragments {
  float a[2][THREAD_M];
  float b[2][THREAD_N];

  /// Those of `k`. The sources are this thread's first floats in a stage.
  __device__ void load(const float* from_a, const float* from_b, int k) {
    if (FIRST_LOADS == FIRST_LOADS_a) load_quads<THREAD_M, LANES_M>(a[k % 2], from_a + k * PITCH_A);
    load_quads<THREAD_N, LANES_N>(b[k % 2], from_b + k * TILE_N);
    if (FIRST_LOADS == FIRST_LOADS_b) load_quads<THREAD_M, LANES_M>(a[k % 2], from_a + k * PITCH_A);
  }

 private:
  template <int COUNT, int LANES>
  __device__ static void load_quads(float* to, const float* from) {
#pragma unroll
    for (int i = 0; i < COUNT; i += QUAD) {
      const float4 quad = *reinterpret_cast<const float4*>(from + i * LANES);
      to[i] = quad.x;
      to[i + 1] = quad.y;
      to[i + 2] = quad.z;
      to[i + 3] = quad.w;
    }
  }
};

using Sums = float[THREAD_M][THREAD_N];

/// The register file has two banks, even and odd; a multiply-add whose factor and sum come from the same one
/// takes another cycle. Loads of 16 bytes put the factors into registers in order, and this load, which is
/// `never` executed, asks for the sums in the order 1, 0, 3, 2: each in the other bank than the factor that
/// changes along the serpentine.
__device__ inline void spread_over_banks(Sums& sum, bool never) {
#if defined(__CUDA_ARCH__)
  constexpr int step_m = ORDER == ORDER_rows ? 1 : QUAD;
  constexpr int step_n = ORDER == ORDER_rows ? QUAD : 1;
  constexpr int next_m = ORDER == ORDER_rows ? 0 : 1;
  constexpr int next_n = ORDER == ORDER_rows ? 1 : 0;
#pragma unroll
  for (int i = 0; i < THREAD_M; i += step_m) {
#pragma unroll
    for (int j = 0; j < THREAD_N; j += step_n) {
      asm volatile("{.reg .pred p; setp.ne.u32 p, %4, 0; @p ld.shared.v4.f32 {%1, %0, %3, %2}, [%4];}"
                   : "+f"(sum[i][j]), "+f"(sum[i + next_m][j + next_n]),
                     "+f"(sum[i + 2 * next_m][j + 2 * next_n]), "+f"(sum[i + 3 * next_m][j + 3 * next_n])
                   : "r"(static_cast<unsigned>(never)));
    }
  }
#endif
}

/// In assembly, the compiler's front end keeps the order in which multiply-adds are written; the assembler
/// has its own mind either way.
__device__ inline void multiply_add(float& sum, float a, float b) {
#if defined(__CUDA_ARCH__)
  if constexpr (FFMA == FFMA_assembly) {
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(a), "f"(b));
    return;
  }
#endif
  sum = fmaf(a, b, sum);
}

/// The multiply-adds of one k, in a serpentine: neighbours share one factor, which stays in the operand
/// cache, and at the turns the other.
__device__ inline void multiply(Sums& sum, const Fragments& fragments, int k) {
  constexpr bool by_rows = ORDER == ORDER_rows;
  constexpr int lines = by_rows ? THREAD_M : THREAD_N;
  constexpr int length = by_rows ? THREAD_N : THREAD_M;
#pragma unroll
  for (int line = 0; line < lines; ++line) {
#pragma unroll
    for (int step = 0; step < length; ++step) {
      const int along = line % 2 == 0 ? step : length - 1 - step;
      const int i = by_rows ? line : along;
      const int j = by_rows ? along : line;
      multiply_add(sum[i][j], fragments.a[k % 2][i], fragments.b[k % 2][j]);
    }
  }
}
