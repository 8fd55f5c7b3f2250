extern "C" __global__ void update_past_end(const float* A, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  C[i] = 2 * A[i] + C[i];
}
