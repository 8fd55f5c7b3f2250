extern "C" __global__ void illegal_address(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) C[i + (1LL << 40)] = A[i] + B[i];
}
