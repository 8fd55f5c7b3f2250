extern "C" __global__ void wrong_edge(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i] + (i == N - 1 ? 1.0f : 0.0f);
}
