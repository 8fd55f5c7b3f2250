extern "C" __global__ void write_past_end(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
  if (i == 0) C[N] = 0.0f;
}
