#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "tuner/search/random_source.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// 0 … count-1 in a random order (Fisher and Yates).
std::vector<std::size_t> shuffled(std::size_t count, RandomSource& random);

/// Numbers below `count` in a random order: shuffled or, of so many that a list of them would not fit,
/// enciphered, which needs no memory (Feistel's network of four rounds, walked until it is within).
class RandomOrderOf {
 public:
  static constexpr std::size_t most_listed = Results::most_in_a_row;

  RandomOrderOf(std::size_t count, RandomSource& random);
  std::size_t size() const { return m_count; }
  std::size_t operator[](std::size_t place) const;
  /// Adds the number `size()` at the end; of a listed order.
  void add_last();

 private:
  std::size_t m_count;
  std::vector<std::size_t> m_listed;
  int m_half_bits = 0;
  std::array<std::uint64_t, 4> m_keys{};
};

/// The candidates that are neither known nor proposed yet, in a random order.
class OpenCandidates {
 public:
  OpenCandidates(const SearchSpace& space, RandomSource& random);

  /// Of the space, open or not.
  std::size_t size() const { return m_order.size(); }
  std::size_t count() const { return m_count; }
  bool contains(std::size_t candidate) const {
    return m_open.empty() ? !m_taken.contains(candidate) : m_open[candidate];
  }
  void take(std::size_t candidate);
  /// A candidate more, open and last in the order; where the space is one that is listed.
  void add();
  /// The first of the order that is still open; stays so until it is taken. Nothing where none is.
  std::optional<std::size_t> first();
  /// The first of those that `is_wanted`; asks of every open one before it.
  std::optional<std::size_t> first(const std::function<bool(std::size_t candidate)>& is_wanted) const;

 private:
  std::vector<bool> m_open;                 ///< of each candidate, unless there are too many
  std::unordered_set<std::size_t> m_taken;  ///< then
  std::size_t m_count;
  RandomOrderOf m_order;
  std::size_t m_next = 0;
};

/// The time to go by of a result, if it has one: of a dropped trial it is a bound.
std::optional<double> comparable_time_ns(const Result& result);

}  // namespace tuner::search
