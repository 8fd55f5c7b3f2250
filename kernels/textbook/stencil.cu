// One Jacobi step on an M x N grid with zeros around it: each point becomes the mean of its four neighbours. A block
// stages its tile and a rim of one point in shared memory; a thread computes ROWS_PER_THREAD points of a column.

constexpr int TILE_Y = BLOCK_Y * ROWS_PER_THREAD;

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    stencil(const ELEMENT_TYPE* __restrict__ in, ELEMENT_TYPE* __restrict__ out, int M, int N, int leading) {
  __shared__ ELEMENT_TYPE tile[TILE_Y + 2][BLOCK_X + 2];
  const int first_row = blockIdx.y * TILE_Y - 1;
  const int first_column = blockIdx.x * BLOCK_X - 1;

  for (int y = threadIdx.y; y < TILE_Y + 2; y += BLOCK_Y) {
    for (int x = threadIdx.x; x < BLOCK_X + 2; x += BLOCK_X) {
      const int row = first_row + y;
      const int column = first_column + x;
      const bool inside = row >= 0 && row < M && column >= 0 && column < N;
      tile[y][x] = inside ? in[static_cast<size_t>(row) * leading + column] : ELEMENT_TYPE(0);
    }
  }
  __syncthreads();

  const int x = threadIdx.x + 1;
#pragma unroll
  for (int i = 0; i < ROWS_PER_THREAD; ++i) {
    const int y = threadIdx.y + i * BLOCK_Y + 1;
    const int row = first_row + y;
    const int column = first_column + x;
    if (row < M && column < N) {
      out[static_cast<size_t>(row) * leading + column] =
          ELEMENT_TYPE(0.25) * ((tile[y - 1][x] + tile[y + 1][x]) + (tile[y][x - 1] + tile[y][x + 1]));
    }
  }
}
