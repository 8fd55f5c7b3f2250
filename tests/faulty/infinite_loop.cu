extern "C" __global__ void infinite_loop(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const volatile float* flag = C;
  while (*flag != 12345.0f) {
  }
  if (i < N) C[i] = A[i] + B[i];
}
