// Layer normalisation of each row in half precision: a block a row, eight columns at a time, sums in float.
#include <cuda_fp16.h>

__device__ float over_block(float sum) {
  __shared__ float partial[BLOCK_SIZE];
  __syncthreads();  // the last use of it is over
  partial[threadIdx.x] = sum;
  for (int half = BLOCK_SIZE / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  __syncthreads();
  return partial[0];
}

// A VECTOR (uint, uint2 or uint4) holds this many pairs of columns.
constexpr int pairs = sizeof(VECTOR) / sizeof(__half2);

union Packed {
  VECTOR vector;
  __half2 pair[pairs];
  __device__ Packed() {}
};

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    layer_norm(const __half2* in, const __half2* gain, const __half2* bias, __half2* out, int columns) {
  const int vectors = columns / (2 * pairs);
  const auto* row = reinterpret_cast<const VECTOR*>(in) + static_cast<long long>(blockIdx.x) * vectors;
  auto* result = reinterpret_cast<VECTOR*>(out) + static_cast<long long>(blockIdx.x) * vectors;
  Packed x, scale, shift;
  float sum = 0;
  for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
    x.vector = row[i];
    for (int k = 0; k < pairs; ++k)
      sum += __half2float(__low2half(x.pair[k])) + __half2float(__high2half(x.pair[k]));
  }
  const float mean = over_block(sum) / columns;
  float squares = 0;
  for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
    x.vector = row[i];
    for (int k = 0; k < pairs; ++k) {
      const float2 off = __half22float2(x.pair[k]);
      squares += (off.x - mean) * (off.x - mean) + (off.y - mean) * (off.y - mean);
    }
  }
  const float factor = rsqrtf(over_block(squares) / columns + 1e-5f);
  for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
    x.vector = row[i];
    scale.vector = reinterpret_cast<const VECTOR*>(gain)[i];
    shift.vector = reinterpret_cast<const VECTOR*>(bias)[i];
    for (int k = 0; k < pairs; ++k) {
      const float2 v = __half22float2(x.pair[k]);
      const float2 g = __half22float2(scale.pair[k]);
      const float2 b = __half22float2(shift.pair[k]);
      x.pair[k] = __floats2half2_rn((v.x - mean) * factor * g.x + b.x, (v.y - mean) * factor * g.y + b.y);
    }
    result[i] = x.vector;
  }
}
