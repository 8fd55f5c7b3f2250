#include "exact_sum.cuh"

constexpr int THREADS = 1024;

extern "C" __global__ void reduce_reference(const ELEMENT_TYPE* in, double* expected, double* magnitude, int n) {
  __shared__ ExactSum sums[THREADS];
  __shared__ double magnitudes[THREADS];
  ExactSum sum;
  double absolute = 0;
  for (int i = threadIdx.x; i < n; i += THREADS) {
    sum.add(static_cast<double>(in[i]));
    absolute += fabs(static_cast<double>(in[i]));
  }
  sums[threadIdx.x] = sum;
  magnitudes[threadIdx.x] = absolute;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int i = 1; i < THREADS; ++i) {
    sum.add(sums[i]);
    absolute += magnitudes[i];
  }
  *expected = sum.value();
  *magnitude = absolute;
}
