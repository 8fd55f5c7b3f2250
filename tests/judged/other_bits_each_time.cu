// The sum begins elsewhere at each launch: within the bound, and never the same bits.
__device__ unsigned int blocks;

extern "C" __global__ void product(const float* A, const float* x, float* y, int rows, int K) {
  const int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  __shared__ unsigned int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(&blocks, 1u);
  __syncthreads();
  if (row >= rows) return;
  const int start = static_cast<int>(ticket * 97u % static_cast<unsigned int>(K));
  float sum = 0.0f;
  for (int i = 0; i < K; ++i) {
    const int k = (start + i) % K;
    sum += A[row * K + k] * x[k];
  }
  y[row] = sum;
}
