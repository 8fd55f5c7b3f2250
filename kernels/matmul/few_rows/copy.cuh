#pragma once
// Copies of BYTES bytes from global to shared memory that no thread waits for, with a plain path for the CPU
// device. What is not there is filled with zeros, and its address may be anything.

#if defined(__CUDA_ARCH__)

#define COPY_16 "cp.async.cg.shared.global [%0], [%1], 16"  // past the first-level cache
#define COPY_4 "cp.async.ca.shared.global [%0], [%1], 4"
#define UNLESS_DEAD(copy) "{.reg .pred dead; setp.le.s32 dead, %2, %3; " copy ", dead;}"

/// The first `left` bytes at most.
template <int BYTES>
__device__ inline void copy_some(void* to, const void* from, int left) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = min(max(left, 0), BYTES);
  if constexpr (BYTES == 16) {
    asm volatile(COPY_16 ", %2;" ::"r"(shared), "l"(from), "r"(bytes) : "memory");
  } else {
    asm volatile(COPY_4 ", %2;" ::"r"(shared), "l"(from), "r"(bytes) : "memory");
  }
}

/// All, if `left` exceeds `taken`, else none. The comparison is in assembly because a C++ condition would
/// become a number first, and then a predicate.
template <int BYTES>
__device__ inline void copy_all(void* to, const void* from, int left, int taken) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (BYTES == 16) {
    asm volatile(UNLESS_DEAD(COPY_16)::"r"(shared), "l"(from), "r"(left), "r"(taken) : "memory");
  } else {
    asm volatile(UNLESS_DEAD(COPY_4)::"r"(shared), "l"(from), "r"(left), "r"(taken) : "memory");
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

__device__ inline void let_next_launch_begin() {
#if OVERLAP
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
__device__ inline void wait_for_launch_before() {
#if OVERLAP
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#else

__device__ inline void let_next_launch_begin() {}
__device__ inline void wait_for_launch_before() {}

template <int BYTES>
__device__ inline void copy_some(void* to, const void* from, int left) {
  for (int i = 0; i < BYTES; ++i) {
    static_cast<char*>(to)[i] = i < left ? static_cast<const char*>(from)[i] : 0;
  }
}

template <int BYTES>
__device__ inline void copy_all(void* to, const void* from, int left, int taken) {
  copy_some<BYTES>(to, from, left > taken ? BYTES : 0);
}

__device__ inline void end_copy_group() {}

template <int PENDING>
__device__ inline void wait_for_copies() {}

#endif
