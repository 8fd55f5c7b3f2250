#pragma once
// The tiling: a warp has TILE_M x TILE_N elements of D, in steps of TILE_K along k.

#include "product/variant.cuh"

static_assert(sizeof(Number) <= 2, "half, bfloat16 or FP8");

constexpr int WARP = 32;
constexpr int PIECE = 16 / sizeof(Number);   // numbers in 16 bytes
constexpr int STEP_K = 64 / sizeof(Number);  // of k, that are multiplied together
constexpr int THREADS = WARPS * WARP;
constexpr int BLOCKS_M = TILE_M / 8;
constexpr int BLOCKS_N = TILE_N / 16;
constexpr bool B_ALONG_K = B_COLUMNS;
static_assert(TILE_M % 8 == 0 && TILE_N % 16 == 0 && TILE_K % STEP_K == 0, "whole instructions");
static_assert(B_ALONG_K || (TILE_N % 64 == 0 && sizeof(Number) == 2), "eight pieces change places");

struct Stage {
  Number b[TILE_K * TILE_N];
  Number a[TILE_M * TILE_K];
};

union WarpMemory {
  Stage stages[STAGES];
  float sums[TILE_M * TILE_N];
};

/// Where piece number `piece` of a row of a stage is. Eight lanes read eight rows at a time: pieces change
/// places with the row, so that they come from different banks. A lies along k, B along k or across it.
__device__ inline int place_along(int row, int piece) {
  return row * TILE_K + (piece ^ (TILE_K == STEP_K ? row / 2 % 4 : row % 8)) * PIECE;
}
__device__ inline int place_across(int k, int piece) {
  return k * TILE_N + (piece ^ k % 8) * PIECE;
}
