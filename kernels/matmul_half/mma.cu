// D = alpha * A * B + beta * C on tensor cores, in half or bfloat16 with sums in float: for every GPU with
// mma of bfloat16, from sm_80 on. On Hopper wgmma.cu is half as fast again.
//
// Asynchronous copies fill STAGES k-tiles in shared memory, whose pieces lie swizzled. ldmatrix brings the
// fragments of the next step while mma multiplies those of this one; a barrier for each k-tile. A spec says
// how A and B lie, whether there is a C, what D is, and whether there are several products
// (product/variant.cuh). docs/gemm-half.md tells what each choice is worth.
//
//   schedule.cuh  which k-tiles of which tiles are a block's
//   copies.cuh    global memory -> shared memory, edges
//   multiply.cuh  shared memory -> fragments -> sums
//   parts.cuh     sums of blocks that share a tile
//   store.cuh     sums -> D
//   block.cuh     all of it
#include "mma/block.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    matmul_mma(const Number* __restrict__ A, const Number* __restrict__ B, const Output* __restrict__ C,
               Output* __restrict__ D, float4* __restrict__ partials, unsigned* arrivals, const int* starts,
               int M, int N, int K, int lda, int ldb, int ldd, float alpha, float beta, int groups, int rows,
               int columns, int band, int k_tiles, int stream_tiles, int share, int rest) {
  run_block({A, B, N, K, lda, ldb}, {C, D, N, ldd, alpha, beta}, {groups, starts, M},
            {rows, columns, band, k_tiles, stream_tiles, share, rest}, partials, arrivals);
}
