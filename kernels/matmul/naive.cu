// One thread per element of C(M x N) = A(M x K) * B(K x N), row-major; no shared memory.
//
// PARTITION says how threads meet elements:
//   row     threadIdx.x walks along a row of C: neighbouring lanes read neighbouring elements of B (coalesced)
//   column  threadIdx.x walks down a column: neighbouring lanes are lda and ldc elements apart
//   block   as row, but a thread block owns a tile of tile_x by tile_y elements, given at run time, and strides over it

__device__ void element(const ELEMENT_TYPE* A, const ELEMENT_TYPE* B, ELEMENT_TYPE* C, int row, int column, int M,
                        int N, int K, int lda, int ldb, int ldc) {
  if (row >= M || column >= N) return;
  const ELEMENT_TYPE* a = A + static_cast<size_t>(row) * lda;
  const ELEMENT_TYPE* b = B + column;
  ELEMENT_TYPE sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * b[static_cast<size_t>(k) * ldb];
  C[static_cast<size_t>(row) * ldc + column] = sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    naive(const ELEMENT_TYPE* __restrict__ A, const ELEMENT_TYPE* __restrict__ B, ELEMENT_TYPE* __restrict__ C, int M,
          int N, int K, int lda, int ldb, int ldc, int tile_x, int tile_y) {
#if PARTITION == PARTITION_column
  element(A, B, C, blockIdx.x * BLOCK_X + threadIdx.x, blockIdx.y * BLOCK_Y + threadIdx.y, M, N, K, lda, ldb, ldc);
#elif PARTITION == PARTITION_row
  element(A, B, C, blockIdx.y * BLOCK_Y + threadIdx.y, blockIdx.x * BLOCK_X + threadIdx.x, M, N, K, lda, ldb, ldc);
#else
  for (int y = threadIdx.y; y < tile_y; y += BLOCK_Y) {
    for (int x = threadIdx.x; x < tile_x; x += BLOCK_X) {
      element(A, B, C, blockIdx.y * tile_y + y, blockIdx.x * tile_x + x, M, N, K, lda, ldb, ldc);
    }
  }
#endif
}
