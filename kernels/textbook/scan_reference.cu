// One block: each thread walks a stretch of the input twice, first for the stretch's sum, then for its elements.
#include "exact_sum.cuh"

constexpr int THREADS = 1024;

extern "C" __global__ void scan_reference(const ELEMENT_TYPE* in, double* expected, double* magnitude, int n) {
  __shared__ ExactSum sums[THREADS];
  __shared__ double magnitudes[THREADS];
  const int stretch = (n + THREADS - 1) / THREADS;
  const int begin = min(static_cast<int>(threadIdx.x) * stretch, n);
  const int end = min(begin + stretch, n);
  ExactSum sum;
  double absolute = 0;
  for (int i = begin; i < end; ++i) {
    sum.add(static_cast<double>(in[i]));
    absolute += fabs(static_cast<double>(in[i]));
  }
  sums[threadIdx.x] = sum;
  magnitudes[threadIdx.x] = absolute;
  __syncthreads();

  sum = ExactSum();
  absolute = 0;
  for (int i = 0; i < threadIdx.x; ++i) {
    sum.add(sums[i]);
    absolute += magnitudes[i];
  }
  for (int i = begin; i < end; ++i) {
    sum.add(static_cast<double>(in[i]));
    absolute += fabs(static_cast<double>(in[i]));
    expected[i] = sum.value();
    magnitude[i] = absolute;
  }
}
