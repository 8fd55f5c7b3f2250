#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tuner/search/learn/particle.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search::learn {

/// Threads of the first launch's block.
class BlockThreads {
 public:
  /// `space` must outlive the object.
  explicit BlockThreads(const SearchSpace& space);
  ~BlockThreads();

  /// Whether its expressions say anything of any kernel without a device.
  bool says_anything() const;
  /// Of a candidate; 0 where nothing is said.
  std::int64_t of(std::size_t candidate);

 private:
  struct Block;
  const SearchSpace& m_space;
  std::vector<std::unique_ptr<Block>> m_blocks;  ///< by kernel
};

/// What compiled candidates teach: registers, spills, occupancy and waves explain a part of what the model,
/// which sees parameters alone, gets wrong. A linear regression of its errors on them.
class ResourceEffects {
 public:
  /// `expected` was believed before `log_time` was known.
  void add(const BinaryFacts& compiled, const Belief& expected, double log_time);
  /// Whether a candidate need not run: what it was compiled to speaks against it more than the model's errors
  /// scatter, and even three deviations better than expected it is slower than the best by a tenth. Never
  /// before 40 compiled candidates were measured.
  bool hopeless(const BinaryFacts& compiled, const Belief& expected, double best_log_time) const;

 private:
  static constexpr std::size_t terms = 6;
  using Row = std::array<double, terms>;
  static Row row_of(const BinaryFacts& compiled);

  std::array<Row, terms> m_products{};
  Row m_errors{};
  double m_squares = 0;
  std::size_t m_count = 0;
};

/// How long a candidate takes to compile, relative to the others: from the mean of its levels.
class CompileCosts {
 public:
  explicit CompileCosts(const Axes& axes);
  void add(std::size_t candidate, double compile_ms);
  /// 1 for the usual one and as long as little is known, between 0.5 and 2.
  double relative(std::size_t candidate) const;

 private:
  struct Mean {
    double sum = 0;
    double count = 0;
  };
  const Axes& m_axes;
  std::vector<std::vector<Mean>> m_of_level;  ///< log time over the mean when it came
  Mean m_all;
};

}  // namespace tuner::search::learn
