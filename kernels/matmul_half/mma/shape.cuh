#pragma once
// The tiling, level by level, and what follows from the parameters.
//
//   block tile  TILE_M x TILE_N of D, in steps of TILE_K along k
//   warp tile   one of WARPS_M x WARPS_N
//   block       16 x 8 of an instruction, of which a lane has two columns of rows lane / 4 and 8 below

#include "product/variant.cuh"

static_assert(sizeof(Number) == 2 || (B_COLUMNS && !A_COLUMNS), "ldmatrix turns no bytes");

constexpr int WARP = 32;
constexpr int PIECE = 16 / sizeof(Number);   // numbers in 16 bytes, which are copied together
constexpr int STEP_K = 32 / sizeof(Number);  // of k, in two pieces
constexpr int WARPS = WARPS_M * WARPS_N;
constexpr int THREADS = WARPS * WARP;
constexpr int WARP_M = TILE_M / WARPS_M;
constexpr int WARP_N = TILE_N / WARPS_N;
constexpr int BLOCKS_M = WARP_M / 16;
constexpr int BLOCKS_N = WARP_N / 8;
constexpr int STEPS = TILE_K / STEP_K;
static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0 && (TILE_K == 4 * PIECE || TILE_K == 8 * PIECE),
              "whole instructions");
static_assert(TILE_M % 64 == 0 && TILE_N % 64 == 0, "eight pieces change places");
static_assert(STAGES >= 2, "one to read and one to fill");

constexpr bool SHARED_TILES = SCHEDULE != SCHEDULE_tiles;  // blocks share k-tiles of a tile
static_assert(!(SHARED_TILES && GROUPED), "how many tiles groups have is not known before the launch");

/// An operand lies along k (rows of A, columns of B) or across it. So does its part of a stage.
constexpr bool A_ALONG_K = !A_COLUMNS;
constexpr bool B_ALONG_K = B_COLUMNS;

struct Stage {
  Number a[TILE_M * TILE_K];
  Number b[TILE_N * TILE_K];
};

constexpr int STORE_ROW = WARP_N + 8;  // floats, so that eight rows lie in different banks

union Shared {
  Stage stages[STAGES];
  float stores[WARPS][16 * STORE_ROW];
};

/// Where a piece of an operand's part of a stage begins: `across` counts rows of A or columns of B, `k`
/// whatever lies along k. Eight lanes read eight neighbouring rows of shared memory at a time: pieces change
/// places with the row, so that they come from different banks.
template <bool ALONG_K, int LENGTH>
__device__ constexpr unsigned place_of(unsigned across, unsigned k) {
  if (ALONG_K) {
    const unsigned swap = TILE_K == 4 * PIECE ? across / 2 % 4 : across % 8;
    return across * TILE_K + (k / PIECE ^ swap) * PIECE;
  }
  return k * LENGTH + (across / PIECE ^ k % 8) * PIECE;
}

__device__ inline unsigned lane() {
  return threadIdx.x % WARP;
}

/// Of the warp, in the block tile.
__device__ inline unsigned warp_row() {
  return threadIdx.x / WARP / WARPS_N * WARP_M;
}
__device__ inline unsigned warp_column() {
  return threadIdx.x / WARP % WARPS_N * WARP_N;
}
