// D = alpha * A * B in FP8 (e4m3) with scales, B by columns, D in bfloat16: see mma.cu. FP8 becomes half in
// registers (product/multiplied.cuh), so sums need no promotion.
#include "mma/block.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    matmul_mma_fp8(const Number* __restrict__ A, const Number* __restrict__ B, Output* __restrict__ D,
                   float4* __restrict__ partials, unsigned* arrivals, int M, int N, int K, int lda, int ldb,
                   int ldd, float alpha, const float* __restrict__ scale_a, const float* __restrict__ scale_b,
                   int scale_stride, int rows, int columns, int band, int k_tiles, int stream_tiles,
                   int share, int rest) {
  run_block({A, B, N, K, lda, ldb}, {nullptr, D, N, ldd, alpha, 0, scale_a, scale_b, scale_stride},
            {1, nullptr, M}, {rows, columns, band, k_tiles, stream_tiles, share, rest}, partials, arrivals);
}
