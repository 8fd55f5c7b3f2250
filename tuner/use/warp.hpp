#pragma once
#pragma GCC visibility push(default)
#include "tuner/device/cpu/runtime/abi.hpp"
#pragma GCC visibility pop

/// Warps of kernels on the CPU, for the library and for the tuner's device.
namespace tuner::use {

inline constexpr unsigned warp_size = 32;

/// Each fibre's stack and its guard page are two mappings, and Linux allows a process 65530 of them by
/// default (vm.max_map_count): this many workers with blocks of 1024 threads stay below.
inline constexpr int most_workers = 28;

/// Calls `visit` with each lane of a set, lowest first.
template <class Visit>
void for_each_lane(unsigned lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(__builtin_ctz(lanes)));
}

inline unsigned combined(tuner_cpu::WarpOperation operation, unsigned a, unsigned b) {
  using Operation = tuner_cpu::WarpOperation;
  const bool is_less = static_cast<int>(a) < static_cast<int>(b);
  switch (operation) {
    case Operation::sum:
      return a + b;
    case Operation::least:
      return is_less ? a : b;
    case Operation::greatest:
      return is_less ? b : a;
    case Operation::least_unsigned:
      return a < b ? a : b;
    case Operation::greatest_unsigned:
      return a < b ? b : a;
    case Operation::bit_and:
      return a & b;
    case Operation::bit_or:
      return a | b;
    default:
      return a ^ b;  // bit_xor
  }
}

/// What each lane of `members`, which all asked for one operation, gets for its request.
inline void answer(const tuner_cpu::WarpRequest* requests, unsigned members, unsigned long long* results) {
  using Operation = tuner_cpu::WarpOperation;
  if (members == 0) return;  // of a mask that names no thread
  const auto first = static_cast<unsigned>(__builtin_ctz(members));
  const Operation operation = requests[first].operation;
  const auto lanes_with = [&](auto is_wanted) {
    unsigned bits = 0;
    for_each_lane(members, [&](unsigned lane) { bits |= is_wanted(requests[lane].value) ? 1U << lane : 0; });
    return bits;
  };
  unsigned total = 0;
  switch (operation) {
    case Operation::sync:
    case Operation::shuffle:
    case Operation::match:
      break;
    case Operation::ballot:
      total = lanes_with([](unsigned long long value) { return value != 0; });
      break;
    default:
      total = static_cast<unsigned>(requests[first].value);
      for_each_lane(members & ~(1U << first), [&](unsigned lane) {
        total = combined(operation, total, static_cast<unsigned>(requests[lane].value));
      });
  }
  for_each_lane(members, [&](unsigned lane) {
    const tuner_cpu::WarpRequest& own = requests[lane];
    if (operation == Operation::match) {
      results[lane] = lanes_with([&](unsigned long long value) { return value == own.value; });
    } else if (operation == Operation::shuffle) {
      // What a lane outside the group holds is undefined; all ones (NaN, -1) show up where a made-up zero
      // would not.
      const bool is_member = own.source_lane < warp_size && (members >> own.source_lane & 1U) != 0;
      results[lane] = is_member ? requests[own.source_lane].value : ~0ULL;
    } else {
      results[lane] = total;
    }
  });
}

}  // namespace tuner::use
