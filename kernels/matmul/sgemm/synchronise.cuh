#pragma once
// Who waits for whom: the threads of a slice, the blocks of a tile, one launch for another. Each has a plain path for the
// CPU device.

#include "sgemm/shape.cuh"

#if defined(__CUDA_ARCH__)

/// A barrier of the threads of one slice: slices do not wait for each other.
__device__ inline void slice_barrier(int slice) {
  if constexpr (SLICES == 1) {
    __syncthreads();
  } else if constexpr (SLICE_THREADS == WARP) {
    __syncwarp();
  } else {
    asm volatile("bar.sync %0, %1;" ::"r"(slice + 1), "n"(SLICE_THREADS) : "memory");
  }
}

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

/// Where launches overlap: lets the next one begin as soon as there is room, and waits until the one before has
/// ended and all it wrote can be seen.
__device__ inline void wait_for_launch_before() {
#if OVERLAP
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// The same number, of which the compiler knows nothing: it then keeps it in a register, where it would
/// otherwise compute it again and again inside the main loop.
__device__ inline unsigned opaque(unsigned value) {
  return __shfl_sync(0xffffffffU, value, threadIdx.x % WARP);
}

#else

__device__ inline void slice_barrier(int) {
  __syncthreads();  // all slices run through the same number of k-tiles
}

__device__ inline void arrive(unsigned* counter) {
  atomicAdd(counter, 1U);
}

__device__ inline void wait_until(unsigned* counter, unsigned value) {
  while (atomicAdd(counter, 0U) != value) {
  }
}

__device__ inline void wait_for_launch_before() {}

__device__ inline unsigned opaque(unsigned value) {
  return value;
}

#endif
