#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tuner/capture/driver.hpp"
#include "tuner/capture/ledger.hpp"

namespace tuner::capture {

/// Times of some launches, by events before and behind them. Where there is no CUPTI. One thread at a time
/// calls it.
class EventTimes {
 public:
  explicit EventTimes(LedgerWriter& ledger);

  /// Around one launch.
  struct Pair {
    CuContext context = nullptr;
    CuEvent first = nullptr;
    CuEvent last = nullptr;
    std::uint32_t shape = 0;
  };
  /// Before a launch, which is not put into a graph: records the first event, unless times of this shape are
  /// not worth their cost now.
  std::optional<Pair> begin(std::uint32_t shape, CuStream stream, bool per_thread);
  /// Behind that launch.
  void end(const Pair& pair, CuStream stream, bool per_thread);
  /// Counts the times that are there by now.
  void collect();

 private:
  bool worth_it(std::uint32_t shape) const;
  std::optional<Pair> take_pair();
  CuResult record(CuEvent event, CuStream stream, bool per_thread) const;

  LedgerWriter& m_ledger;
  std::unordered_map<CuContext, std::vector<Pair>> m_free;
  std::deque<Pair> m_under_way;
  std::uint64_t m_began_ns;
  std::uint64_t m_spent_ns = 0;
};

/// Of a clock that never goes back.
std::uint64_t steady_ns();

}  // namespace tuner::capture
