// C(M x N) = A(M x K) * B(K x N), row-major: shared tiles as in shared.cu, but a thread computes ELEMENTS_PER_THREAD
// elements of a column of C. One element of B in a register then serves all of them, and the independent sums hide
// latency (instruction-level parallelism). A block of BLOCK_SIZE x BLOCK_SIZE/ELEMENTS_PER_THREAD threads makes a
// BLOCK_SIZE x BLOCK_SIZE tile; the shared tiles are dynamic, so that a tile of doubles may exceed 48 KiB.
//
// PARTITION: row     threadIdx.x walks along rows of the tiles (coalesced)
//            column  threadIdx.x walks down columns; a thread's elements then lie in a row of C
//            block   as row, but a thread block computes tile_x by tile_y elements, tile after tile

constexpr int STEP = BLOCK_SIZE / ELEMENTS_PER_THREAD;  // between a thread's elements
constexpr int STRIDE = BLOCK_SIZE;                      // of a row of a shared tile
// Steps of k unrolled together. Unrolling all of them makes the compiler load elements ahead into twice the registers.
constexpr int K_STEPS = UNROLL;

__device__ void tile(ELEMENT_TYPE* tile_a, ELEMENT_TYPE* tile_b, const ELEMENT_TYPE* A, const ELEMENT_TYPE* B,
                     ELEMENT_TYPE* C, int first_row, int first_column, int M, int N, int K, int lda, int ldb,
                     int ldc) {
  const int along = threadIdx.x;   // 0 … BLOCK_SIZE-1
  const int across = threadIdx.y;  // 0 … STEP-1; this thread's elements are at across + i*STEP
  ELEMENT_TYPE sum[ELEMENTS_PER_THREAD] = {};

  for (int k0 = 0; k0 < K; k0 += BLOCK_SIZE) {
#pragma unroll
    for (int i = 0; i < ELEMENTS_PER_THREAD; ++i) {
#if PARTITION == PARTITION_column
      const int y = along;
      const int x = across + i * STEP;
#else
      const int y = across + i * STEP;
      const int x = along;
#endif
      const int row = first_row + y;
      const int column = first_column + x;
      tile_a[y * STRIDE + x] = row < M && k0 + x < K ? A[static_cast<size_t>(row) * lda + k0 + x] : ELEMENT_TYPE(0);
      tile_b[y * STRIDE + x] =
          k0 + y < K && column < N ? B[static_cast<size_t>(k0 + y) * ldb + column] : ELEMENT_TYPE(0);
    }
    __syncthreads();
#pragma unroll K_STEPS
    for (int k = 0; k < BLOCK_SIZE; ++k) {
#if PARTITION == PARTITION_column
      const ELEMENT_TYPE a = tile_a[along * STRIDE + k];
#pragma unroll
      for (int i = 0; i < ELEMENTS_PER_THREAD; ++i) sum[i] += a * tile_b[k * STRIDE + across + i * STEP];
#else
      const ELEMENT_TYPE b = tile_b[k * STRIDE + along];
#pragma unroll
      for (int i = 0; i < ELEMENTS_PER_THREAD; ++i) sum[i] += tile_a[(across + i * STEP) * STRIDE + k] * b;
#endif
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < ELEMENTS_PER_THREAD; ++i) {
#if PARTITION == PARTITION_column
    const int row = first_row + along;
    const int column = first_column + across + i * STEP;
#else
    const int row = first_row + across + i * STEP;
    const int column = first_column + along;
#endif
    if (row < M && column < N) C[static_cast<size_t>(row) * ldc + column] = sum[i];
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE* STEP)
    register_tile(const ELEMENT_TYPE* __restrict__ A, const ELEMENT_TYPE* __restrict__ B, ELEMENT_TYPE* __restrict__ C,
                  int M, int N, int K, int lda, int ldb, int ldc, int tile_x, int tile_y) {
  extern __shared__ ELEMENT_TYPE tiles[];
  ELEMENT_TYPE* tile_a = tiles;
  ELEMENT_TYPE* tile_b = tiles + BLOCK_SIZE * STRIDE;
#if PARTITION == PARTITION_column
  tile(tile_a, tile_b, A, B, C, blockIdx.x * BLOCK_SIZE, blockIdx.y * BLOCK_SIZE, M, N, K, lda, ldb, ldc);
#elif PARTITION == PARTITION_row
  tile(tile_a, tile_b, A, B, C, blockIdx.y * BLOCK_SIZE, blockIdx.x * BLOCK_SIZE, M, N, K, lda, ldb, ldc);
#else
  for (int y = 0; y < tile_y; y += BLOCK_SIZE) {
    for (int x = 0; x < tile_x; x += BLOCK_SIZE) {
      tile(tile_a, tile_b, A, B, C, blockIdx.y * tile_y + y, blockIdx.x * tile_x + x, M, N, K, lda, ldb, ldc);
    }
  }
#endif
}
