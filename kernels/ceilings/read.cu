// Reads a buffer once. Output i is the sum of READS elements, `outputs` apart from i on, so that neighbouring
// threads read neighbouring elements and each thread has UNROLL reads under way.
#include "vector.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    read(const float* __restrict__ in, float* __restrict__ out, int outputs, int reads) {
  constexpr int unroll = UNROLL;
  const int vectors = outputs / VECTOR;
  const int own = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (own >= vectors) return;
  const Vector* from = reinterpret_cast<const Vector*>(in) + own;
  Vector sum = {};
#pragma unroll unroll
  for (int i = 0; i < reads; ++i) add(sum, __ldcs(from + static_cast<size_t>(i) * vectors));
  reinterpret_cast<Vector*>(out)[own] = sum;
}
