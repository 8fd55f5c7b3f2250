#include <cuda_bf16.h>

extern "C" __global__ void norm_reference(const __nv_bfloat16* data, double* out, int N) {
  __shared__ double sums[1024];
  double sum = 0;
  for (int i = threadIdx.x; i < N; i += blockDim.x) sum += (double)(float)data[i] * (double)(float)data[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = sums[0];
}
