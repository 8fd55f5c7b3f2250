// Numbers in float to FP8 (e4m3), scaled, VECTOR a thread at a time.
#include <cuda_fp8.h>

struct alignas(VECTOR) Quantised {
  __nv_fp8_storage_t bits[VECTOR];
};
struct alignas(4 * VECTOR) Numbers {
  float x[VECTOR];
};

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    quantise(const float* in, __nv_fp8_e4m3* out, float scale, int N) {
  const int vectors = N / VECTOR;
  for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < vectors; i += gridDim.x * BLOCK_SIZE) {
    const Numbers numbers = reinterpret_cast<const Numbers*>(in)[i];
    Quantised quantised;
#pragma unroll
    for (int j = 0; j < VECTOR; ++j)
      quantised.bits[j] = __nv_cvt_float_to_fp8(numbers.x[j] * scale, __NV_SATFINITE, __NV_E4M3);
    reinterpret_cast<Quantised*>(out)[i] = quantised;
  }
  const int rest = vectors * VECTOR + blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (rest < N) out[rest] = __nv_fp8_e4m3(in[rest] * scale);
}
