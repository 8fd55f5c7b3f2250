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
#include "mma/copies.cuh"
#include "mma/multiply.cuh"
#include "mma/parts.cuh"
#include "mma/schedule.cuh"
#include "mma/store.cuh"

struct Product {
  const Number* A;
  const Number* B;
  int N, K, lda, ldb;
};

__device__ inline void multiply_segment(Sums& sums, Stage* stages, const Product& product,
                                        const Segment& segment) {
  const int row = segment.row, column = segment.column, k = segment.first * TILE_K;
  const Number* const of_group =
      product.B + static_cast<long long>(segment.group) * (B_ALONG_K ? product.N : product.K) * product.ldb;
  OperandCopies<A_ALONG_K, TILE_M> of_a(
      product.A + static_cast<long long>(row) * (A_ALONG_K ? product.lda : 1), product.lda, segment.end - row,
      k);
  OperandCopies<B_ALONG_K, TILE_N> of_b(
      of_group + static_cast<long long>(column) * (B_ALONG_K ? product.ldb : 1), product.ldb,
      product.N - column, k);
  // Copies are spread over the steps, so that fragments do not queue behind them. Behind the segment's end
  // they bring zeros, which costs less than a branch.
  constexpr int PARTS = STEPS - 1;
  int left = min(product.K - k, segment.count * TILE_K);
  const auto copy = [&](Stage& stage, int part) {
    of_a.copy<PARTS>(stage.a, left, part);
    of_b.copy<PARTS>(stage.b, left, part);
    if (part < PARTS - 1) return;
    left -= TILE_K;
    end_copy_group();
  };

#pragma unroll
  for (int i = 0; i < STAGES - 1; ++i) {
#pragma unroll
    for (int part = 0; part < PARTS; ++part) copy(stages[i], part);
  }
  wait_for_copies<STAGES - 2>();
  __syncthreads();
  int read = 0, write = STAGES - 1;
  Fragments fragments[2];
  load(fragments[0], stages[0], 0);
  for (int i = 0; i < segment.count; ++i) {
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      if (step == STEPS - 1) {  // the next k-tile is there, and this one has been read by all
        wait_for_copies<STAGES - 2>();
        __syncthreads();
        read = read + 1 == STAGES ? 0 : read + 1;
      }
      load(fragments[(step + 1) % 2], stages[read], (step + 1) % STEPS);
      if (step < PARTS) copy(stages[write], step);
      if (step == PARTS - 1) write = write + 1 == STAGES ? 0 : write + 1;
      multiply(sums, fragments[step % 2]);
    }
  }
  wait_for_copies<0>();
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    matmul_mma(const Number* __restrict__ A, const Number* __restrict__ B, const Output* __restrict__ C,
               Output* __restrict__ D, float4* __restrict__ partials, unsigned* arrivals, const int* starts,
               int M, int N, int K, int lda, int ldb, int ldd, float alpha, float beta, int groups, int rows,
               int columns, int band, int k_tiles, int stream_tiles, int share, int rest) {
  extern __shared__ __align__(128) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const Product product = {A, B, N, K, lda, ldb};
  const Result result = {C, D, N, ldd, alpha, beta};
  const Groups all = {groups, starts, M};
  const Division division = {rows, columns, band, k_tiles, stream_tiles, share, rest};
  Schedule schedule(division, all);
  Segment segment;
  for (int at = schedule.begin(); schedule.get(at, segment); at = segment.next) {
    Sums sums = {};
    multiply_segment(sums, shared.stages, product, segment);
    if (!add_parts(sums, partials, arrivals, schedule, division, segment)) continue;
    store(sums, result, shared.stores[threadIdx.x / WARP], segment.row, segment.column, segment.end);
    __syncthreads();  // before copies fill what has been stored from
  }
}
