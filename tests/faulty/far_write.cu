extern "C" __global__ void far_write(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
  if (i == 0) const_cast<float*>(B)[-1] = 0.0f;
}
