#pragma once
// Shared memory to registers, and the multiply-adds: what a thread does with a k-tile.
//
// For one k a thread reads THREAD_M + THREAD_N floats for THREAD_M * THREAD_N multiply-adds. An SM's schedulers issue
// one instruction a cycle each, and multiply-adds alone fill that: every load costs one of them.

#include "sgemm/shape.cuh"

/// Where the rows and columns of a thread are in the block tile.
struct Place {
  int row;
  int column;
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
    } else {  // z: lanes 0 to 3 are a square, so that each quarter of a warp reads few different addresses of either
      lane_m = (lane & 1) | (lane / (2 * LANES_N) << 1);
      lane_n = lane / 2 % LANES_N;
    }
    row = warp / WARPS_N * WARP_M + lane_m * (TRANSPOSED ? QUAD : 1);
    column = warp % WARPS_N * WARP_N + lane_n * QUAD;
  }
};

/// Of a thread's i-th row or column, the distance from its first.
__device__ constexpr int row_offset(int i) {
  return TRANSPOSED ? i / QUAD * LANES_M * QUAD + i % QUAD : i * LANES_M;
}
__device__ constexpr int column_offset(int j) {
  return j / QUAD * LANES_N * QUAD + j % QUAD;
}

/// How many k one load of A brings: transposed it is a quad of rows, else of k.
constexpr int DEPTH_A = TRANSPOSED ? 1 : QUAD;
constexpr int LOADS_A = TRANSPOSED ? THREAD_M / QUAD : THREAD_M;  // for DEPTH_A values of k
constexpr int LOADS_B = THREAD_N / QUAD;

/// The floats that a thread multiplies at one k, and those it loads meanwhile for the next.
struct Fragments {
  float a[2][DEPTH_A][THREAD_M];
  float b[2][THREAD_N];

  /// A load of A for `k` and the DEPTH_A - 1 after it; `from` is this thread's first float in the stage's tile of A.
  __device__ void load_a(const float* from, int k, int load) {
    const int to = k / DEPTH_A % 2;
    const float4 quad = *reinterpret_cast<const float4*>(
        from + (TRANSPOSED ? k * PITCH_A + row_offset(load * QUAD) : row_offset(load) * PITCH_A + k));
    const float value[QUAD] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
    for (int i = 0; i < QUAD; ++i) {
      if constexpr (TRANSPOSED) {
        a[to][0][load * QUAD + i] = value[i];
      } else {
        a[to][i % DEPTH_A][load] = value[i];
      }
    }
  }

  __device__ void load_b(const float* from, int k, int load) {
    const float4 quad = *reinterpret_cast<const float4*>(from + k * TILE_N + column_offset(load * QUAD));
    const float value[QUAD] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
    for (int i = 0; i < QUAD; ++i) b[k % 2][load * QUAD + i] = value[i];
  }

  /// All that is needed to multiply at `k`.
  __device__ void load(const float* from_a, const float* from_b, int k) {
    constexpr bool a_first = FIRST_LOADS == FIRST_LOADS_a;
    if (a_first && k % DEPTH_A == 0) load_all_a(from_a, k);
#pragma unroll
    for (int i = 0; i < LOADS_B; ++i) load_b(from_b, k, i);
    if (!a_first && k % DEPTH_A == 0) load_all_a(from_a, k);
  }

 private:
  __device__ void load_all_a(const float* from, int k) {
#pragma unroll
    for (int i = 0; i < LOADS_A; ++i) load_a(from, k, i);
  }
};

using Sums = float[THREAD_M][THREAD_N];

/// The register file has two banks, even and odd; a multiply-add whose factor and sum come from the same one takes
/// another cycle. Loads of 16 bytes put the factors into registers in order, and this load, which is `never` executed,
/// asks for the sums in the order 1, 0, 3, 2: each in the other bank than the factor that changes along the serpentine.
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
                   : "+f"(sum[i][j]), "+f"(sum[i + next_m][j + next_n]), "+f"(sum[i + 2 * next_m][j + 2 * next_n]),
                     "+f"(sum[i + 3 * next_m][j + 3 * next_n])
                   : "r"(static_cast<unsigned>(never)));
    }
  }
#endif
}

/// The multiply-adds of one k, in a serpentine: neighbours share one factor, which stays in the operand cache, and at
/// the turns the other.
__device__ inline void multiply(Sums& sum, const Fragments& fragments, int k) {
  const float(&a)[THREAD_M] = fragments.a[k / DEPTH_A % 2][k % DEPTH_A];
  const float(&b)[THREAD_N] = fragments.b[k % 2];
  if constexpr (ORDER == ORDER_rows) {
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
      for (int step = 0; step < THREAD_N; ++step) {
        const int j = i % 2 == 0 ? step : THREAD_N - 1 - step;
        sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
      }
    }
  } else {
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) {
#pragma unroll
      for (int step = 0; step < THREAD_M; ++step) {
        const int i = j % 2 == 0 ? step : THREAD_M - 1 - step;
        sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
      }
    }
  }
}
