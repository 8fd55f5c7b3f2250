extern "C" __global__ void too_many_registers(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= N) return;
  float kept[128];
#pragma unroll
  for (int k = 0; k < 128; ++k) kept[k] = A[(i + 97 * k) % N];
  // A barrier between filling and using: nothing may be loaded a second time instead of being kept.
  __syncthreads();
  float sum = B[i];
#pragma unroll
  for (int k = 0; k < 128; ++k) sum = sum * kept[127 - k] + kept[k];
  C[i] = sum;
}
