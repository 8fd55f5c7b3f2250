#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace tuner::search::learn {

/// What became of a candidate.
struct Observation {
  enum class Kind {
    time,    ///< it took that long
    bound,   ///< it was dropped: it takes no less
    failure  ///< it has no time
  };
  std::size_t candidate = 0;
  Kind kind = Kind::time;
  double log_time = 0;
};

/// Log times as a model sees them: the slow ones alike, shifted and scaled. A quadratic loss over all of a
/// space would be spent on how slow the slow are.
struct Scale {
  double clip = 0;  ///< log time from which on all are alike
  double shift = 0;
  double width = 1;

  /// `quantile` of the observations with a time is where the clip is.
  Scale(std::span<const Observation> observations, double quantile);
  float standard(double log_time) const;
  float clipped() const { return standard(clip); }
  double log_time(double standardised) const { return shift + width * standardised; }
};

/// Positions of at most `most` observations: the best half, and an even sample of the others; ascending.
std::vector<std::size_t> representative(std::span<const float> values, std::size_t most);

}  // namespace tuner::search::learn
