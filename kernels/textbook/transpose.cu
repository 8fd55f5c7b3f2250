// out(N x M) = transpose of in(M x N), row-major, through a tile in shared memory: rows are read and rows are written,
// both by neighbouring lanes. PADDING adds columns to the tile so that reading it down a column meets 32 banks.

extern "C" __global__ void __launch_bounds__(TILE* ROWS)
    transpose(const ELEMENT_TYPE* __restrict__ in, ELEMENT_TYPE* __restrict__ out, int M, int N, int ld_in, int ld_out) {
  __shared__ ELEMENT_TYPE tile[TILE][TILE + PADDING];

  const int column = blockIdx.x * TILE + threadIdx.x;
  const int first_row = blockIdx.y * TILE;
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    if (first_row + y < M && column < N) {
      tile[y][threadIdx.x] = in[static_cast<size_t>(first_row + y) * ld_in + column];
    }
  }
  __syncthreads();

  const int out_column = blockIdx.y * TILE + threadIdx.x;
  const int first_out_row = blockIdx.x * TILE;
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    if (first_out_row + y < N && out_column < M) {
      out[static_cast<size_t>(first_out_row + y) * ld_out + out_column] = tile[threadIdx.x][y];
    }
  }
}
