#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/search/random_source.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search {

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

}  // namespace tuner::search
