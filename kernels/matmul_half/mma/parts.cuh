#pragma once
// Where several blocks have parts of a tile's sums: through global memory, in a fixed order, so that results
// are the same bits each time. As in kernels/matmul/sgemm/reduction.cuh.

#include "mma/multiply.cuh"
#include "mma/schedule.cuh"

#if defined(__CUDA_ARCH__)

/// Adds 1 to a counter. Who sees it sees what the block wrote before its last barrier.
__device__ inline void arrive(unsigned* counter) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

__device__ inline void wait_until(unsigned* counter, unsigned value) {
  unsigned seen;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
  } while (seen != value);
}

#else

__device__ inline void arrive(unsigned* counter) {
  atomicAdd(counter, 1U);
}

__device__ inline void wait_until(unsigned* counter, unsigned value) {
  while (atomicAdd(counter, 0U) != value) {
  }
}

#endif

/// Adds up the parts of a tile in the block that has its first k-tile, and says whether this is that block.
/// The others leave theirs and go on; it waits for them. Blocks start in the order of their index, and the
/// first k-tile is with the highest index, so who is waited for has started. A block leaves sums at most
/// once.
///
/// Each block that arrives adds 1 to the tile's counter. Between launches it is 0.
__device__ inline bool add_parts(Sums& sums, float4* partials, unsigned* arrivals, const Schedule& schedule,
                                 const Division& division, const Segment& segment) {
  constexpr int QUADS = BLOCKS_M * BLOCKS_N;
  if (!SHARED_TILES || segment.count == division.k_tiles) return true;
  const int begin = segment.tile * division.k_tiles;
  int first = schedule.part(), last = first;
  while (schedule.start_of(first) > begin) --first;
  while (schedule.start_of(last + 1) < begin + division.k_tiles) ++last;
  unsigned* const counter = arrivals + segment.tile;
  const auto slot = [&](int part) {
    return partials + static_cast<long long>(part) * QUADS * THREADS + threadIdx.x;
  };
  if (schedule.part() > first) {
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      const float* const sum = sums.of[i / BLOCKS_N][i % BLOCKS_N];
      __stcg(slot(schedule.part()) + i * THREADS, make_float4(sum[0], sum[1], sum[2], sum[3]));
    }
    __syncthreads();
    if (threadIdx.x == 0) arrive(counter);
    return false;
  }
  if (threadIdx.x == 0) wait_until(counter, last - first);
  __syncthreads();
  if (threadIdx.x == 0) *counter = 0;
  for (int part = first + 1; part <= last; ++part) {
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      const float4 quad = __ldcg(slot(part) + i * THREADS);
      float* const sum = sums.of[i / BLOCKS_N][i % BLOCKS_N];
      sum[0] += quad.x;
      sum[1] += quad.y;
      sum[2] += quad.z;
      sum[3] += quad.w;
    }
  }
  return true;
}
