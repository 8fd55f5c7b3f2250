// The K greatest keys of each row, in any order: a block finds the least of them bit by bit, then collects.
constexpr int unroll = UNROLL;  // nvcc expands no macro in a pragma

__device__ int count_of_block(int mine, int* count) {
  if (threadIdx.x == 0) *count = 0;
  __syncthreads();
  if (mine > 0) atomicAdd(count, mine);
  __syncthreads();
  const int all = *count;
  __syncthreads();
  return all;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    top_k(const unsigned* in, unsigned* out, int columns, int k) {
  __shared__ int count;
  const unsigned* row = in + static_cast<long long>(blockIdx.x) * columns;
  unsigned least = 0;  // k keys or more are not below it
  for (int bit = 31; bit >= 0; --bit) {
    const unsigned candidate = least | 1U << bit;
    int mine = 0;
#pragma unroll unroll
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) mine += row[i] >= candidate;
    if (count_of_block(mine, &count) >= k) least = candidate;
  }
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
    if (row[i] >= least) out[static_cast<long long>(blockIdx.x) * k + atomicAdd(&count, 1)] = row[i];
  }
}
