// What every kernel of the family must compute, in arithmetic far better than theirs: for each element of C = A*B
//   expected  = sum over k of a*b     magnitude = sum over k of |a|*|b|
// Products of two floats or of small integers are exact in double, so plain accumulation is enough for them. For
// double the sum is compensated (Dot2: Ogita, Rump, Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26,
// 2005), as if accumulated in twice the working precision.
//
// A block of 32 x 8 threads computes a 32 x 32 tile of C; each thread has four elements of a column.

constexpr int TILE = 32;
constexpr int ROWS = 8;
constexpr int PER_THREAD = TILE / ROWS;

#if ELEMENT_BYTES == 8 && !ELEMENT_IS_INTEGER
struct Sum {
  double high = 0;
  double low = 0;
  __device__ void add_product(double a, double b) {
    const double product = a * b;
    const double product_error = fma(a, b, -product);
    const double sum = high + product;
    const double virtual_product = sum - high;
    const double sum_error = (high - (sum - virtual_product)) + (product - virtual_product);
    high = sum;
    low += sum_error + product_error;
  }
  __device__ double value() const { return high + low; }
};
#else
struct Sum {
  double high = 0;
  __device__ void add_product(double a, double b) { high = fma(a, b, high); }
  __device__ double value() const { return high; }
};
#endif

extern "C" __global__ void matmul_reference(const ELEMENT_TYPE* A, const ELEMENT_TYPE* B, double* expected,
                                            double* magnitude, int M, int N, int K, int lda, int ldb, int ldc) {
  __shared__ double tile_a[TILE][TILE + 1];
  __shared__ double tile_b[TILE][TILE + 1];
  const int column = blockIdx.x * TILE + threadIdx.x;
  const int first_row = blockIdx.y * TILE + threadIdx.y;
  Sum sum[PER_THREAD];
  double absolute[PER_THREAD] = {};

  for (int k0 = 0; k0 < K; k0 += TILE) {
    for (int i = 0; i < PER_THREAD; ++i) {
      const int row = first_row + i * ROWS;
      const int k_a = k0 + threadIdx.x;
      const int k_b = k0 + threadIdx.y + i * ROWS;
      tile_a[threadIdx.y + i * ROWS][threadIdx.x] =
          row < M && k_a < K ? static_cast<double>(A[static_cast<size_t>(row) * lda + k_a]) : 0.0;
      tile_b[threadIdx.y + i * ROWS][threadIdx.x] =
          k_b < K && column < N ? static_cast<double>(B[static_cast<size_t>(k_b) * ldb + column]) : 0.0;
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      const double b = tile_b[k][threadIdx.x];
      for (int i = 0; i < PER_THREAD; ++i) {
        const double a = tile_a[threadIdx.y + i * ROWS][k];
        sum[i].add_product(a, b);
        absolute[i] = fma(fabs(a), fabs(b), absolute[i]);
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < PER_THREAD; ++i) {
    const int row = first_row + i * ROWS;
    if (row < M && column < N) {
      expected[static_cast<size_t>(row) * ldc + column] = sum[i].value();
      magnitude[static_cast<size_t>(row) * ldc + column] = absolute[i];
    }
  }
}
