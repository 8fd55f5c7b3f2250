extern "C" __global__ void unwritten_tile(const float* A, const float* B, float* C, int N) {
  if (blockIdx.x == gridDim.x / 2) return;
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
}
