#pragma once
// The tiling, level by level, and what follows from the parameters.
//
//   block tile    TILE_M x TILE_N of C, in steps of TILE_K along k
//   slice         SLICES groups of warps share a block's k-tiles; each has the whole block tile in its
//   registers warp tile     WARP_M x WARP_N thread tile   THREAD_M x THREAD_N, cut into quads of four
//   neighbouring columns

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

constexpr bool STREAM_K = SCHEDULE == SCHEDULE_stream;

/// Shared memory of a k-tile: A transposed, as [k][m], then B as [k][n]. A warp copies COPY_LANES k of as
/// many rows of A as there are lanes left; so much padding puts all of them into different banks, and keeps
/// 16-byte alignment.
constexpr int PITCH_A = TILE_M + WARP / COPY_LANES;
constexpr int SHARED_A = PITCH_A * TILE_K;
constexpr int SHARED_B = TILE_K * TILE_N;
constexpr int STAGE_FLOATS = SHARED_A + SHARED_B;
constexpr int STAGE_BYTES = STAGE_FLOATS * 4;
constexpr int PIPELINE_FLOATS = STAGES * STAGE_FLOATS;  // of one slice
constexpr int AHEAD = STAGES - 1;                       // k-tiles copied before the first is needed

/// From one column of a quad to the next in C.
constexpr int COLUMN_STEP = VECTOR == 16 ? 1 : LANES_N;

/// Where column `n` of the block tile is in a row of B in shared memory. A thread reads quads. If B is copied
/// in quads, they are neighbouring columns. If it is copied float by float, C is stored so as well, and
/// neighbouring lanes should store neighbouring columns: so columns are dealt out to the lanes, and every
/// quad of lanes' quads is transposed.
__device__ constexpr int shared_column(int n) {
  constexpr int dealt = QUAD * LANES_N;
  return VECTOR == 16 ? n : n / dealt * dealt + n % LANES_N * QUAD + n / LANES_N % QUAD;
}

__device__ constexpr int smaller(int a, int b) {
  return a < b ? a : b;
}
__device__ constexpr int larger(int a, int b) {
  return a > b ? a : b;
}
__device__ constexpr int divide_up(int a, int b) {
  return (a + b - 1) / b;
}

/// Of numbers that are not negative; for those that may be it would take half as many instructions more.
__device__ inline int quotient(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) / static_cast<unsigned>(b));
}
