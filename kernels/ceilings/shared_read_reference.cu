#include "shared_table.cuh"

extern "C" __global__ void shared_read_reference(const float* in, double* expected, double* magnitude, int n,
                                                 int reads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int read = 0; read < reads; ++read) sum += in[(i + read * table_shift) % table_size];
  expected[i] = sum;
  magnitude[i] = 0;
}
