extern "C" __global__ void update_before_start(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
  if (i == 0) C[-1] += 1.0f;
}
