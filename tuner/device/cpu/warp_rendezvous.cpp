#include "tuner/device/cpu/warp_rendezvous.hpp"

#include <algorithm>

namespace tuner::device::cpu {

using tuner_cpu::WarpOperation;

namespace {

/// Calls `visit` with each lane of a set, lowest first.
template <class Visit>
void for_each_lane(unsigned lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(__builtin_ctz(lanes)));
}

unsigned combine(WarpOperation operation, unsigned a, unsigned b) {
  const auto less = [&] { return static_cast<int>(a) < static_cast<int>(b); };
  switch (operation) {
    case WarpOperation::sum:
      return a + b;
    case WarpOperation::least:
      return less() ? a : b;
    case WarpOperation::greatest:
      return less() ? b : a;
    case WarpOperation::least_unsigned:
      return std::min(a, b);
    case WarpOperation::greatest_unsigned:
      return std::max(a, b);
    case WarpOperation::bit_and:
      return a & b;
    case WarpOperation::bit_or:
      return a | b;
    default:
      return a ^ b;
  }
}

}  // namespace

void WarpRendezvous::reset(unsigned lanes) {
  m_lanes = lanes;
  m_group_count = 0;
}

WarpRendezvous::Arrival WarpRendezvous::arrive(unsigned lane, const tuner_cpu::WarpRequest& request) {
  const unsigned bit = 1U << lane;
  if ((request.mask & bit) == 0) return {0, "a thread called a warp operation whose mask does not name it"};
  Group* group = nullptr;
  for (int i = 0; i < m_group_count && group == nullptr; ++i) {
    if (m_groups[static_cast<std::size_t>(i)].mask == request.mask)
      group = &m_groups[static_cast<std::size_t>(i)];
  }
  if (group == nullptr) {
    group = &m_groups[static_cast<std::size_t>(m_group_count++)];
    *group = {request.mask, 0, request.operation};
  } else if (group->operation != request.operation) {
    return {0, "threads of a warp met at different warp operations"};
  }
  m_requests[lane] = request;
  group->arrived |= bit;
  if (group->arrived != (group->mask & m_lanes)) return {};
  const unsigned members = group->arrived;
  complete(*group);
  *group = m_groups[static_cast<std::size_t>(--m_group_count)];
  return {members, nullptr};
}

void WarpRendezvous::complete(const Group& group) {
  unsigned ballot = 0;
  switch (group.operation) {
    case WarpOperation::sync:
      return;
    case WarpOperation::shuffle:
      for_each_lane(group.arrived, [&](unsigned lane) { m_results[lane] = shuffle(group, lane); });
      return;
    case WarpOperation::match:
      for_each_lane(group.arrived, [&](unsigned lane) { m_results[lane] = match(group, lane); });
      return;
    case WarpOperation::ballot:
      for_each_lane(group.arrived,
                    [&](unsigned lane) { ballot |= m_requests[lane].value != 0 ? 1U << lane : 0U; });
      for_each_lane(group.arrived, [&](unsigned lane) { m_results[lane] = ballot; });
      return;
    default: {
      const unsigned long long total = reduce(group);
      for_each_lane(group.arrived, [&](unsigned lane) { m_results[lane] = total; });
    }
  }
}

unsigned long long WarpRendezvous::shuffle(const Group& group, unsigned lane) const {
  const unsigned source = m_requests[lane].source_lane;
  // What a lane outside the group holds is undefined; all ones (NaN, -1) show up where a made-up zero would
  // not.
  return (group.arrived >> source & 1U) != 0 ? m_requests[source].value : ~0ULL;
}

unsigned long long WarpRendezvous::match(const Group& group, unsigned lane) const {
  unsigned equal = 0;
  for_each_lane(group.arrived, [&](unsigned other) {
    equal |= m_requests[other].value == m_requests[lane].value ? 1U << other : 0U;
  });
  return equal;
}

unsigned long long WarpRendezvous::reduce(const Group& group) const {
  const auto first = static_cast<unsigned>(__builtin_ctz(group.arrived));
  auto total = static_cast<unsigned>(m_requests[first].value);
  for_each_lane(group.arrived & ~(1U << first), [&](unsigned lane) {
    total = combine(group.operation, total, static_cast<unsigned>(m_requests[lane].value));
  });
  return total;
}

}  // namespace tuner::device::cpu
