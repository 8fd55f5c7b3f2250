// D (M x N) = alpha * A (M x K) * B (K x N) on Hopper's tensor cores: half, bfloat16 or scaled FP8, sums in
// float.
//
// A block has one warpgroup that copies and CONSUMERS that multiply. Between them lies a ring of STAGES
// k-tiles in shared memory: the copier fills what has been read, the others multiply what has come. As many
// blocks as the GPU holds take tiles in turn, so the copies of the next tile run while this one is stored.
// docs/gemm-half.md tells what each choice is worth.
//
//   schedule.cuh   which tiles are a block's
//   copies.cuh     global memory -> shared memory, edges, clusters
//   multiply.cuh   shared memory -> sums
//   split.cuh      sums of blocks that share a tile
//   scale.cuh      what FP8 numbers stand for
//   result.cuh     + beta * C
//   store.cuh      sums -> D, or store_floats.cuh where it is float
//   barrier.cuh    who waits for whom
//
// and roles.cuh, the roles of the warpgroups.

#include "wgmma/roles.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    matmul_wgmma(const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
                 const __grid_constant__ CUtensorMap D_map, Output* D, int M, int N, int ldd, int rows,
                 int columns, int band, int k_tiles, float alpha, const float* scale_a,
                 const float* scale_b) {
  run_block(A_map, B_map, D_map, {D, M, N, ldd, alpha}, {scale_a, scale_b}, {1, nullptr, M},
            {rows, columns, band, k_tiles});
}
