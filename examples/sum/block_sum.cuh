#pragma once

// The sum over a block of BLOCK_SIZE threads, in thread 0.
__device__ float block_sum(float value) {
  __shared__ float sums[BLOCK_SIZE];
  sums[threadIdx.x] = value;
  for (int half = BLOCK_SIZE / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  const float sum = sums[0];
  __syncthreads();
  return sum;
}
