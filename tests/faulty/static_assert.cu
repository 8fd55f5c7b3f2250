static_assert(BLOCK_SIZE % 7 == 0, "the block must be a multiple of seven");

extern "C" __global__ void static_assertion(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
}
