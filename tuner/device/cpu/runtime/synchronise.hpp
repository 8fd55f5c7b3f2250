#pragma once
// Barriers and fences. The default arguments are evaluated where a barrier is written, so that reports name
// its line.
#include "abi.hpp"

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  tuner_cpu_barrier(0, file, line);
}
inline int __syncthreads_count(int predicate, const char* file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
  return tuner_cpu_barrier(predicate, file, line);
}
inline int __syncthreads_or(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return tuner_cpu_barrier(predicate, file, line) != 0;
}
inline int __syncthreads_and(int predicate, const char* file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
  return tuner_cpu_barrier(predicate, file, line) == static_cast<int>(tuner_cpu_current->block->threads);
}

// Not reported: a fence orders accesses and is none.
#define TUNER_CPU_FENCE inline __attribute__((no_sanitize("thread")))
TUNER_CPU_FENCE void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
TUNER_CPU_FENCE void __threadfence_block() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
TUNER_CPU_FENCE void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#undef TUNER_CPU_FENCE
