#pragma once
#include "cooperative_groups.h"

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

}  // namespace cooperative_groups
