extern "C" __global__ void too_much_shared(const float* A, const float* B, float* C, int N) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) {
    tile[threadIdx.x] = A[i];
    C[i] = tile[threadIdx.x] + B[i];
  }
}
