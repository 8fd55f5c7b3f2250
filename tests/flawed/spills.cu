// Each thread sums 32 columns at once, and the compiler may use 24 registers.
extern "C" __global__ void sums(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out,
                                int N, int K) {
  constexpr int columns = 32;
  const int first = blockIdx.x * columns * THREADS + threadIdx.x;
  float sum[columns] = {};
#pragma unroll 1
  for (int k = 0; k < K; ++k) {
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const int i = first + c * THREADS;
      sum[c] += i < N ? in[k * N + i] : 0.0f;
    }
  }
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    const int i = first + c * THREADS;
    if (i < N) out[i] = sum[c] * weight[0];
  }
}
