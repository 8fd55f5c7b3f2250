#pragma once
// A block's way through its tiles.

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

/// What follows from a launch's `division`; `partials` and `arrivals` as parts.cuh tells.
__device__ inline void run_block(const Product& product, const Result& result, const Groups& groups,
                                 const Division& division, float4* partials, unsigned* arrivals) {
  extern __shared__ __align__(128) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  Schedule schedule(division, groups);
  Segment segment;
  for (int at = schedule.begin(); schedule.get(at, segment); at = segment.next) {
    Sums sums = {};
    multiply_segment(sums, shared.stages, product, segment);
    if (!add_parts(sums, partials, arrivals, schedule, division, segment)) continue;
    store(sums, result, shared.stores[threadIdx.x / WARP], segment.row, segment.column, segment.end);
    __syncthreads();  // before copies fill what has been stored from
  }
}
