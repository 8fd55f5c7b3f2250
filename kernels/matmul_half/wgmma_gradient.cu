// D = alpha * A * B + beta * C on Hopper's tensor cores, D in float: see wgmma.cu.
#include "wgmma/roles.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    matmul_wgmma_gradient(const __grid_constant__ CUtensorMap A_map,
                          const __grid_constant__ CUtensorMap B_map, const float* C, float* D, int M, int N,
                          int ldd, int rows, int columns, int band, int k_tiles, float alpha, float beta) {
  run_block(A_map, B_map, A_map, {D, M, N, ldd, alpha, C, beta}, {}, {1, nullptr, M},
            {rows, columns, band, k_tiles});
}
