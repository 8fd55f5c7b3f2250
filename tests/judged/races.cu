// Threads read what others write to shared memory without waiting for them.
extern "C" __global__ void product(const float* A, const float* x, float* y, int rows, int K) {
  const int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  __shared__ float sums[BLOCK_SIZE];
  float sum = 0.0f;
  if (row < rows)
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * x[k];
  sums[threadIdx.x] = sum;
  const int other = BLOCK_SIZE - 1 - threadIdx.x;
  const int mirrored = blockIdx.x * BLOCK_SIZE + other;
  if (mirrored < rows) y[mirrored] = sums[other];
}
