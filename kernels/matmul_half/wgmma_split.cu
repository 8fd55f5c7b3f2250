// On Hopper's tensor cores, with the tiles of the last wave divided along k, so that they fill it. See
// wgmma.cu.
#include "wgmma/roles.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    matmul_wgmma_split(const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
                       const __grid_constant__ CUtensorMap D_map, Output* D, float4* partials,
                       unsigned* arrivals, int M, int N, int ldd, int rows, int columns, int band,
                       int k_tiles, int whole_tiles, int parts, int part_k_tiles, float alpha) {
  run_block(A_map, B_map, D_map, {D, M, N, ldd, alpha}, {}, {1, nullptr, M},
            {rows, columns, band, k_tiles, whole_tiles, parts, part_k_tiles}, {partials, arrivals});
}
