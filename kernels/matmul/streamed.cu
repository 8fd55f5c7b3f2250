// Rows first_row … first_row+panel_rows-1 of C(M x N) = A(M x K) * B(K x N), row-major, with TILE x TILE tiles of A and B
// in shared memory as in shared.cu. Launched once for each panel of rows, as soon as that panel of A has arrived.

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    streamed(const ELEMENT_TYPE* __restrict__ A, const ELEMENT_TYPE* __restrict__ B, ELEMENT_TYPE* __restrict__ C, int M,
             int N, int K, int lda, int ldb, int ldc, int first_row, int panel_rows) {
  __shared__ ELEMENT_TYPE tile_a[TILE][TILE];
  __shared__ ELEMENT_TYPE tile_b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int end = min(M, first_row + panel_rows);
  const int row = first_row + blockIdx.y * TILE + y;
  const int column = blockIdx.x * TILE + x;
  ELEMENT_TYPE sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    tile_a[y][x] = row < end && k0 + x < K ? A[static_cast<size_t>(row) * lda + k0 + x] : ELEMENT_TYPE(0);
    tile_b[y][x] = k0 + y < K && column < N ? B[static_cast<size_t>(k0 + y) * ldb + column] : ELEMENT_TYPE(0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  if (row < end && column < N) C[static_cast<size_t>(row) * ldc + column] = sum;
}
