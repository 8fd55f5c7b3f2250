#pragma once
// Where several threads have parts of one sum: the slices of a block, through shared memory, and the blocks of a tile,
// through global memory. The order of every addition is fixed, whoever comes last: results are the same bits each time.
//
// A thread's sums are handled as quads of four neighbouring columns. After the slices are reduced, quad i is that of
// slice i % SLICES.

#include "sgemm/schedule.cuh"
#include "sgemm/thread_tile.cuh"

constexpr int QUADS_N = THREAD_N / QUAD;
constexpr int QUADS = THREAD_M * QUADS_N;  // of a thread
constexpr int OWN_QUADS = QUADS / SLICES;
constexpr int TILE_QUADS = TILE_M * TILE_N / QUAD;
static_assert(QUADS % SLICES == 0, "slices have as many quads each");

__device__ inline float4 get_quad(const Sums& sum, int quad) {
  const float* from = sum[quad / QUADS_N] + quad % QUADS_N * QUAD;
  return make_float4(from[0], from[1], from[2], from[3]);
}

__device__ inline void set_quad(Sums& sum, int quad, float4 value) {
  float* to = sum[quad / QUADS_N] + quad % QUADS_N * QUAD;
  to[0] = value.x;
  to[1] = value.y;
  to[2] = value.z;
  to[3] = value.w;
}

__device__ inline void add_quad(Sums& sum, int quad, float4 value) {
  float* to = sum[quad / QUADS_N] + quad % QUADS_N * QUAD;
  to[0] += value.x;
  to[1] += value.y;
  to[2] += value.z;
  to[3] += value.w;
}

/// Each slice hands its quads to those whose they are. Takes SLICES - 1 of SLICES parts of `exchange`, which has room
/// for a tile a slice.
__device__ inline void reduce_slices(Sums& sum, float* exchange, int slice, int thread) {
  if constexpr (SLICES > 1) {
    float4* const quads = reinterpret_cast<float4*>(exchange);
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      if (i % SLICES != slice) quads[(i * SLICES + slice) * SLICE_THREADS + thread] = get_quad(sum, i);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      if (i % SLICES != slice) continue;
#pragma unroll
      for (int other = 1; other < SLICES; ++other) {
        add_quad(sum, i, quads[(i * SLICES + (slice + other) % SLICES) * SLICE_THREADS + thread]);
      }
    }
    if constexpr (STREAM_K) __syncthreads();  // before the next tile's sums are written there
  }
}

/// Orders what this thread wrote before it, or read after it, with what other blocks see.
__device__ inline void publish() {
#if defined(__CUDA_ARCH__)
  __threadfence();
#endif  // on the CPU device barriers do, and its race detector knows no fences
}

/// The blocks that share a tile, and where they leave their sums.
struct Parts {
  int count;
  int own;         // which of them this block has: part 0 has the first k-tile
  int first_slot;  // of `partials`
  __device__ int slot_of(int part) const { return first_slot + (STREAM_K ? 2 * part + (part == 0 ? 1 : 0) : part); }
};

/// With stream-K a block may leave two sums, so it has two slots: one for the end of a tile, with which it begins, and
/// one for the beginning of another.
__device__ inline Parts parts_of(const Schedule& schedule, const Division& division, const Segment& segment) {
  if constexpr (STREAM_K) {
    int first = blockIdx.x;
    int last = blockIdx.x;
    if (segment.count < division.k_tiles) {
      const int begin = segment.tile * division.k_tiles;
      while (schedule.start_of(first) > begin) --first;
      while (schedule.start_of(last + 1) < begin + division.k_tiles) ++last;
    }
    return {last - first + 1, static_cast<int>(blockIdx.x) - first, 2 * first};
  } else {
    return {division.parts, static_cast<int>(blockIdx.x >> division.band_bits), segment.tile * division.parts};
  }
}

/// Adds up the parts of a tile in the block that comes last; whether that is this one. No block waits for another, so
/// they may run in any order, one by one.
///
/// `arrivals` is the tile's counter. Between launches it is parts - 1 or more, as poison is; the first block to arrive
/// makes it 0, each further one adds 1, and so it ends as it began.
class Gathering {
 public:
  __device__ Gathering(float* partials, unsigned* arrivals, const Parts& parts, int slice)
      : m_partials(reinterpret_cast<float4*>(partials)), m_arrivals(arrivals), m_parts(parts), m_slice(slice) {}

  __device__ bool run(Sums& sum) {
    if (m_parts.count == 1) return true;
    // Of two, the one that finds the other's sum there adds it to its own, which it need not write: a + b = b + a.
    const unsigned others = static_cast<unsigned>(m_parts.count - 1);
    if (m_parts.count == 2 && __syncthreads_or(threadIdx.x == 0 && atomicAdd(m_arrivals, 0U) == 0) != 0) {
      if (threadIdx.x == 0) *m_arrivals = others;
      add(sum, 1 - m_parts.own);
      return true;
    }
    write(sum);
    publish();
    __syncthreads();
    if (__syncthreads_or(threadIdx.x == 0 && atomicInc(m_arrivals, others) == others - 1) == 0) return false;
    if (m_parts.count == 2) {
      add(sum, 1 - m_parts.own);
      return true;
    }
    clear(sum);
    for (int part = 0; part < m_parts.count; ++part) add(sum, part);
    return true;
  }

 private:
  __device__ float4* slot(int part) const {
    return m_partials + static_cast<size_t>(m_parts.slot_of(part)) * TILE_QUADS + threadIdx.x;
  }

  __device__ void write(const Sums& sum) const {
    float4* const to = slot(m_parts.own);
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      if (i % SLICES == m_slice) __stcg(to + i / SLICES * THREADS, get_quad(sum, i));
    }
  }

  __device__ void add(Sums& sum, int part) const {
    publish();
    const float4* const from = slot(part);
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      if (i % SLICES == m_slice) add_quad(sum, i, __ldcg(from + i / SLICES * THREADS));
    }
  }

  __device__ static void clear(Sums& sum) {
#pragma unroll
    for (int i = 0; i < QUADS; ++i) set_quad(sum, i, make_float4(0, 0, 0, 0));
  }

  float4* m_partials;
  unsigned* m_arrivals;
  Parts m_parts;
  int m_slice;
};
