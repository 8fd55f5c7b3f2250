// A block a value; nothing shared with the kernel under test, no atomics.
constexpr int THREADS = 256;

extern "C" __global__ void histogram_reference(const ELEMENT_TYPE* in, double* expected, double* magnitude, int n) {
  __shared__ int counts[THREADS];
  int count = 0;
  for (int i = threadIdx.x; i < n; i += THREADS) count += static_cast<int>(in[i]) == static_cast<int>(blockIdx.x);
  counts[threadIdx.x] = count;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) counts[threadIdx.x] += counts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    expected[blockIdx.x] = counts[0];
    magnitude[blockIdx.x] = counts[0];
  }
}
