#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tuner/search/strategy.hpp"
#include "tuner/space/configuration_list.hpp"

namespace tuner::search {

/// Random numbers that a seed determines on every platform: the engine's output is fixed by the C++ standard,
/// that of std::uniform_int_distribution and std::shuffle is not.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : m_engine(seed) {}

  /// Uniform in 0 … bound-1; `bound` at least 1.
  std::uint64_t below(std::uint64_t bound) {
    // The first 2^64 mod bound numbers would make small results likelier than large ones.
    const std::uint64_t unfair = (0 - bound) % bound;
    std::uint64_t drawn = m_engine();
    while (drawn < unfair) drawn = m_engine();
    return drawn % bound;
  }
  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(m_engine() >> 11) * 0x1p-53; }
  /// Of mean 0 and standard deviation 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

 private:
  std::mt19937_64 m_engine;
};

/// 0 … count-1 in a random order (Fisher and Yates).
std::vector<std::size_t> shuffled(std::size_t count, RandomSource& random);

/// 0 … count-1 by their key, the least first; equals in their order.
template <typename Key>
std::vector<std::size_t> ordered_by(std::size_t count, const Key& key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, key);
  return order;
}

/// Sorts; of equals one is left.
template <typename Value>
void sort_apart(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Numbers below `count` in a random order: shuffled or, of so many that a list of them would not fit,
/// enciphered, which needs no memory (Feistel's network of four rounds, walked until it is within).
class RandomOrderOf {
 public:
  static constexpr std::size_t most_listed = Results::most_in_a_row;

  RandomOrderOf(std::size_t count, RandomSource& random);
  std::size_t size() const { return m_count; }
  std::size_t operator[](std::size_t place) const;
  /// Adds the number `size()` at the end; of a listed order.
  void add_last() { m_listed.push_back(m_count++); }

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

/// Finds candidates by their coordinates.
class Neighbourhood {
 public:
  explicit Neighbourhood(const SearchSpace& space);
  /// A candidate that the space has got since.
  void add(std::size_t candidate);

  /// The candidate of that kernel with those coordinates, if the space has one.
  std::optional<std::size_t> find(std::size_t kernel, std::span<const std::uint16_t> coordinates) const;
  /// All that differ from `candidate` in one parameter, and in what becomes active or inactive with it.
  std::vector<std::size_t> around(std::size_t candidate) const;
  /// One of them, or one that is two steps away where chance has it so; nothing where none was met.
  std::optional<std::size_t> step(std::size_t candidate, RandomSource& random) const;
  /// A candidate that has each parameter from one of two of one kernel; nothing where none was met, or where
  /// they are of different kernels.
  std::optional<std::size_t> cross(std::size_t a, std::size_t b, RandomSource& random) const;

 private:
  using Coordinates = std::vector<std::uint16_t>;
  std::optional<std::size_t> find_repaired(std::size_t kernel, Coordinates coordinates,
                                           std::size_t changed) const;

  const SearchSpace& m_space;
  std::unordered_multimap<std::uint64_t, std::uint32_t> m_by_hash;
};

/// A small part of a space in which every two values of different parameters that occur together somewhere
/// occur together at least once (pairwise covering, as in combinatorial testing). Greedy and repeatable:
/// indices into `list`, ascending. Of more than `most` only the first that the greedy choice makes, which
/// have the most pairs that no earlier one has. Of a list that is counted, of `drawn_of_counted` of its
/// configurations, drawn at random: pairs that none of these has are missing.
constexpr std::size_t drawn_of_counted = 20'000;
std::vector<std::size_t> covering_sample(const space::ConfigurationList& list,
                                         std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace tuner::search
