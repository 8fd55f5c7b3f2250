extern "C" __global__ void stray_write(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
  if (i == 0) C[N + 65536] = 0.0f;
}
