// Right, and another order of the sum.
extern "C" __global__ void product(const float* A, const float* x, float* y, int rows, int K) {
  const int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (row >= rows) return;
  float even = 0.0f;
  float odd = 0.0f;
  int k = 0;
  for (; k + 1 < K; k += 2) {
    even += A[row * K + k] * x[k];
    odd += A[row * K + k + 1] * x[k + 1];
  }
  if (k < K) even += A[row * K + k] * x[k];
  y[row] = even + odd;
}
