extern "C" __global__ void good_shared(const float* A, const float* B, float* C, int N) {
  __shared__ float tile[BLOCK_SIZE];
  const int first = blockIdx.x * BLOCK_SIZE;
  const int mirrored = BLOCK_SIZE - 1 - threadIdx.x;
  if (first + threadIdx.x < N) tile[threadIdx.x] = A[first + threadIdx.x];
  __syncthreads();
  const int i = first + mirrored;
  if (i < N) C[i] = tile[mirrored] + B[i];
}
