#pragma once
// A warp's way through its k-tiles: of those of its block every WARPS-th, of these STAGES - 1 on their way
// while one is used. Blocks of a cluster, which lies along x, share the k-tiles evenly.

#ifndef OVERLAP
#define OVERLAP 0  // 1: launches overlap, see below
#endif

#include "few_rows/copy.cuh"

/// `copy_a(stage, k_tile)` and `copy_b` ask for a k-tile of A and of B, `use(stage)` reads both. In the end
/// nothing is on its way, and all lanes have read what was.
///
/// Where launches overlap, the first k-tiles of B come while the launch before, which does not write B, ends.
template <typename Stage, typename CopyA, typename CopyB, typename Use>
__device__ inline void stream_tiles(Stage (&stages)[STAGES], int k_tiles, CopyA copy_a, CopyB copy_b,
                                    Use use) {
  const int block = blockIdx.x, blocks = gridDim.x;
  int next = k_tiles * block / blocks + threadIdx.x / 32;
  const int end = k_tiles * (block + 1) / blocks;
  let_next_launch_begin();
  int ahead = next;
  if constexpr (OVERLAP) {
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) {
      if (next + stage * WARPS < end) copy_b(stages[stage], next + stage * WARPS);
    }
    wait_for_launch_before();
  }
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage, ahead += WARPS) {
    if (ahead < end && !OVERLAP) copy_b(stages[stage], ahead);
    if (ahead < end) copy_a(stages[stage], ahead);
    end_copy_group();
  }
  int read = 0, write = STAGES - 1;
  for (; next < end; next += WARPS, ahead += WARPS) {
    wait_for_copies<STAGES - 2>();
    __syncwarp();  // what other lanes copied is there, and what is written next they have read
    if (ahead < end) {
      copy_a(stages[write], ahead);
      copy_b(stages[write], ahead);
    }
    end_copy_group();
    use(stages[read]);
    read = read + 1 == STAGES ? 0 : read + 1;
    write = write + 1 == STAGES ? 0 : write + 1;
  }
  wait_for_copies<0>();
  __syncwarp();
}
