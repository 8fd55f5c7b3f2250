extern "C" __global__ void atomic_past_end(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
  if (blockIdx.x == gridDim.x - 1) atomicAdd(&C[N], 1.0f);
}
