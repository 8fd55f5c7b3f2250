// C(M x N) = A(M x K) * B(K x N), row-major: a block makes a TILE_M x TILE_N tile of C in steps of TILE_K, each thread
// a THREAD_M x THREAD_N rectangle of it in registers. A thread loads THREAD_M + THREAD_N elements from shared memory
// for THREAD_M * THREAD_N multiply-adds.
//
// The tile of A is stored transposed, so that both fragments are read with 16-byte shared loads. A thread's rectangle
// is cut into pieces of LANES (16 bytes) spread over the tile: neighbouring threads then read neighbouring pieces,
// without bank conflicts.
// VECTOR 16: global loads of 16 bytes wherever the address and the row's length allow, element by element elsewhere.

constexpr int LANES = 16 / ELEMENT_BYTES;
constexpr int THREADS_X = TILE_N / THREAD_N;
constexpr int THREADS_Y = TILE_M / THREAD_M;
constexpr int THREADS = THREADS_X * THREADS_Y;
constexpr int PIECES_M = THREAD_M / LANES;
constexpr int PIECES_N = THREAD_N / LANES;
constexpr int STRIDE_A = TILE_M + LANES;  // a piece of padding keeps alignment and spreads the transposed stores

struct alignas(16) Piece {
  ELEMENT_TYPE lane[LANES];
};

/// Elements (row, column … column+LANES-1) of a row-major matrix, zeros outside rows x columns.
__device__ Piece load(const ELEMENT_TYPE* matrix, int row, int column, int rows, int columns, int leading) {
  Piece piece = {};
  if (row >= rows) return piece;
  const ELEMENT_TYPE* from = matrix + static_cast<size_t>(row) * leading + column;
#if VECTOR == 16
  if (leading % LANES == 0 && column + LANES <= columns) return *reinterpret_cast<const Piece*>(from);
#endif
#pragma unroll
  for (int i = 0; i < LANES; ++i) {
    if (column + i < columns) piece.lane[i] = from[i];
  }
  return piece;
}

__device__ void store(ELEMENT_TYPE* C, const Piece& piece, int row, int column, int M, int N, int ldc) {
  if (row >= M) return;
  ELEMENT_TYPE* to = C + static_cast<size_t>(row) * ldc + column;
#if VECTOR == 16
  if (ldc % LANES == 0 && column + LANES <= N) {
    *reinterpret_cast<Piece*>(to) = piece;
    return;
  }
#endif
#pragma unroll
  for (int i = 0; i < LANES; ++i) {
    if (column + i < N) to[i] = piece.lane[i];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    register_tile_2d(const ELEMENT_TYPE* __restrict__ A, const ELEMENT_TYPE* __restrict__ B,
                     ELEMENT_TYPE* __restrict__ C, int M, int N, int K, int lda, int ldb, int ldc) {
  extern __shared__ Piece pieces[];
  ELEMENT_TYPE* tile_a = reinterpret_cast<ELEMENT_TYPE*>(pieces);  // [TILE_K][STRIDE_A]
  ELEMENT_TYPE* tile_b = tile_a + TILE_K * STRIDE_A;               // [TILE_K][TILE_N]
  const int thread = threadIdx.x;
  const int x = thread % THREADS_X;
  const int y = thread / THREADS_X;
  const int first_row = blockIdx.y * TILE_M;
  const int first_column = blockIdx.x * TILE_N;
  ELEMENT_TYPE sum[THREAD_M][THREAD_N] = {};

  for (int k0 = 0; k0 < K; k0 += TILE_K) {
    for (int i = thread; i < TILE_M * TILE_K / LANES; i += THREADS) {
      const int m = i / (TILE_K / LANES);
      const int k = i % (TILE_K / LANES) * LANES;
      const Piece piece = load(A, first_row + m, k0 + k, M, K, lda);
#pragma unroll
      for (int j = 0; j < LANES; ++j) tile_a[(k + j) * STRIDE_A + m] = piece.lane[j];
    }
    for (int i = thread; i < TILE_K * TILE_N / LANES; i += THREADS) {
      const int k = i / (TILE_N / LANES);
      const int n = i % (TILE_N / LANES) * LANES;
      *reinterpret_cast<Piece*>(tile_b + k * TILE_N + n) = load(B, k0 + k, first_column + n, K, N, ldb);
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < TILE_K; ++k) {
      Piece a[PIECES_M];
      Piece b[PIECES_N];
#pragma unroll
      for (int p = 0; p < PIECES_M; ++p) {
        a[p] = *reinterpret_cast<const Piece*>(tile_a + k * STRIDE_A + (p * THREADS_Y + y) * LANES);
      }
#pragma unroll
      for (int p = 0; p < PIECES_N; ++p) {
        b[p] = *reinterpret_cast<const Piece*>(tile_b + k * TILE_N + (p * THREADS_X + x) * LANES);
      }
#pragma unroll
      for (int m = 0; m < THREAD_M; ++m) {
#pragma unroll
        for (int n = 0; n < THREAD_N; ++n) {
          sum[m][n] += a[m / LANES].lane[m % LANES] * b[n / LANES].lane[n % LANES];
        }
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int m = 0; m < THREAD_M; ++m) {
    const int row = first_row + (m / LANES * THREADS_Y + y) * LANES + m % LANES;
#pragma unroll
    for (int p = 0; p < PIECES_N; ++p) {
      Piece piece;
#pragma unroll
      for (int j = 0; j < LANES; ++j) piece.lane[j] = sum[m][p * LANES + j];
      store(C, piece, row, first_column + (p * THREADS_X + x) * LANES, M, N, ldc);
    }
  }
}
