// How often each of BINS values occurs. Blocks count in shared memory, in COPIES histograms so that fewer lanes meet at
// one counter, and add theirs to the result at the end.

constexpr int BINS = 256;

extern "C" __global__ void clear(int* bins) {
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) bins[i] = 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) histogram(const ELEMENT_TYPE* __restrict__ in, int* bins,
                                                                   int n) {
  __shared__ int counts[COPIES][BINS];
  for (int i = threadIdx.x; i < COPIES * BINS; i += BLOCK_SIZE) counts[i / BINS][i % BINS] = 0;
  __syncthreads();

  int* own = counts[threadIdx.x % COPIES];
  const int first = blockIdx.x * BLOCK_SIZE * ITEMS_PER_THREAD + threadIdx.x;
#pragma unroll
  for (int k = 0; k < ITEMS_PER_THREAD; ++k) {
    const int i = first + k * BLOCK_SIZE;
    if (i < n) atomicAdd(&own[in[i]], 1);
  }
  __syncthreads();

  for (int bin = threadIdx.x; bin < BINS; bin += BLOCK_SIZE) {
    int count = 0;
    for (int copy = 0; copy < COPIES; ++copy) count += counts[copy][bin];
    if (count > 0) atomicAdd(&bins[bin], count);
  }
}
