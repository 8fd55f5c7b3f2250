extern "C" __global__ void product(const float* A, const float* x, float* y, int rows) {
  const int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (row < rows) y[row] = A[row] * x[0];
}
