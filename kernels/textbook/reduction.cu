// The sum of n numbers in two launches of one kernel: each block sums every gridDim-th piece of the input, then one
// block sums what the blocks found.
#include "block_sum.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) reduce(const ELEMENT_TYPE* __restrict__ in, ELEMENT_TYPE* out,
                                                                int n) {
  ELEMENT_TYPE sum = 0;
  for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) sum += in[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
