// Reads a buffer that stays in the last-level cache over and over, past the caches of the multiprocessors. Output i is
// the sum of READS elements, SHIFT apart from i on and round the end: what a multiprocessor reads next is far from what
// it read before.
#include "vector.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    l2_read(const float* __restrict__ in, float* __restrict__ out, int n, int reads, int shift) {
  constexpr int unroll = UNROLL;
  const int vectors = n / VECTOR;
  const int step = shift / VECTOR;
  const int own = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (own >= vectors) return;
  const Vector* from = reinterpret_cast<const Vector*>(in);
  Vector sum = {};
  int at = own;
#pragma unroll unroll
  for (int read = 0; read < reads; ++read) {
    add(sum, __ldcg(from + at));
    at += step;
    if (at >= vectors) at -= vectors;
  }
  reinterpret_cast<Vector*>(out)[own] = sum;
}
