#include <cooperative_groups.h>

#include "block_sum.cuh"

__global__ void grid_sum(const float* in, float* partial, float* total, int n) {
  const auto grid = cooperative_groups::this_grid();
  float sum = 0;
  for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) sum += in[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  grid.sync();
  if (blockIdx.x > 0) return;
  sum = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += BLOCK_SIZE) sum += partial[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *total = sum;
}
