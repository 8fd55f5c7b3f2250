// Several products on Hopper's tensor cores: a batch, or groups of unlike numbers of rows. See wgmma.cu.
#include "wgmma/roles.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    matmul_wgmma_groups(const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
                        const __grid_constant__ CUtensorMap D_map, Output* D, const int* starts, int M, int N,
                        int ldd, int groups, int columns, int band, int k_tiles, float alpha) {
  run_block(A_map, B_map, D_map, {D, M, N, ldd, alpha}, {}, {groups, starts, M}, {0, columns, band, k_tiles});
}
