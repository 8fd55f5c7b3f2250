#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace tuner::search {

/// What a search that learns brought of late: how much faster its best became over a stretch of results that
/// is long for the space. On recorded spaces what was left to gain was less than that in 97.5 % of cases
/// (docs/search.md), whatever a model thought.
class Progress {
 public:
  /// `candidates`: of the whole space.
  explicit Progress(std::size_t candidates);

  /// Tells of a result; `log_time`: absent where it failed or is only a bound.
  void add(std::optional<double> log_time);

  struct Gain {
    double share = 0;  ///< of the best time before the stretch
    /// Whether there were as many results as the stretch is long; else it is of all of them.
    bool is_complete = false;
  };
  /// Over the whole stretch, or over half of it, but no fewer than 40 results, which is as telling where
  /// another size on the same device is known. Nothing before there was a time.
  std::optional<Gain> gain(bool half) const;

 private:
  std::size_t m_stretch;
  std::vector<double> m_best;  ///< log time after each result, infinite before there was one
};

}  // namespace tuner::search
