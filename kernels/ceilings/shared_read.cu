// Each block copies the table to shared memory once, then its threads read it READS times, neighbours side by side and
// so without bank conflicts. Output i is the sum of READS elements, table_shift apart from i on and round the end.
#include "shared_table.cuh"
#include "vector.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    shared_read(const float* __restrict__ in, float* __restrict__ out, int n, int reads) {
  constexpr int unroll = UNROLL;
  __shared__ Vector table[table_size / VECTOR];
  float* cells = reinterpret_cast<float*>(table);
  for (int i = threadIdx.x; i < table_size; i += BLOCK_SIZE) cells[i] = in[i];
  __syncthreads();
  const int own = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  Vector sum = {};
  int at = own;
#pragma unroll unroll
  for (int read = 0; read < reads; ++read) {
    add(sum, table[at & (table_size / VECTOR - 1)]);
    at += table_shift / VECTOR;
  }
  if (own < n / VECTOR) reinterpret_cast<Vector*>(out)[own] = sum;
}
