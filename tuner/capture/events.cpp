#include "tuner/capture/events.hpp"

#include <ctime>

namespace tuner::capture {
namespace {

constexpr std::uint64_t always_timed = 5;  ///< of each shape
/// What a pair of events costs the stream, about; the host's part is measured.
constexpr std::uint64_t pair_ns = 8000;
constexpr std::size_t most_under_way = 256;

}  // namespace

std::uint64_t steady_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

EventTimes::EventTimes(LedgerWriter& ledger) : m_ledger(ledger), m_began_ns(steady_ns()) {}

/// At most one hundredth of the time goes into events.
bool EventTimes::worth_it(std::uint32_t shape) const {
  const std::uint64_t timed = m_ledger.ledger().shapes[shape].timed;
  return timed < always_timed || m_spent_ns * 100 < steady_ns() - m_began_ns;
}

std::optional<EventTimes::Pair> EventTimes::take_pair() {
  const Driver& ask = driver();
  Pair pair;
  if (ask.event_create == nullptr || ask.event_record == nullptr || ask.event_query == nullptr ||
      ask.event_elapsed_time == nullptr || ask.ctx_get_current == nullptr ||
      ask.ctx_get_current(&pair.context) != cu_success)
    return std::nullopt;
  auto& free = m_free[pair.context];
  if (!free.empty()) {
    pair = free.back();
    free.pop_back();
    return pair;
  }
  if (ask.event_create(&pair.first, 0) != cu_success || ask.event_create(&pair.last, 0) != cu_success)
    return std::nullopt;
  return pair;
}

CuResult EventTimes::record(CuEvent event, CuStream stream, bool per_thread) const {
  const Driver& ask = driver();
  return per_thread && ask.event_record_ptsz != nullptr ? ask.event_record_ptsz(event, stream)
                                                        : ask.event_record(event, stream);
}

std::optional<EventTimes::Pair> EventTimes::begin(std::uint32_t shape, CuStream stream, bool per_thread) {
  if (m_under_way.size() >= most_under_way) collect();
  if (m_under_way.size() >= most_under_way || !worth_it(shape)) return std::nullopt;
  const std::uint64_t before = steady_ns();
  std::optional<Pair> pair = take_pair();
  if (pair && record(pair->first, stream, per_thread) != cu_success) pair.reset();
  if (pair) pair->shape = shape;
  m_spent_ns += steady_ns() - before + pair_ns;
  return pair;
}

void EventTimes::end(const Pair& pair, CuStream stream, bool per_thread) {
  const std::uint64_t before = steady_ns();
  if (record(pair.last, stream, per_thread) == cu_success) m_under_way.push_back(pair);
  m_spent_ns += steady_ns() - before;
}

void EventTimes::collect() {
  const Driver& ask = driver();
  std::deque<Pair> still;
  for (const Pair& pair : m_under_way) {
    constexpr CuResult not_ready = 600;
    const CuResult state = ask.event_query(pair.last);
    float ms = 0;
    if (state == not_ready) {
      still.push_back(pair);
    } else if (state == cu_success && ask.event_elapsed_time(&ms, pair.first, pair.last) == cu_success) {
      m_ledger.add_time(pair.shape, static_cast<std::uint64_t>(static_cast<double>(ms) * 1e6 + 0.5));
      m_free[pair.context].push_back(pair);
    }
  }
  m_under_way.swap(still);
}

}  // namespace tuner::capture
