// C(M x N) = A(M x K) * B(K x N), row-major, whole tiles only, in the space that tuners are compared on: tile and
// block of any shape, unrolling, vector loads, and A and B through shared memory or not.
//
// A block makes a TILE_M x TILE_N tile of C in steps of TILE_K. Of a thread's ROWS x COLUMNS elements the rows are
// THREADS_M apart, and the columns come in pieces of VECTOR_B that are THREADS_N pieces apart.

constexpr int THREADS = THREADS_M * THREADS_N;
constexpr int ROWS = TILE_M / THREADS_M;
constexpr int COLUMNS = TILE_N / THREADS_N;
constexpr int PIECES = COLUMNS / VECTOR_B;

template <int WIDTH>
struct alignas(sizeof(float) * WIDTH) Vector {
  float lane[WIDTH];
};
using VectorA = Vector<VECTOR_A>;
using VectorB = Vector<VECTOR_B>;

template <typename V>
__device__ V load(const float* from) {
  return *reinterpret_cast<const V*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
#if SHARED_A
  __shared__ float tile_a[TILE_K][TILE_M + 1];  // transposed; the column spreads the stores over the banks
#endif
#if SHARED_B
  __shared__ VectorB tile_b[TILE_K][TILE_N / VECTOR_B];
#endif
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const float* rows_of_a = A + static_cast<size_t>(blockIdx.y) * TILE_M * K;
  const float* columns_of_b = B + blockIdx.x * TILE_N;
  float sum[ROWS][COLUMNS] = {};

  for (int k0 = 0; k0 < K; k0 += TILE_K) {
#if SHARED_A
#pragma unroll 1
    for (int i = y * THREADS_N + x; i < TILE_M * TILE_K / VECTOR_A; i += THREADS) {
      const int m = i / (TILE_K / VECTOR_A);
      const int k = i % (TILE_K / VECTOR_A) * VECTOR_A;
      const VectorA piece = load<VectorA>(rows_of_a + static_cast<size_t>(m) * K + k0 + k);
#pragma unroll
      for (int j = 0; j < VECTOR_A; ++j) tile_a[k + j][m] = piece.lane[j];
    }
#endif
#if SHARED_B
#pragma unroll 1
    for (int i = y * THREADS_N + x; i < TILE_K * TILE_N / VECTOR_B; i += THREADS) {
      const int k = i / (TILE_N / VECTOR_B);
      const int piece = i % (TILE_N / VECTOR_B);
      tile_b[k][piece] = load<VectorB>(columns_of_b + static_cast<size_t>(k0 + k) * N + piece * VECTOR_B);
    }
#endif
#if SHARED_A || SHARED_B
    __syncthreads();
#endif

#pragma unroll UNROLL
    for (int k = 0; k < TILE_K; ++k) {
      float a[ROWS];
#pragma unroll
      for (int m = 0; m < ROWS; ++m) {
#if SHARED_A
        a[m] = tile_a[k][m * THREADS_M + y];
#else
        a[m] = rows_of_a[static_cast<size_t>(m * THREADS_M + y) * K + k0 + k];
#endif
      }
#pragma unroll
      for (int p = 0; p < PIECES; ++p) {
        const int piece = p * THREADS_N + x;
#if SHARED_B
        const VectorB b = tile_b[k][piece];
#else
        const VectorB b = load<VectorB>(columns_of_b + static_cast<size_t>(k0 + k) * N + piece * VECTOR_B);
#endif
#pragma unroll
        for (int m = 0; m < ROWS; ++m) {
#pragma unroll
          for (int j = 0; j < VECTOR_B; ++j) sum[m][p * VECTOR_B + j] += a[m] * b.lane[j];
        }
      }
    }
#if SHARED_A || SHARED_B
    __syncthreads();
#endif
  }

  float* tile_c = C + static_cast<size_t>(blockIdx.y) * TILE_M * N + blockIdx.x * TILE_N;
#pragma unroll
  for (int m = 0; m < ROWS; ++m) {
#pragma unroll
    for (int p = 0; p < PIECES; ++p) {
      VectorB piece;
#pragma unroll
      for (int j = 0; j < VECTOR_B; ++j) piece.lane[j] = sum[m][p * VECTOR_B + j];
      *reinterpret_cast<VectorB*>(tile_c + static_cast<size_t>(m * THREADS_M + y) * N +
                                  (p * THREADS_N + x) * VECTOR_B) = piece;
    }
  }
}
