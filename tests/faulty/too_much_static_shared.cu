extern "C" __global__ void too_much_static_shared(const float* A, const float* B, float* C, int N) {
  __shared__ volatile float tile[16384];
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  for (int k = threadIdx.x; k < 16384; k += BLOCK_SIZE) tile[k] = B[k % N];
  __syncthreads();
  if (i < N) C[i] = A[i] + tile[i % 16384];
}
