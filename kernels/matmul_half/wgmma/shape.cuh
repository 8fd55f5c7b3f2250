#pragma once
// The tiling, level by level, and what follows from the parameters.
//
//   cluster     CLUSTER_M x CLUSTER_N blocks, which share what they copy, or CLUSTER_K, which share a tile
//   block tile  TILE_M x TILE_N of D, in steps of TILE_K along k
//   team        the warpgroups that multiply one tile: all CONSUMERS, or with SCHEDULE 'turns' one of two
//   block       64 rows of one wgmma instruction after the other; a warp has 16 of them
//
// One side of a tile is a multiple of 64, the other of 8. Which one, LONG_SIDE says: with 'columns' the
// tile's transpose is multiplied, B^T * A^T.
//
// All rows of shared memory are of 128 bytes, as the 128-byte swizzle wants them: 64 numbers, or 128 of FP8.

#if ELEMENT_BYTES != 1
#define PROMOTE 0  // sums of FP8 alone lack bits, see multiply.cuh
#endif

#ifndef SPLIT_REST
#define SPLIT_REST 0  // the tiles of the last wave are divided, see schedule.cuh
#endif

#ifndef B_BOX
#define B_BOX (TILE_K / CLUSTER_M)  // rows of B that lie across k, in a box
#endif

#include "product/variant.cuh"

static_assert(sizeof(Number) <= 2, "half, bfloat16 or FP8");

constexpr int WARP = 32;
constexpr int GROUP = 128;  // threads of a warpgroup
constexpr int ROW_BYTES = 128;
constexpr int ROW = ROW_BYTES / sizeof(Number);  // numbers of a swizzled row
constexpr int STEP = 32 / sizeof(Number);        // of k, in one wgmma
constexpr int STORE_ROW = 64;                    // numbers of a swizzled row of D

constexpr bool TURNS = SCHEDULE == SCHEDULE_turns;
constexpr int TEAM = TURNS ? 1 : CONSUMERS;  // warpgroups that share a tile
constexpr int TEAMS = CONSUMERS / TEAM;
constexpr int THREADS = GROUP * (CONSUMERS + 1);
constexpr bool TRANSPOSED = LONG_SIDE == LONG_SIDE_columns;
constexpr int GROUP_LONG = (TRANSPOSED ? TILE_N : TILE_M) / TEAM;
constexpr int GROUP_M = TRANSPOSED ? TILE_M : GROUP_LONG;
constexpr int GROUP_N = TRANSPOSED ? GROUP_LONG : TILE_N;
constexpr int BLOCKS = GROUP_LONG / 64;
static_assert(GROUP_LONG % 64 == 0 && WIDE % 8 == 0 && WIDE <= 256 && TILE_K % ROW == 0, "shapes of wgmma");

constexpr int SQUARE = CLUSTER_M * CLUSTER_N;
constexpr int CLUSTER = SQUARE * CLUSTER_K;
static_assert(CLUSTER_K == 1 || (SQUARE == 1 && !TURNS), "one or the other");
static_assert(!GROUPED || CLUSTER == 1, "groups have tiles by themselves");
static_assert(!SPLIT_REST || (CLUSTER == 1 && !GROUPED), "blocks share tiles one way or the other");

/// A and B in shared memory: where they lie along k, for each 64 of k as many rows as the tile has; else for
/// each 64 rows or columns of the tile TILE_K rows.
constexpr bool B_ROWS = B_ORDER == B_ORDER_rows;
static_assert((!B_ROWS && !A_COLUMNS) || sizeof(Number) == 2, "wgmma reads FP8 along k alone");
__device__ constexpr int rows_in_stage(bool along_k, int length) {
  return along_k ? TILE_K / ROW * length : (length + ROW - 1) / ROW * TILE_K;
}
constexpr int BYTES_A = rows_in_stage(!A_COLUMNS, TILE_M) * ROW_BYTES;
constexpr int BYTES_B = rows_in_stage(!B_ROWS, TILE_N) * ROW_BYTES;
constexpr int STAGE_BYTES = BYTES_A + BYTES_B;
static_assert(BYTES_A % 1024 == 0 && BYTES_B % 1024 == 0, "the swizzle repeats every 1024 bytes");

/// What is handed to the copy engine at a time: by a warp, its 16 rows of STORE_N columns, 64 of them
/// swizzled, else an odd number of 16 bytes, so that eight rows lie in different banks by themselves; or,
/// transposed, by a warpgroup STORE_M rows of 64 columns.
constexpr int STORE_BYTES = FLOAT_OUT ? 16 : STORE_M * STORE_N * 2;  // threads store floats
constexpr int STORE_WARPS = TRANSPOSED ? 4 : 1;
static_assert(GROUP_M % STORE_M == 0 && GROUP_N % STORE_N == 0 &&
                  (STORE_N == STORE_ROW || STORE_N / 8 % 2 == 1),
              "see above");

struct Shared {
  unsigned char stages[STAGES][STAGE_BYTES];
  unsigned char stores[CONSUMERS * 4 / STORE_WARPS][STORES][STORE_BYTES];
  float parts[CLUSTER_K > 1 ? (CLUSTER_K - 1) * TILE_M* TILE_N : 4];  // sums of the cluster's other blocks
  unsigned long long full[STAGES];                                    // the stage's bytes are there
  unsigned long long empty[STAGES];  // they have been read by every block that they were sent to
  unsigned long long turn[TEAMS];    // the team's tile is next
  unsigned long long parts_there;
};
