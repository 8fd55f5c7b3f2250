#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tuner::search::learn {

/// One way in which the levels of an axis are near each other or far apart.
struct Aspect {
  std::vector<float> position;  ///< of each level, 0 to 1
  bool ordered = true;          ///< else any two different positions are 1 apart
  bool derived = false;         ///< from the values, not the values themselves: matters less often
  float distance(std::size_t a, std::size_t b) const {
    if (!ordered) return position[a] == position[b] ? 0.0F : 1.0F;
    return position[a] < position[b] ? position[b] - position[a] : position[a] - position[b];
  }
};

/// What a model sees of a candidate in one direction: a parameter's value, the kernel, the threads of a
/// block.
struct Axis {
  std::string name;
  std::size_t levels = 0;
  std::vector<Aspect> aspects;
};

/// Every candidate of a space as a level on each of a few axes, all kernels together. Parameters of one name
/// are one axis whichever kernel has them; a kernel that lacks one, or a configuration in which it is
/// inactive, is on a level of its own. Numbers lie by their logarithm; how often two divides them, and
/// whether they are a power of it, are aspects of their own: sizes of problems, warps and cache lines are.
/// Axes of one level are left out.
class Axes {
 public:
  /// `space` must outlive the object.
  explicit Axes(const SearchSpace& space);

  /// The next candidate that the space has got since. A level that no earlier one was on is that of the
  /// nearest, and an axis that they do not have is none.
  void add();

  const std::vector<Axis>& all() const { return m_axes; }
  std::size_t count() const { return m_axes.size(); }
  /// One level an axis.
  const std::uint8_t* levels(std::size_t candidate) const {
    return candidate < m_candidates ? m_levels.data() + candidate * count()
                                    : m_added[candidate - m_candidates].data();
  }
  /// How unlikely a good candidate looks to somebody who knows GPUs and nothing else, 0 or more: numbers
  /// that are no powers of two, blocks of few warps, of very many, or of a broken one.
  float oddity(std::size_t candidate) const { return m_oddity[candidate]; }
  /// Mean distance over axes, 0 to 1.
  float distance(std::size_t a, std::size_t b) const;

  /// A parameter with more values than this has neighbours of them share a level.
  static constexpr std::size_t most_levels = 64;

 private:
  /// A candidate on one axis.
  struct Place {
    std::uint16_t level = 0;
    float oddity = 0;
    float more = 0;  ///< oddity of another kind
  };
  using Rule = std::function<Place(std::size_t candidate)>;
  struct Column {
    Rule rule;
    std::optional<std::size_t> axis;  ///< nothing where all candidates were on one level of it
  };

  void add_axis(Axis axis, const std::vector<std::uint16_t>& level_of_candidate, Rule rule);
  /// By the rule, and their oddity with it.
  std::vector<std::uint16_t> levels_by(const Rule& rule);
  void add_kernels();
  void add_parameter(const std::string& name);
  void add_threads();

  const SearchSpace& m_space;
  std::size_t m_candidates;  ///< at first
  std::vector<Axis> m_axes;
  std::vector<Column> m_rules;
  std::vector<std::vector<std::uint8_t>> m_columns;  ///< while axes are added
  std::vector<std::uint8_t> m_levels;
  std::vector<std::vector<std::uint8_t>> m_added;  ///< levels of candidates added since: they stay in place
  std::vector<float> m_oddity;
};

}  // namespace tuner::search::learn
