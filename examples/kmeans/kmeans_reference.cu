#include "nearest.cuh"

__global__ void accumulate_exactly(const float* x, const float* y, const float* centres, double* sums, int n, int k) {
  const int centre = blockIdx.x * blockDim.x + threadIdx.x;
  if (centre >= k) return;
  double sum_x = 0, sum_y = 0, count = 0;
  for (int i = 0; i < n; ++i) {
    if (nearest(x[i], y[i], centres, k) != centre) continue;
    sum_x += x[i];
    sum_y += y[i];
    count += 1;
  }
  sums[3 * centre] = sum_x;
  sums[3 * centre + 1] = sum_y;
  sums[3 * centre + 2] = count;
}
