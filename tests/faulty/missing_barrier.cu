extern "C" __global__ void missing_barrier(const float* A, const float* B, float* C, int N) {
  __shared__ float tile[8][BLOCK_SIZE];
  const int first = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  // The upper half of the block is late: it goes through its input eight times before it stages anything.
  float late = 0.0f;
  if (threadIdx.x >= BLOCK_SIZE / 2) {
    for (int k = 0; k < 8; ++k) late += B[(first + k * 1024) % N];
  }
  for (int k = 0; k < 8; ++k) tile[k][threadIdx.x] = first < N ? A[first] + 0.0f * late : 0.0f;
  const int mirrored = BLOCK_SIZE - 1 - threadIdx.x;
  const int i = blockIdx.x * BLOCK_SIZE + mirrored;
  float staged = 0.0f;
  for (int k = 0; k < 8; ++k) staged += tile[k][mirrored];
  if (i < N) C[i] = staged * 0.125f + B[i];
}
