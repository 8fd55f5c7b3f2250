// C (M x N) = alpha * A (M x K) * B (K x N), single precision, row-major, any sizes and leading dimensions.
//
// A block computes tiles of C in steps of TILE_K: while its warps multiply one k-tile from shared memory, the
// copies of the next STAGES - 1 are under way. docs/gemm.md tells how each part came about and what it is
// worth. From the outside in:
//
//   schedule.cuh      which tiles, and which of their k-tiles, are a block's
//   copies.cuh        global memory -> shared memory, edges
//   thread_tile.cuh   shared memory -> registers, multiply-adds
//   reduction.cuh     sums of slices, and of blocks that share a tile
//   epilogue.cuh      registers -> C
//
// and this file, the pipeline between them.

#include "sgemm/copies.cuh"
#include "sgemm/epilogue.cuh"
#include "sgemm/reduction.cuh"
#include "sgemm/schedule.cuh"
#include "sgemm/shape.cuh"
#include "sgemm/synchronise.cuh"
#include "sgemm/thread_tile.cuh"

/// The stages of a slice's pipeline that are read and written.
struct Stages {
  int read = 0;  // in bytes
  int write = AHEAD * STAGE_BYTES;

  __device__ void advance() {
    write = read;
    read = read == (STAGES - 1) * STAGE_BYTES ? 0 : read + STAGE_BYTES;
  }
};

/// Where a thread's fragments begin, in the first stage.
struct Sources {
  const char* a;
  const char* b;
  __device__ Sources(const float* pipeline, const Place& place)
      : a(reinterpret_cast<const char*>(pipeline) + opaque(place.row * 4)),
        b(reinterpret_cast<const char*>(pipeline) + opaque((SHARED_A + place.column) * 4)) {}

  __device__ void load(Fragments& fragments, int stage, int k) const {
    fragments.load(reinterpret_cast<const float*>(a + stage), reinterpret_cast<const float*>(b + stage), k);
  }
};

/// The steps of a k-tile at which copies are issued: COPY_GROUPS times, evenly spaced. Not one by one, for
/// loads from shared memory cannot pass a copy; not all at once, for they would stand in the queue before the
/// loads.
__device__ constexpr int first_copy_at(int k) {
  return divide_up(divide_up(k * COPY_GROUPS, TILE_K) * COPIES, COPY_GROUPS);
}

template <int K>
__device__ inline void step(Sums& sum, Fragments& fragments, const Sources& sources, Copies& copies,
                            Stages& stages, int slice) {
  copies.copy<first_copy_at(K), first_copy_at(K + 1)>(stages.write);
  if constexpr (K + 1 < TILE_K) {
    sources.load(fragments, stages.read, K + 1);
    multiply(sum, fragments, K);
    step<K + 1>(sum, fragments, sources, copies, stages, slice);
  } else {
    copies.advance();
    end_copy_group();
    stages.advance();
    wait_for_copies<AHEAD - 1>();
    slice_barrier(slice);
    sources.load(fragments, stages.read, 0);
    multiply(sum, fragments, K);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    sgemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
          float* __restrict__ partials, unsigned* __restrict__ arrivals, int M, int N, int K, int lda,
          int ldb, int ldc, float alpha, int rows, int columns, int k_tiles, int band_bits, int parts,
          int stream_tiles, int share, int rest) {
  extern __shared__ float4 shared_quads[];
  const int slice = threadIdx.x / SLICE_THREADS;
  const int thread = threadIdx.x % SLICE_THREADS;
  float* const shared = reinterpret_cast<float*>(shared_quads);
  float* const pipeline = shared + slice * PIPELINE_FLOATS;
  float* const exchange = STREAM_K ? shared + SLICES * PIPELINE_FLOATS : shared;

  const Problem problem = {A, B, C, M, N, K, lda, ldb, ldc, alpha};
  const Division division = {rows, columns, k_tiles, band_bits, parts, stream_tiles, share, rest};
  const Place place(thread);
  const Sources sources(pipeline, place);
  Copies copies(problem, division, pipeline, slice, thread);
  Stages stages;
  wait_for_launch_before();
  int run = 0;  // k-tiles that can be copied before edges have to be looked at again
#pragma unroll 1
  for (int i = 0; i < AHEAD; ++i) {
    if (run == 0) run = copies.next_run();
    --run;
    copies.copy<0, COPIES>(i * STAGE_BYTES);
    copies.advance();
    end_copy_group();
  }
  wait_for_copies<AHEAD - 1>();
  slice_barrier(slice);
  Fragments fragments;
  sources.load(fragments, 0, 0);

  const Schedule schedule(division);
  Segment segment;
  for (int position = schedule.begin(); schedule.get(position, segment); position = segment.next) {
    Sums sum = {};
    if constexpr (BANKS == BANKS_spread) spread_over_banks(sum, K < 0);
    for (int left = divide_up(segment.count, SLICES); left > 0;) {
      if (run == 0) run = copies.next_run();
      const int count = smaller(left, run);
      for (int i = count; i > 0; --i) step<0>(sum, fragments, sources, copies, stages, slice);
      left -= count;
      run -= count;
    }
    if constexpr (SLICES > 1 && !STREAM_K)
      wait_for_copies<0>();  // the exchange takes the place of the pipelines
    schedule.get(opaque(position), segment);
    scale(sum, alpha);
    OwnSums own = reduce_slices(sum, exchange, slice, thread);
    const Parts parts = parts_of(schedule, division, segment);
    if (reduce_parts(own, partials, arrivals + segment.tile, parts))
      store(own, problem, segment, place, slice);
  }
}
