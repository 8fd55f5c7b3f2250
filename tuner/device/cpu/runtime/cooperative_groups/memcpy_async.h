#pragma once
// Copies that a group makes together. They are over at once here; who waits for them waits for the group.
#include "cooperative_groups.h"

namespace cooperative_groups {

template <class Group, class Value>
inline void memcpy_async(const Group& group, Value* to, const Value* from, size_t bytes) {
  constexpr size_t piece = 16;
  for (size_t at = piece * group.thread_rank(); at < bytes; at += piece * group.num_threads()) {
    const size_t count = bytes - at < piece ? bytes - at : piece;
    memcpy(reinterpret_cast<char*>(to) + at, reinterpret_cast<const char*>(from) + at, count);
  }
}
/// Of elements, as many as both have.
template <class Group, class Value>
inline void memcpy_async(const Group& group, Value* to, size_t to_count, const Value* from,
                         size_t from_count) {
  memcpy_async(group, to, from, sizeof(Value) * (to_count < from_count ? to_count : from_count));
}
template <class Group>
inline void wait(const Group& group) {
  group.sync();
}
template <unsigned Stage, class Group>
inline void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
