#pragma once
// The tiling, level by level, and what follows from the parameters.
//
//   block tile    TILE_M x TILE_N of C, in steps of TILE_K along k
//   slice         SLICES groups of warps share a block's k-tiles; each has the whole block tile in its registers
//   warp tile     WARP_M x WARP_N
//   thread tile   THREAD_M x THREAD_N, cut into quads of four neighbouring columns

constexpr int WARP = 32;
constexpr int QUAD = 4;  // floats of a 16-byte load

constexpr int LANES_N = WARP / LANES_M;
constexpr int WARP_M = LANES_M * THREAD_M;
constexpr int WARP_N = LANES_N * THREAD_N;
constexpr int WARPS_M = TILE_M / WARP_M;
constexpr int WARPS_N = TILE_N / WARP_N;
constexpr int SLICE_THREADS = WARP * WARPS_M * WARPS_N;
constexpr int THREADS = SLICE_THREADS * SLICES;
static_assert(TILE_M % WARP_M == 0 && TILE_N % WARP_N == 0, "warp tiles fill the block tile");
static_assert(THREAD_M % QUAD == 0 && THREAD_N % QUAD == 0, "thread tiles are made of quads");

constexpr bool TRANSPOSED = TILE_A == TILE_A_transposed;
constexpr bool STREAM_K = SCHEDULE == SCHEDULE_stream;

/// Shared memory of a k-tile: A as [k][m] or, as it lies in global memory, as [m][k]; then B as [k][n]. The quad of
/// padding keeps 16-byte alignment. Transposed, it puts the eight k that a warp copies at a time into eight different
/// groups of banks; else it does so with the rows of a warp's lanes, of which 4 of 8 floats do not collide anyway.
constexpr int PITCH_A = TRANSPOSED ? TILE_M + QUAD : TILE_K + (TILE_K == 8 && LANES_M == 4 ? 0 : QUAD);
constexpr int SHARED_A = PITCH_A * (TRANSPOSED ? TILE_K : TILE_M);
constexpr int SHARED_B = TILE_K * TILE_N;
constexpr int STAGE_FLOATS = SHARED_A + SHARED_B;
constexpr int STAGE_BYTES = STAGE_FLOATS * 4;
constexpr int PIPELINE_FLOATS = STAGES * STAGE_FLOATS;  // of one slice
constexpr int AHEAD = STAGES - 1;                       // k-tiles copied before the first is needed

__device__ constexpr int smaller(int a, int b) {
  return a < b ? a : b;
}
__device__ constexpr int larger(int a, int b) {
  return a > b ? a : b;
}
__device__ constexpr int divide_up(int a, int b) {
  return (a + b - 1) / b;
}
