#pragma once
// Where several threads have parts of one sum: the slices of a block, through shared memory, and the blocks
// of a tile, through global memory. The order of every addition is fixed: results are the same bits each
// time.
//
// A thread's sums are handled as quads of four neighbouring columns.

#include "sgemm/schedule.cuh"
#include "sgemm/synchronise.cuh"
#include "sgemm/thread_tile.cuh"

constexpr int QUADS_N = THREAD_N / QUAD;
constexpr int QUADS = THREAD_M * QUADS_N;  // of a thread tile
constexpr int OWN_QUADS = divide_up(QUADS, SLICES);
/// So many parts of a tile are loaded at once, lest each waits for the memory alone. With stream-K a tile has two
/// or three parts.
constexpr int TOGETHER = STREAM_K ? 1 : smaller(8, larger(1, 16 / OWN_QUADS));

/// What is left of a thread's sums once those of the slices are added up: the i-th is quad i * SLICES +
/// slice.
struct OwnSums {
  float4 quads[OWN_QUADS];
};

/// Where slices do not have equally many quads, the last one of some is none.
__device__ inline bool is_quad(int quad) {
  return QUADS % SLICES == 0 || quad < QUADS;
}

__device__ inline float4 get_quad(const Sums& sum, int quad) {
  const float* from = sum[quad / QUADS_N] + quad % QUADS_N * QUAD;
  return make_float4(from[0], from[1], from[2], from[3]);
}

__device__ inline float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/// Each slice writes all its quads to `exchange`, which has room for a tile a slice, and reads those that are
/// its own of all slices. It need not write its own; but which these are is only known at run time, and to
/// leave them out would take a copy of the code for each slice, hundreds of instructions that a block runs
/// through once.
__device__ inline OwnSums reduce_slices(const Sums& sum, float* exchange, int slice, int thread) {
  OwnSums own;
  if constexpr (SLICES == 1) {
#pragma unroll
    for (int i = 0; i < QUADS; ++i) own.quads[i] = get_quad(sum, i);
  } else {
    float4* const quads = reinterpret_cast<float4*>(exchange) + thread;
    __syncthreads();  // what was there before, all slices have read
#pragma unroll
    for (int i = 0; i < QUADS; ++i) quads[(i * SLICES + slice) * SLICE_THREADS] = get_quad(sum, i);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < OWN_QUADS; ++i) {
      own.quads[i] = make_float4(0, 0, 0, 0);
      if (!is_quad(i * SLICES + slice)) continue;
      const float4* const from = quads + (i * SLICES + slice) * SLICES * SLICE_THREADS;
      own.quads[i] = from[0];
#pragma unroll
      for (int other = 1; other < SLICES; ++other) own.quads[i] = own.quads[i] + from[other * SLICE_THREADS];
    }
  }
  return own;
}

/// The blocks that share a tile, and where they leave their sums.
struct Parts {
  int count;
  int own;         // which of them this block has: part 0 has the first k-tile
  int first_slot;  // of `partials`, that of part 0
};

__device__ inline Parts parts_of(const Schedule& schedule, const Division& division, const Segment& segment) {
  if constexpr (STREAM_K) {
    int first = schedule.part();
    int last = first;
    if (segment.count < division.k_tiles) {
      const int begin = segment.tile * division.k_tiles;
      while (schedule.start_of(first) > begin) --first;
      while (schedule.start_of(last + 1) < begin + division.k_tiles) ++last;
    }
    return {last - first + 1, schedule.part() - first, first};
  } else {
    return {division.parts, schedule.part(), segment.tile * division.parts};
  }
}

/// Adds up the parts of a tile in the block that has part 0, and says whether this is that block. The others
/// leave theirs and go on; it waits for them. Blocks start in the order of their index (as every scan in one
/// pass relies on: Merrill, Garland: "Single-pass parallel prefix scan with decoupled look-back", 2016), and
/// part 0 is that of the highest, so who is waited for has started.
///
/// `arrivals` is the tile's counter: each block that arrives adds 1. Between launches it is 0.
__device__ inline bool reduce_parts(OwnSums& own, float* partials, unsigned* arrivals, const Parts& parts) {
  if (parts.count == 1) return true;
  const unsigned others = static_cast<unsigned>(parts.count - 1);
  float4* const slots = reinterpret_cast<float4*>(partials) +
                        static_cast<size_t>(parts.first_slot) * OWN_QUADS * THREADS + threadIdx.x;
  if (parts.own > 0) {
    float4* const slot = slots + static_cast<size_t>(parts.own) * OWN_QUADS * THREADS;
#pragma unroll
    for (int i = 0; i < OWN_QUADS; ++i) __stcg(slot + i * THREADS, own.quads[i]);
    __syncthreads();
    if (threadIdx.x == 0) arrive(arrivals);
    return false;
  }
  if (threadIdx.x == 0) wait_until(arrivals, others);
  __syncthreads();
  if (threadIdx.x == 0) *arrivals = 0;
  unsigned part = 1;
  if constexpr (TOGETHER > 1) {
    for (; part + TOGETHER <= others + 1; part += TOGETHER) {
      float4 quads[TOGETHER][OWN_QUADS];
#pragma unroll
      for (int p = 0; p < TOGETHER; ++p) {
        const float4* const slot = slots + static_cast<size_t>(part + p) * OWN_QUADS * THREADS;
#pragma unroll
        for (int i = 0; i < OWN_QUADS; ++i) quads[p][i] = __ldcg(slot + i * THREADS);
      }
#pragma unroll
      for (int p = 0; p < TOGETHER; ++p) {
#pragma unroll
        for (int i = 0; i < OWN_QUADS; ++i) own.quads[i] = own.quads[i] + quads[p][i];
      }
    }
  }
  for (; part <= others; ++part) {
    const float4* const slot = slots + static_cast<size_t>(part) * OWN_QUADS * THREADS;
#pragma unroll
    for (int i = 0; i < OWN_QUADS; ++i) own.quads[i] = own.quads[i] + __ldcg(slot + i * THREADS);
  }
  return true;
}
