// Each thread copies VECTORS_PER_THREAD pieces of VECTOR elements, a block's width apart; the first threads of all take
// the elements that fill no vector.
#include "vector.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    copy(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int vectors = n / VECTOR;
  const int first = blockIdx.x * BLOCK_SIZE * VECTORS_PER_THREAD + threadIdx.x;
  const Vector* from = reinterpret_cast<const Vector*>(in);
  Vector* to = reinterpret_cast<Vector*>(out);
  Vector held[VECTORS_PER_THREAD];
#pragma unroll
  for (int v = 0; v < VECTORS_PER_THREAD; ++v) {
    const int at = first + v * BLOCK_SIZE;
    if (at < vectors) held[v] = from[at];
  }
#pragma unroll
  for (int v = 0; v < VECTORS_PER_THREAD; ++v) {
    const int at = first + v * BLOCK_SIZE;
    if (at < vectors) to[at] = held[v];
  }
  const int rest = vectors * VECTOR + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) out[rest] = in[rest];
}
