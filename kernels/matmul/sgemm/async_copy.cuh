#pragma once
// Copies from global to shared memory that no thread waits for (cp.async), with a plain path for the CPU
// device. A copy of what is not there fills zeros and reads nothing: its address may be anything.

#include "sgemm/shape.cuh"

#if defined(__CUDA_ARCH__)

using SharedAddress = unsigned;  // in bytes

__device__ inline SharedAddress shared_address(float* shared) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(shared));
}

/// Copies BYTES if `left` exceeds `taken`. 16 bytes go past the first-level cache: a block reads each piece
/// once. The comparison is in assembly because a C++ condition would become a number first, and then a
/// predicate.
template <int BYTES>
__device__ inline void copy_async(SharedAddress to, const float* from, int left, int taken) {
  static_assert(BYTES == 4 || BYTES == 16, "what cp.async copies of floats");
  if constexpr (BYTES == 16) {
    asm volatile(
        "{.reg .pred dead; setp.le.s32 dead, %2, %3; cp.async.cg.shared.global [%0], [%1], 16, dead;}" ::"r"(
            to),
        "l"(from), "r"(left), "r"(taken)
        : "memory");
  } else {
    asm volatile(
        "{.reg .pred dead; setp.le.s32 dead, %2, %3; cp.async.ca.shared.global [%0], [%1], 4, dead;}" ::"r"(
            to),
        "l"(from), "r"(left), "r"(taken)
        : "memory");
  }
}

__device__ inline void end_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Until at most PENDING of the thread's newest groups are under way.
template <int PENDING>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

#else

using SharedAddress = char*;

__device__ inline SharedAddress shared_address(float* shared) {
  return reinterpret_cast<char*>(shared);
}

template <int BYTES>
__device__ inline void copy_async(SharedAddress to, const float* from, int left, int taken) {
  float* const floats = reinterpret_cast<float*>(to);
  for (int i = 0; i < BYTES / 4; ++i) floats[i] = left > taken ? from[i] : 0.0F;
}

__device__ inline void end_copy_group() {}

template <int PENDING>
__device__ inline void wait_for_copies() {}

#endif
