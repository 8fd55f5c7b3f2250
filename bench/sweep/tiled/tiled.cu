// C(M x N) = A(M x K) * B(K x N), row-major, whole tiles only: the shared-memory tiling of textbooks. A block makes a
// SIDE x (SIDE * TILE_X) tile of C in steps of SIDE; a thread makes TILE_Y rows and TILE_X columns of it.

constexpr int SIDE = BLOCK_X;  // and BLOCK_Y * TILE_Y
constexpr int UNROLL = SIDE < 16 ? SIDE : 16;

extern "C" __global__ void tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float tile_a[SIDE][SIDE];
  __shared__ float tile_b[SIDE][SIDE * TILE_X];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int column = blockIdx.x * SIDE * TILE_X + x;
  const int row = blockIdx.y * SIDE + y;
  float sum[TILE_Y][TILE_X] = {};

  for (int k = 0; k < K; k += SIDE) {
#pragma unroll
    for (int i = 0; i < TILE_Y; ++i) {
      const int line = y + i * BLOCK_Y;
      tile_a[line][x] = A[static_cast<size_t>(row + i * BLOCK_Y) * K + k + x];
#pragma unroll
      for (int j = 0; j < TILE_X; ++j) {
        tile_b[line][x + j * SIDE] = B[static_cast<size_t>(k + line) * N + column + j * SIDE];
      }
    }
    __syncthreads();
#pragma unroll UNROLL
    for (int p = 0; p < SIDE; ++p) {
#pragma unroll
      for (int i = 0; i < TILE_Y; ++i) {
#pragma unroll
        for (int j = 0; j < TILE_X; ++j) sum[i][j] += tile_a[y + i * BLOCK_Y][p] * tile_b[p][x + j * SIDE];
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TILE_Y; ++i) {
#pragma unroll
    for (int j = 0; j < TILE_X; ++j) {
      C[static_cast<size_t>(row + i * BLOCK_Y) * N + column + j * SIDE] = sum[i][j];
    }
  }
}
