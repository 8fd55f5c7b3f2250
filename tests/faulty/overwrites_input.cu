extern "C" __global__ void overwrites_input(float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) {
    C[i] = A[i] + B[i];
    A[i] = C[i];
  }
}
