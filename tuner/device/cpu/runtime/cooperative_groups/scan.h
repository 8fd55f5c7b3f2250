#pragma once
#include "reduce.h"

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

}  // namespace cooperative_groups
