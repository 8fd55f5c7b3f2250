// The first step of a fast Fourier transform of N complex numbers (Stockham, radix 2, in decimated frequency).
#include <cuComplex.h>

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    fft_step(const cuFloatComplex* in, cuFloatComplex* out, int N) {
  const int half = N / 2;
#pragma unroll
  for (int j = 0; j < PAIRS; ++j) {
    const int k = (blockIdx.x * PAIRS + j) * BLOCK_SIZE + threadIdx.x;
    if (k >= half) return;
    const cuFloatComplex a = in[k];
    const cuFloatComplex b = in[k + half];
    const float turn = static_cast<float>(k) / static_cast<float>(half);
    const cuFloatComplex root = make_cuFloatComplex(cospif(turn), -sinpif(turn));
    const cuFloatComplex sum = cuCaddf(a, b);
    const cuFloatComplex product = cuCmulf(cuCsubf(a, b), root);
#if STORE == STORE_together
    reinterpret_cast<float4*>(out)[k] = make_float4(sum.x, sum.y, product.x, product.y);
#else
    out[2 * k] = sum;
    out[2 * k + 1] = product;
#endif
  }
}
