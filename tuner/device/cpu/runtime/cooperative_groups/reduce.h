#pragma once
#include "cooperative_groups.h"

namespace cooperative_groups {

template <class Value>
struct plus {
  Value operator()(Value a, Value b) const { return a + b; }
};
template <class Value>
struct less {
  Value operator()(Value a, Value b) const { return b < a ? b : a; }
};
template <class Value>
struct greater {
  Value operator()(Value a, Value b) const { return a < b ? b : a; }
};

/// Over a tile; every thread of it gets the result.
template <unsigned Size, class Parent, class Value, class Operation>
inline Value reduce(const thread_block_tile<Size, Parent>& tile, Value value, Operation operation) {
  for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2)
    value = operation(value, tile.shfl_xor(value, static_cast<int>(lanes)));
  return value;
}

}  // namespace cooperative_groups
