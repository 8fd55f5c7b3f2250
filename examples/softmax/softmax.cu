// Softmax of each row of a matrix in half precision: a block a row, two columns at a time, sums in float.
#include <cuda_fp16.h>

constexpr int unroll = UNROLL;  // nvcc expands no macro in a pragma

__device__ float over_block(float mine, bool greatest) {
  __shared__ float partial[BLOCK_SIZE];
  __syncthreads();  // the last use of it is over
  partial[threadIdx.x] = mine;
  for (int half = BLOCK_SIZE / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    const float other = partial[threadIdx.x + half];
    const float own = partial[threadIdx.x];
    partial[threadIdx.x] = greatest ? fmaxf(own, other) : own + other;
  }
  __syncthreads();
  return partial[0];
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) softmax(const __half2* in, __half2* out, int pairs) {
  const __half2* row = in + static_cast<long long>(blockIdx.x) * pairs;
  float greatest = -65504.0f;
#pragma unroll unroll
  for (int i = threadIdx.x; i < pairs; i += BLOCK_SIZE) {
    const float2 x = __half22float2(row[i]);
    greatest = fmaxf(greatest, fmaxf(x.x, x.y));
  }
  greatest = over_block(greatest, true);
  float sum = 0;
#pragma unroll unroll
  for (int i = threadIdx.x; i < pairs; i += BLOCK_SIZE) {
    const float2 x = __half22float2(row[i]);
    sum += expf(x.x - greatest) + expf(x.y - greatest);
  }
  const float scale = 1 / over_block(sum, false);
#pragma unroll unroll
  for (int i = threadIdx.x; i < pairs; i += BLOCK_SIZE) {
    const float2 x = __half22float2(row[i]);
    out[static_cast<long long>(blockIdx.x) * pairs + i] =
        __floats2half2_rn(expf(x.x - greatest) * scale, expf(x.y - greatest) * scale);
  }
}
