// What every kernel of the family must compute, D = scale_a * scale_b * A * B, and by how much it may be off.
// A product of two FP8 numbers is exact in float, and the sum in double is as good as exact here. B is given
// by columns. Scales are one for each matrix, or one for each row of A and column of B: `scale_stride` is 0
// or 1.
//
// Tensor cores of Hopper keep some 14 bits of a sum of FP8 products and cut off the rest, so each addition is
// off by at most 2^-13 of the largest sum. Every 128 products the sum is to be added up in float, whose error
// is small beside that. So a result is off by at most 128 * 2^-13 of the sum of absolute values, and is
// rounded once to bfloat16, u = 2^-8: |D - expected| <= u * magnitude, where magnitude = |expected| +
// 128 * 2^-13 / u * sum of |a|*|b|, and 1 % of the latter for what is of second order.
//
// A block of 32 x 8 threads computes a 32 x 32 tile of D; each thread has four elements of a column.
#include <cuda_fp8.h>

constexpr int TILE = 32;
constexpr int ROWS = 8;
constexpr int PER_THREAD = TILE / ROWS;

extern "C" __global__ void matmul_fp8_reference(const ELEMENT_TYPE* A, const ELEMENT_TYPE* B,
                                                const float* scale_a, const float* scale_b, double* expected,
                                                double* magnitude, int M, int N, int K, int lda, int ldb,
                                                int ldd, int scale_stride) {
  __shared__ float tile_a[TILE][TILE + 1];
  __shared__ float tile_b[TILE][TILE + 1];  // a row is a column of B
  const int column = blockIdx.x * TILE + threadIdx.x;
  const int first_row = blockIdx.y * TILE + threadIdx.y;
  double sum[PER_THREAD] = {};
  float absolute[PER_THREAD] = {};

  for (int k0 = 0; k0 < K; k0 += TILE) {
    const int k = k0 + threadIdx.x;
    for (int i = 0; i < PER_THREAD; ++i) {
      const int in_tile = threadIdx.y + i * ROWS;
      const int row = first_row + i * ROWS, column_b = blockIdx.x * TILE + in_tile;
      tile_a[in_tile][threadIdx.x] =
          row < M && k < K ? static_cast<float>(A[static_cast<size_t>(row) * lda + k]) : 0.0F;
      tile_b[in_tile][threadIdx.x] =
          column_b < N && k < K ? static_cast<float>(B[static_cast<size_t>(column_b) * ldb + k]) : 0.0F;
    }
    __syncthreads();
    for (int in_tile = 0; in_tile < TILE; ++in_tile) {
      const float b = tile_b[threadIdx.x][in_tile];
      for (int i = 0; i < PER_THREAD; ++i) {
        const float product = tile_a[threadIdx.y + i * ROWS][in_tile] * b;
        sum[i] += product;
        absolute[i] += fabsf(product);
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < PER_THREAD; ++i) {
    const int row = first_row + i * ROWS;
    if (row < M && column < N) {
      const double scale =
          static_cast<double>(scale_a[row * scale_stride]) * scale_b[column * scale_stride];
      const size_t at = static_cast<size_t>(row) * ldd + column;
      expected[at] = sum[i] * scale;
      magnitude[at] = fabs(expected[at]) + 1.01 * (128 * 0x1p-13 / 0x1p-8) * absolute[i] * fabs(scale);
    }
  }
}
