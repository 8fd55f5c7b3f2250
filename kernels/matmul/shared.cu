// C(M x N) = A(M x K) * B(K x N), row-major: a block stages BLOCK_SIZE x BLOCK_SIZE tiles of A and B in shared
// memory, so that each element of A is read N/BLOCK_SIZE times from global memory instead of N times.
// Two barriers a tile: before it is used, and before it is overwritten. Tiles are padded with zeros at the edges.
//
// PARTITION: row     threadIdx.x walks along rows of the tiles (coalesced)
//            column  threadIdx.x walks down columns (not coalesced; shared accesses a row apart)
//            block   as row, but a thread block computes tile_x by tile_y elements, tile after tile
// PADDING: extra columns of the shared arrays; an odd row length spreads a column over all 32 banks.

struct Tiles {
  ELEMENT_TYPE a[BLOCK_SIZE][BLOCK_SIZE + PADDING];
  ELEMENT_TYPE b[BLOCK_SIZE][BLOCK_SIZE + PADDING];
};

__device__ void tile(Tiles& shared, const ELEMENT_TYPE* A, const ELEMENT_TYPE* B, ELEMENT_TYPE* C, int first_row,
                     int first_column, int M, int N, int K, int lda, int ldb, int ldc) {
#if PARTITION == PARTITION_column
  const int y = threadIdx.x;
  const int x = threadIdx.y;
#else
  const int y = threadIdx.y;
  const int x = threadIdx.x;
#endif
  const int row = first_row + y;
  const int column = first_column + x;
  ELEMENT_TYPE sum = 0;
  for (int k0 = 0; k0 < K; k0 += BLOCK_SIZE) {
    shared.a[y][x] = row < M && k0 + x < K ? A[static_cast<size_t>(row) * lda + k0 + x] : ELEMENT_TYPE(0);
    shared.b[y][x] = k0 + y < K && column < N ? B[static_cast<size_t>(k0 + y) * ldb + column] : ELEMENT_TYPE(0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) sum += shared.a[y][k] * shared.b[k][x];
    __syncthreads();
  }
  if (row < M && column < N) C[static_cast<size_t>(row) * ldc + column] = sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE* BLOCK_SIZE)
    shared(const ELEMENT_TYPE* __restrict__ A, const ELEMENT_TYPE* __restrict__ B, ELEMENT_TYPE* __restrict__ C, int M,
           int N, int K, int lda, int ldb, int ldc, int tile_x, int tile_y) {
  __shared__ Tiles tiles;
#if PARTITION == PARTITION_column
  tile(tiles, A, B, C, blockIdx.x * BLOCK_SIZE, blockIdx.y * BLOCK_SIZE, M, N, K, lda, ldb, ldc);
#elif PARTITION == PARTITION_row
  tile(tiles, A, B, C, blockIdx.y * BLOCK_SIZE, blockIdx.x * BLOCK_SIZE, M, N, K, lda, ldb, ldc);
#else
  for (int y = 0; y < tile_y; y += BLOCK_SIZE) {
    for (int x = 0; x < tile_x; x += BLOCK_SIZE) {
      tile(tiles, A, B, C, blockIdx.y * tile_y + y, blockIdx.x * tile_x + x, M, N, K, lda, ldb, ldc);
    }
  }
#endif
}
