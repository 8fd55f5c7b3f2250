#include "nearest.cuh"

extern __shared__ float shared_sums[];

__global__ void accumulate(const float* x, const float* y, const float* centres, float* sums, int n, int k) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
#if IN_SHARED
  for (int j = threadIdx.x; j < 3 * k; j += BLOCK_SIZE) shared_sums[j] = 0;
  __syncthreads();
  float* const own = shared_sums;
#else
  float* const own = sums;
#endif
  if (i < n) {
    const int centre = nearest(x[i], y[i], centres, k);
    atomicAdd(&own[3 * centre], x[i]);
    atomicAdd(&own[3 * centre + 1], y[i]);
    atomicAdd(&own[3 * centre + 2], 1.0f);
  }
#if IN_SHARED
  __syncthreads();
  for (int j = threadIdx.x; j < 3 * k; j += BLOCK_SIZE) atomicAdd(&sums[j], shared_sums[j]);
#endif
}
