#pragma once
#include "cooperative_groups.h"

namespace tuner_cpu {

/// Replaces a cuda::atomic, or what an atomic_ref stands for, and returns what it was.
template <class Atomic, class Value, class Operation>
inline Value exchange_by(Atomic& target, Value value, Operation operation) {
  auto old = target.load();
  while (!target.compare_exchange_weak(old, operation(old, value))) continue;
  return old;
}

}  // namespace tuner_cpu

namespace cooperative_groups {

#define TUNER_CPU_OPERATION(name, result)                                     \
  template <class Value>                                                      \
  struct name {                                                               \
    Value operator()(const Value& a, const Value& b) const { return result; } \
  };
TUNER_CPU_OPERATION(plus, a + b)
TUNER_CPU_OPERATION(less, b < a ? b : a)
TUNER_CPU_OPERATION(greater, a < b ? b : a)
TUNER_CPU_OPERATION(bit_and, a& b)
TUNER_CPU_OPERATION(bit_or, a | b)
TUNER_CPU_OPERATION(bit_xor, a ^ b)
#undef TUNER_CPU_OPERATION

/// Over a tile or a coalesced group; every thread of it gets the result.
template <class Group, class Value, class Operation>
inline Value reduce(const Group& group, Value value, Operation operation) {
  Value total = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.num_threads(); ++rank)
    total = operation(total, group.shfl(value, static_cast<int>(rank)));
  return total;
}
template <unsigned Size, class Parent, class Value, class Operation>
inline Value reduce(const thread_block_tile<Size, Parent>& tile, Value value, Operation operation) {
  for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2)
    value = operation(value, tile.shfl_xor(value, static_cast<int>(lanes)));
  return value;
}

template <class Group, class Atomic, class Value, class Operation>
inline void reduce_update_async(const Group& group, Atomic&& target, Value value, Operation operation) {
  const Value total = reduce(group, value, operation);
  if (group.thread_rank() == 0) tuner_cpu::exchange_by(target, total, operation);
}
template <class Group, class Atomic, class Value, class Operation>
inline void reduce_store_async(const Group& group, Atomic&& target, Value value, Operation operation) {
  const Value total = reduce(group, value, operation);
  if (group.thread_rank() == 0) target.store(total);
}
template <class Group, class Target, class Value, class Operation>
inline void reduce_store_async(const Group& group, Target* target, Value value, Operation operation) {
  const Value total = reduce(group, value, operation);
  if (group.thread_rank() == 0) *target = total;
}

}  // namespace cooperative_groups
