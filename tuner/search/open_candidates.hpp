#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "tuner/search/random_source.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// The candidates that are neither known nor proposed yet, in a random order.
class OpenCandidates {
 public:
  OpenCandidates(const SearchSpace& space, RandomSource& random);

  /// Of the space, open or not.
  std::size_t size() const { return m_open.size(); }
  std::size_t count() const { return m_count; }
  bool contains(std::size_t candidate) const { return m_open[candidate]; }
  void take(std::size_t candidate);
  /// The first of the order that is still open; stays so until it is taken. Nothing where none is.
  std::optional<std::size_t> first();
  /// The first of those that `is_wanted`; asks of every open one before it.
  std::optional<std::size_t> first(const std::function<bool(std::size_t candidate)>& is_wanted) const;

 private:
  std::vector<bool> m_open;
  std::size_t m_count;
  std::vector<std::size_t> m_order;
  std::size_t m_next = 0;
};

/// 0 … count-1 in a random order (Fisher and Yates).
std::vector<std::size_t> shuffled(std::size_t count, RandomSource& random);

/// The time to go by of a result, if it has one: of a dropped trial it is a bound.
std::optional<double> comparable_time_ns(const Result& result);

}  // namespace tuner::search
