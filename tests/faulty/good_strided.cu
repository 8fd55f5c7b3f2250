extern "C" __global__ void good_strided(const float* A, const float* B, float* C, int N) {
  const int stride = gridDim.x * BLOCK_SIZE;
  for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < N; i += stride) C[i] = A[i] + B[i];
}
