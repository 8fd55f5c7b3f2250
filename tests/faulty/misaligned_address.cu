extern "C" __global__ void misaligned_address(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N - 1) *reinterpret_cast<float*>(reinterpret_cast<char*>(C + i) + 1) = A[i] + B[i];
}
