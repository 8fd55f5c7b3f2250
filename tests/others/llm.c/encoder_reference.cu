#include <cuda_bf16.h>

extern "C" __global__ void encoder_reference(const int* inp, const __nv_bfloat16* wte, const __nv_bfloat16* wpe, double* out,
                                             int B, int T, int C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= B * T * C) return;
  const int c = i % C, t = i / C % T;
  out[i] = (double)(float)wte[(size_t)inp[i / C] * C + c] + (double)(float)wpe[t * C + c];
}

extern "C" __global__ void encoder_backward_reference(const float* dout, const int* inp, double* dwte, double* dwpe, int B,
                                                      int T, int C, int V) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= C) return;
  for (int v = 0; v < V; ++v) dwte[(size_t)v * C + c] = 0;
  for (int t = 0; t < T; ++t) dwpe[(size_t)t * C + c] = 0;
  for (int i = 0; i < B * T; ++i) {
    dwte[(size_t)inp[i] * C + c] += dout[(size_t)i * C + c];
    dwpe[(size_t)(i % T) * C + c] += dout[(size_t)i * C + c];
  }
}
