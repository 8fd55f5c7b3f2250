#pragma once
// What a thread knows of its place, and how it waits for others: indices, barriers and fences, and the warp
// operations of the _sync family; each waits for the threads that its mask names.
#include "abi.hpp"
#include "types.hpp"

namespace tuner_cpu {

inline uint3 to_uint3(const Index3& index) {
  return {index.x, index.y, index.z};
}
inline dim3 to_dim3(const Index3& index) {
  return {index.x, index.y, index.z};
}
inline unsigned lane() {
  return tuner_cpu_current->rank % 32;
}

}  // namespace tuner_cpu

// Macros, because their values belong to the CUDA thread that is running.
#define threadIdx (tuner_cpu::to_uint3(tuner_cpu_current->index))
#define blockIdx (tuner_cpu::to_uint3(tuner_cpu_current->block->index))
#define blockDim (tuner_cpu::to_dim3(tuner_cpu_current->block->size))
#define gridDim (tuner_cpu::to_dim3(tuner_cpu_current->block->grid))

inline constexpr int warpSize = 32;

// Default arguments are evaluated where a function is called, so that reports name that line.
#define TUNER_CPU_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(TUNER_CPU_SITE) {
  tuner_cpu_barrier(0, file, line);
}
inline int __syncthreads_count(int predicate, TUNER_CPU_SITE) {
  return tuner_cpu_barrier(predicate, file, line);
}
inline int __syncthreads_or(int predicate, TUNER_CPU_SITE) {
  return tuner_cpu_barrier(predicate, file, line) != 0;
}
inline int __syncthreads_and(int predicate, TUNER_CPU_SITE) {
  return tuner_cpu_barrier(predicate == 0, file, line) == 0;
}

// What a fence orders is reported as that; within a block a fence alone orders nothing.
#if defined(TUNER_CPU_REPORT_ACCESSES)
#define TUNER_CPU_NOTE_FENCE tuner_cpu_access(nullptr, 0, tuner_cpu::Access::fence, nullptr)
#else
#define TUNER_CPU_NOTE_FENCE static_cast<void>(0)
#endif
#define TUNER_CPU_FENCE(name, note)          \
  inline TUNER_CPU_UNREPORTED void name() {  \
    __atomic_thread_fence(__ATOMIC_SEQ_CST); \
    note;                                    \
  }
TUNER_CPU_FENCE(__threadfence, TUNER_CPU_NOTE_FENCE)
TUNER_CPU_FENCE(__threadfence_block, )
TUNER_CPU_FENCE(__threadfence_system, TUNER_CPU_NOTE_FENCE)
#undef TUNER_CPU_FENCE
#undef TUNER_CPU_NOTE_FENCE

namespace tuner_cpu {

inline unsigned long long warp(WarpOperation operation, unsigned mask, unsigned long long value,
                               unsigned source_lane, const char* file, int line) {
  const WarpRequest request{operation, mask, source_lane, value, {file, line}};
  return tuner_cpu_warp(&request);
}

template <class Value>
inline Value shuffle(unsigned mask, Value value, unsigned source_lane, const char* file, int line) {
  static_assert(sizeof(Value) <= 8, "a shuffle moves at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = warp(WarpOperation::shuffle, mask, bits, source_lane, file, line);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/// The first lane of the caller's group of `width` lanes.
inline unsigned group_start(int width) {
  return lane() & ~(static_cast<unsigned>(width) - 1U);
}

}  // namespace tuner_cpu

inline void __syncwarp(unsigned mask = 0xffffffffU, TUNER_CPU_SITE) {
  tuner_cpu::warp(tuner_cpu::WarpOperation::sync, mask, 0, 0, file, line);
}

// A lane outside the group of `width` lanes gets its own value back.
template <class Value>
inline Value __shfl_sync(unsigned mask, Value value, int source, int width = 32, TUNER_CPU_SITE) {
  const unsigned lane =
      tuner_cpu::group_start(width) + (static_cast<unsigned>(source) & (static_cast<unsigned>(width) - 1U));
  return tuner_cpu::shuffle(mask, value, lane, file, line);
}
template <class Value>
inline Value __shfl_up_sync(unsigned mask, Value value, unsigned delta, int width = 32, TUNER_CPU_SITE) {
  const unsigned own = tuner_cpu::lane();
  const bool inside = own - tuner_cpu::group_start(width) >= delta;
  return tuner_cpu::shuffle(mask, value, inside ? own - delta : own, file, line);
}
template <class Value>
inline Value __shfl_down_sync(unsigned mask, Value value, unsigned delta, int width = 32, TUNER_CPU_SITE) {
  const unsigned own = tuner_cpu::lane();
  const bool inside = own - tuner_cpu::group_start(width) + delta < static_cast<unsigned>(width);
  return tuner_cpu::shuffle(mask, value, inside ? own + delta : own, file, line);
}
// A lane may read from an earlier group, but not from a later one: then it keeps its own value.
template <class Value>
inline Value __shfl_xor_sync(unsigned mask, Value value, int lanes, int width = 32, TUNER_CPU_SITE) {
  const unsigned own = tuner_cpu::lane();
  const unsigned other = own ^ static_cast<unsigned>(lanes);
  const bool inside = other < tuner_cpu::group_start(width) + static_cast<unsigned>(width);
  return tuner_cpu::shuffle(mask, value, inside ? other : own, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, TUNER_CPU_SITE) {
  return static_cast<unsigned>(
      tuner_cpu::warp(tuner_cpu::WarpOperation::ballot, mask, predicate != 0, 0, file, line));
}
inline int __any_sync(unsigned mask, int predicate, TUNER_CPU_SITE) {
  return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, TUNER_CPU_SITE) {
  return __ballot_sync(mask, predicate == 0, file, line) == 0;
}
template <class Value>
inline unsigned __match_any_sync(unsigned mask, Value value, TUNER_CPU_SITE) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return static_cast<unsigned>(tuner_cpu::warp(tuner_cpu::WarpOperation::match, mask, bits, 0, file, line));
}
/// The mask where all of it have one value, and *pred says so; else 0.
template <class Value>
inline unsigned __match_all_sync(unsigned mask, Value value, int* pred, TUNER_CPU_SITE) {
  const unsigned same = __match_any_sync(mask, value, file, line);
  *pred = __all_sync(mask, same == __ballot_sync(mask, 1, file, line), file, line);
  return *pred != 0 ? mask : 0;
}

// Only the caller is certain to be here: threads of a warp do not run in lockstep, and CUDA promises no more
// either. A group formed this way is one thread; code that is right for any group is right for it.
inline unsigned __activemask() {
  return 1U << tuner_cpu::lane();
}

#define TUNER_CPU_REDUCE(name, type, operation)                                             \
  inline type name(unsigned mask, type value, TUNER_CPU_SITE) {                             \
    return static_cast<type>(tuner_cpu::warp(tuner_cpu::WarpOperation::operation, mask,     \
                                             static_cast<unsigned>(value), 0, file, line)); \
  }
TUNER_CPU_REDUCE(__reduce_add_sync, unsigned, sum)
TUNER_CPU_REDUCE(__reduce_add_sync, int, sum)
TUNER_CPU_REDUCE(__reduce_min_sync, unsigned, least_unsigned)
TUNER_CPU_REDUCE(__reduce_min_sync, int, least)
TUNER_CPU_REDUCE(__reduce_max_sync, unsigned, greatest_unsigned)
TUNER_CPU_REDUCE(__reduce_max_sync, int, greatest)
TUNER_CPU_REDUCE(__reduce_and_sync, unsigned, bit_and)
TUNER_CPU_REDUCE(__reduce_or_sync, unsigned, bit_or)
TUNER_CPU_REDUCE(__reduce_xor_sync, unsigned, bit_xor)
#undef TUNER_CPU_REDUCE
#undef TUNER_CPU_SITE
