// One pass of a stable radix sort: how often each digit occurs in each block's keys, where each begins, and
// the keys in their places. A block has KEYS keys a thread; counts are kept digit by digit, so that one scan
// orders them all.
constexpr int digits = 16;
constexpr int keys_of_block = BLOCK_SIZE * KEYS;

__device__ int digit_of(unsigned int key, int shift) {
  return (key >> shift) & (digits - 1);
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    count_digits(const unsigned int* keys, int* counts, int shift, int n) {
  __shared__ int count[digits];
  for (int d = threadIdx.x; d < digits; d += BLOCK_SIZE) count[d] = 0;
  __syncthreads();
  for (int k = 0; k < KEYS; ++k) {
    const int i = blockIdx.x * keys_of_block + k * BLOCK_SIZE + threadIdx.x;
    if (i < n) atomicAdd(&count[digit_of(keys[i], shift)], 1);
  }
  __syncthreads();
  for (int d = threadIdx.x; d < digits; d += BLOCK_SIZE) counts[d * gridDim.x + blockIdx.x] = count[d];
}

// In one block: what stands before each count.
extern "C" __global__ void __launch_bounds__(SCAN_SIZE) scan_counts(int* counts, int n) {
  __shared__ int sums[SCAN_SIZE];
  int before = 0;
  for (int start = 0; start < n; start += SCAN_SIZE) {
    const int i = start + threadIdx.x;
    const int own = i < n ? counts[i] : 0;
    sums[threadIdx.x] = own;
    for (int step = 1; step < SCAN_SIZE; step *= 2) {
      __syncthreads();
      const int left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
      __syncthreads();
      sums[threadIdx.x] += left;
    }
    __syncthreads();
    if (i < n) counts[i] = before + sums[threadIdx.x] - own;
    before += sums[SCAN_SIZE - 1];
    __syncthreads();
  }
}

// Each thread moves neighbouring keys, after those of the threads before it with the same digit.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    move_keys(const unsigned int* keys, const int* places, unsigned int* out, int shift, int n) {
  extern __shared__ unsigned short before[];  // of each digit, of each thread
  const int first = blockIdx.x * keys_of_block + threadIdx.x * KEYS;
  for (int d = 0; d < digits; ++d) before[d * BLOCK_SIZE + threadIdx.x] = 0;
  for (int i = first; i < first + KEYS && i < n; ++i)
    ++before[digit_of(keys[i], shift) * BLOCK_SIZE + threadIdx.x];
  __syncthreads();
  for (int d = threadIdx.x; d < digits; d += BLOCK_SIZE) {
    unsigned short sum = 0;
    for (int t = 0; t < BLOCK_SIZE; ++t) {
      const unsigned short own = before[d * BLOCK_SIZE + t];
      before[d * BLOCK_SIZE + t] = sum;
      sum += own;
    }
  }
  __syncthreads();
  for (int i = first; i < first + KEYS && i < n; ++i) {
    const int d = digit_of(keys[i], shift);
    out[places[d * gridDim.x + blockIdx.x] + before[d * BLOCK_SIZE + threadIdx.x]++] = keys[i];
  }
}
