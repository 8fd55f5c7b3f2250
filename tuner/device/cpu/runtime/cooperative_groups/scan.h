#pragma once
#include "reduce.h"

namespace tuner_cpu {

/// What the last thread finds in `target` before it adds what all have.
template <class Group, class Atomic, class Value, class Operation>
inline Value updated(const Group& group, Atomic& target, Value inclusive, Operation operation) {
  const unsigned last = group.num_threads() - 1;
  Value old{};
  if (group.thread_rank() == last) old = exchange_by(target, inclusive, operation);
  return group.shfl(old, static_cast<int>(last));
}
}  // namespace tuner_cpu

namespace cooperative_groups {

/// What the threads up to the caller have in common, over a tile or a coalesced group.
template <class Group, class Value, class Operation>
inline Value inclusive_scan(const Group& group, Value value, Operation operation) {
  for (unsigned distance = 1; distance < group.num_threads(); distance *= 2) {
    const Value before = group.shfl_up(value, distance);
    if (group.thread_rank() >= distance) value = operation(before, value);
  }
  return value;
}
template <class Group, class Value>
inline Value inclusive_scan(const Group& group, Value value) {
  return inclusive_scan(group, value, plus<Value>());
}

/// Of the threads before the caller; the first thread gets 0.
template <class Group, class Value, class Operation>
inline Value exclusive_scan(const Group& group, Value value, Operation operation) {
  const Value before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? Value{} : before;
}
template <class Group, class Value>
inline Value exclusive_scan(const Group& group, Value value) {
  return exclusive_scan(group, value, plus<Value>());
}

/// Scans that go on from a cuda::atomic, or what an atomic_ref stands for, and add to it.
template <class Group, class Atomic, class Value, class Operation>
inline Value inclusive_scan_update(const Group& group, Atomic&& target, Value value, Operation operation) {
  const Value own = inclusive_scan(group, value, operation);
  return operation(tuner_cpu::updated(group, target, own, operation), own);
}
template <class Group, class Atomic, class Value>
inline Value inclusive_scan_update(const Group& group, Atomic&& target, Value value) {
  return inclusive_scan_update(group, target, value, plus<Value>());
}
template <class Group, class Atomic, class Value, class Operation>
inline Value exclusive_scan_update(const Group& group, Atomic&& target, Value value, Operation operation) {
  const Value own = inclusive_scan(group, value, operation);
  const Value old = tuner_cpu::updated(group, target, own, operation);
  const Value before = group.shfl_up(own, 1);
  return group.thread_rank() == 0 ? old : operation(old, before);
}
template <class Group, class Atomic, class Value>
inline Value exclusive_scan_update(const Group& group, Atomic&& target, Value value) {
  return exclusive_scan_update(group, target, value, plus<Value>());
}

}  // namespace cooperative_groups
