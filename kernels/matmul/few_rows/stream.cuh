#pragma once
// A warp's way through its k-tiles: of those of its block every WARPS-th, of these STAGES - 1 on their way
// while one is used. Blocks of a cluster, which lies along x, share the k-tiles evenly.

#include "few_rows/copy.cuh"

/// `copy(stage, k_tile)` asks for a k-tile, `use(stage)` reads it. In the end nothing is on its way, and all
/// lanes have read what was.
template <typename Stage, typename Copy, typename Use>
__device__ inline void stream_tiles(Stage (&stages)[STAGES], int k_tiles, Copy copy, Use use) {
  const int block = blockIdx.x, blocks = gridDim.x;
  int next = k_tiles * block / blocks + threadIdx.x / 32;
  const int end = k_tiles * (block + 1) / blocks;
  int ahead = next;
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage, ahead += WARPS) {
    if (ahead < end) copy(stages[stage], ahead);
    end_copy_group();
  }
  int read = 0, write = STAGES - 1;
  for (; next < end; next += WARPS, ahead += WARPS) {
    wait_for_copies<STAGES - 2>();
    __syncwarp();  // what other lanes copied is there, and what is written next they have read
    if (ahead < end) copy(stages[write], ahead);
    end_copy_group();
    use(stages[read]);
    read = read + 1 == STAGES ? 0 : read + 1;
    write = write + 1 == STAGES ? 0 : write + 1;
  }
  wait_for_copies<0>();
  __syncwarp();
}
