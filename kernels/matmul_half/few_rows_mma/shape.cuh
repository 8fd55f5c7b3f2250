#pragma once
// The tiling: a warp has TILE_M x TILE_N elements of D, in steps of TILE_K along k.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

using Number = ELEMENT_TYPE;
static_assert(sizeof(Number) == 2, "half or bfloat16");

constexpr int WARP = 32;
constexpr int PIECE = 8;    // numbers in 16 bytes
constexpr int STEP_K = 32;  // of k, in two instructions
constexpr int THREADS = WARPS * WARP;
constexpr int BLOCKS_M = TILE_M / 8;
constexpr int BLOCKS_N = TILE_N / 16;
static_assert(TILE_M % 8 == 0 && TILE_N % 64 == 0 && TILE_K % STEP_K == 0, "whole instructions and rows");

struct Stage {
  Number b[TILE_K * TILE_N];
  Number a[TILE_M * TILE_K];
};

union WarpMemory {
  Stage stages[STAGES];
  float sums[TILE_M * TILE_N];
};

/// Where piece number `piece` of a row of a stage is. Eight lanes read eight rows at a time: pieces change
/// places with the row, so that they come from different banks.
__device__ inline int place_b(int k, int piece) {
  return k * TILE_N + (piece ^ k % 8) * PIECE;
}
__device__ inline int place_a(int row, int piece) {
  return row * TILE_K + (piece ^ (TILE_K == 32 ? row / 2 % 4 : row % 8)) * PIECE;
}
