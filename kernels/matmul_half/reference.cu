// What every kernel of the family must compute, D = A * B, and by how much it may be off. A product of two
// halves or bfloat16s is exact in float, and in double; the sum in double is as good as exact here.
//
// The tensor cores add products in an order of their own and cut off what is shifted out, so each of K
// additions is off by at most 2^-23 of the largest sum, and no sum is larger than that of the absolute
// values. The result is rounded once to the type, u = 2^-11 or 2^-8. So |D - expected| <= u * magnitude,
// where magnitude = |expected| + 2^-23 / u * K * sum of |a|*|b|, and 1 % of the latter for what is of second
// order.
//
// From a row of A or B to the next it is `row` numbers, from a column to the next `column`: one of them is 1.
//
// With a C, D = A * B + beta * C is a sum of two more terms. Groups have rows of A and D one below the other.
//
// A block of 32 x 8 threads computes a 32 x 32 tile of D; each thread has four elements of a column.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int TILE = 32;
constexpr int ROWS = 8;
constexpr int PER_THREAD = TILE / ROWS;

__device__ constexpr double unit_roundoff(__half) {
  return 0x1p-11;
}
__device__ constexpr double unit_roundoff(__nv_bfloat16) {
  return 0x1p-8;
}
__device__ constexpr double unit_roundoff(float) {
  return 0x1p-24;
}
__device__ constexpr double half_of_least(__half) {
  return 0x1p-25;
}  // where results underflow
__device__ constexpr double half_of_least(__nv_bfloat16) {
  return 0;
}
__device__ constexpr double half_of_least(float) {
  return 0;
}

struct Matrix {
  const ELEMENT_TYPE* numbers;
  int row, column;
  __device__ float get(int i, int j) const {
    return static_cast<float>(numbers[static_cast<size_t>(i) * row + static_cast<size_t>(j) * column]);
  }
};

/// `above`: rows of D that are other products'; `end`: behind the last of this one's.
template <typename Output>
__device__ void compute(Matrix A, Matrix B, const float* C, double* expected, double* magnitude, int above,
                        int end, int N, int K, int ldd, float beta) {
  __shared__ float tile_a[TILE][TILE + 1];
  __shared__ float tile_b[TILE][TILE + 1];
  const int column = blockIdx.x * TILE + threadIdx.x;
  const int first_row = above + blockIdx.y * TILE + threadIdx.y;
  double sum[PER_THREAD] = {};
  float absolute[PER_THREAD] = {};
  if (above + static_cast<int>(blockIdx.y) * TILE >= end) return;

  for (int k0 = 0; k0 < K; k0 += TILE) {
    for (int i = 0; i < PER_THREAD; ++i) {
      const int row = first_row + i * ROWS;
      const int k_a = k0 + threadIdx.x;
      const int k_b = k0 + threadIdx.y + i * ROWS;
      tile_a[threadIdx.y + i * ROWS][threadIdx.x] = row < end && k_a < K ? A.get(row, k_a) : 0.0F;
      tile_b[threadIdx.y + i * ROWS][threadIdx.x] = k_b < K && column < N ? B.get(k_b, column) : 0.0F;
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      const float b = tile_b[k][threadIdx.x];
      for (int i = 0; i < PER_THREAD; ++i) {
        const float product = tile_a[threadIdx.y + i * ROWS][k] * b;
        sum[i] += product;
        absolute[i] += fabsf(product);
      }
    }
    __syncthreads();
  }

  const double u = unit_roundoff(Output());
  for (int i = 0; i < PER_THREAD; ++i) {
    const int row = first_row + i * ROWS;
    if (row < end && column < N) {
      const size_t at = static_cast<size_t>(row) * ldd + column;
      const double added = C == nullptr ? 0 : static_cast<double>(beta) * C[at];
      expected[at] = sum[i] + added;
      magnitude[at] =
          fabs(sum[i]) + fabs(added) + 1.01 * (K * 0x1p-23 / u * absolute[i] + half_of_least(Output()) / u);
    }
  }
}

extern "C" __global__ void matmul_half_reference(const ELEMENT_TYPE* A, const ELEMENT_TYPE* B,
                                                 double* expected, double* magnitude, int M, int N, int K,
                                                 int lda, int b_row, int b_column, int ldd) {
  compute<ELEMENT_TYPE>({A, lda, 1}, {B, b_row, b_column}, nullptr, expected, magnitude, 0, M, N, K, ldd, 0);
}

/// A by columns, C and D float.
extern "C" __global__ void matmul_half_gradient_reference(const ELEMENT_TYPE* A, const ELEMENT_TYPE* B,
                                                          const float* C, double* expected, double* magnitude,
                                                          int M, int N, int K, int lda, int ldb, int ldd,
                                                          float beta) {
  compute<float>({A, 1, lda}, {B, ldb, 1}, C, expected, magnitude, 0, M, N, K, ldd, beta);
}

extern "C" __global__ void matmul_half_batched_reference(const ELEMENT_TYPE* A, const ELEMENT_TYPE* B,
                                                         double* expected, double* magnitude, int M, int N,
                                                         int K, int lda, int ldb, int ldd) {
  const int group = blockIdx.z;
  compute<ELEMENT_TYPE>({A, lda, 1}, {B + static_cast<size_t>(group) * K * ldb, ldb, 1}, nullptr, expected,
                        magnitude, group * M, (group + 1) * M, N, K, ldd, 0);
}

extern "C" __global__ void matmul_half_grouped_reference(const ELEMENT_TYPE* A, const ELEMENT_TYPE* B,
                                                         const int* starts, double* expected,
                                                         double* magnitude, int M, int N, int K, int lda,
                                                         int ldb, int ldd) {
  const int group = blockIdx.z;
  compute<ELEMENT_TYPE>({A, lda, 1}, {B + static_cast<size_t>(group) * K * ldb, ldb, 1}, nullptr, expected,
                        magnitude, starts[group], starts[group + 1], N, K, ldd, 0);
}
