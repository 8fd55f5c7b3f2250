#include "exact_sum.cuh"

__device__ double at(const ELEMENT_TYPE* in, int row, int column, int M, int N, int leading) {
  const bool inside = row >= 0 && row < M && column >= 0 && column < N;
  return inside ? static_cast<double>(in[static_cast<size_t>(row) * leading + column]) : 0.0;
}

extern "C" __global__ void stencil_reference(const ELEMENT_TYPE* in, double* expected, double* magnitude, int M, int N,
                                             int leading) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;
  const double neighbours[4] = {at(in, row - 1, column, M, N, leading), at(in, row + 1, column, M, N, leading),
                                at(in, row, column - 1, M, N, leading), at(in, row, column + 1, M, N, leading)};
  ExactSum sum;
  double absolute = 0;
  for (int i = 0; i < 4; ++i) {
    sum.add(neighbours[i]);
    absolute += fabs(neighbours[i]);
  }
  const size_t here = static_cast<size_t>(row) * leading + column;
  expected[here] = 0.25 * sum.value();
  magnitude[here] = 0.25 * absolute;
}
