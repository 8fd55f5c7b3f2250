// C = A B of each of a batch of matrices in half precision, row by row, on tensor cores. A block of 32 *
// WARPS threads makes 16 * WARPS rows of TILES * 16 columns; a warp makes 16 of those rows.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int unroll = UNROLL;  // nvcc expands no macro in a pragma

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    batched_gemm(const __half* A, const __half* B, __half* C, int M, int N, int K) {
  __shared__ float rounded[WARPS][16 * 16];
  const long long batch = blockIdx.z;
  const int warp = threadIdx.x / 32;
  const int row = (blockIdx.y * WARPS + warp) * 16;
  const int column = blockIdx.x * TILES * 16;
  if (row >= M) return;
  const __half* a = A + (batch * M + row) * K;
  const __half* b = B + batch * K * N + column;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[TILES];
  for (int t = 0; t < TILES; ++t) wmma::fill_fragment(sum[t], 0.0f);
#pragma unroll unroll
  for (int k = 0; k < K; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::load_matrix_sync(left, a + k, K);
    for (int t = 0; t < TILES; ++t) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
      wmma::load_matrix_sync(right, b + static_cast<long long>(k) * N + 16 * t, N);
      wmma::mma_sync(sum[t], left, right, sum[t]);
    }
  }
  for (int t = 0; t < TILES; ++t) {
    wmma::store_matrix_sync(rounded[warp], sum[t], 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x % 32; i < 256; i += 32) {
      C[(batch * M + row + i / 16) * N + column + 16 * t + i % 16] = __float2half(rounded[warp][i]);
    }
    __syncwarp();
  }
}
