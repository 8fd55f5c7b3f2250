#include <cuda_bf16.h>

extern "C" __global__ void columns_bf16(const __nv_bfloat16* dout, double* dbias, int BT, int OC) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= OC) return;
  double sum = 0;
  for (int row = 0; row < BT; ++row) sum += (double)(float)dout[(size_t)row * OC + i];
  dbias[i] = sum;
}

extern "C" __global__ void columns_float(const float* dout, double* dbias, int BT, int OC) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= OC) return;
  double sum = 0;
  for (int row = 0; row < BT; ++row) sum += dout[(size_t)row * OC + i];
  dbias[i] = sum;
}
