#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tuner/search/learn/axes.hpp"
#include "tuner/search/learn/posterior.hpp"
#include "tuner/search/learn/records.hpp"

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

/// A belief about a log time.
struct Belief {
  double mean = 0;
  double deviation = 0;
};

/// Positions of at most `most` observations: the best half, and an even sample of the others; ascending.
std::vector<std::size_t> representative(std::span<const float> values, std::size_t most);

/// A candidate with its result in units of a Scale.
struct Sample {
  std::size_t candidate = 0;
  float value = 0;
};

/// A member of the ensemble, one way to read the results: hyperparameters, and the process that follows from
/// them. Several of them, each wandering among those that explain the results (Metropolis), say how far they
/// differ, which matters most where results are few.
class Particle {
 public:
  Particle(const Axes& axes, const std::vector<Trend>& trends, double mean_log_length, RandomSource& random);

  /// Wanders `steps` steps, judged by `samples`. They and `scale` are what `place` speaks of afterwards.
  void wander(std::span<const Sample> samples, const Scale& scale, int steps, RandomSource& random);
  /// The process given `samples`, with room for `more` points.
  void settle(std::span<const Sample> samples, const Scale& scale, std::size_t more);
  /// Predicts at these candidates from here on.
  void cover(std::span<const std::size_t> candidates, const Scale& scale);
  /// Returns its place among the points.
  std::size_t begin(std::size_t candidate);
  void end(std::size_t point, std::size_t candidate, float value, const Scale& scale);

  std::size_t trend() const { return m_now.trend; }
  float mean(std::size_t covered) const { return m_posterior.mean(covered) + m_trend_at[covered]; }
  float standard_deviation(std::size_t covered) const { return m_posterior.standard_deviation(covered); }
  /// Of any candidate; slow.
  std::pair<float, float> mean_and_deviation(std::size_t candidate, const Scale& scale) const;
  bool is_full() const { return m_posterior.points() == m_posterior.capacity(); }

 private:
  float trend_at(std::size_t candidate, const Scale& scale) const;
  /// So that what is left after the trend has a median of zero.
  void align(std::span<const Sample> samples, const Scale& scale);
  double judge(std::span<const Sample> samples, const Scale& scale);
  void set_points(std::span<const Sample> samples, const Scale& scale);
  double usual_variance() const;
  /// Changes one of the hyperparameters at random; `what` numbers them: lengths first.
  void change(std::size_t what, RandomSource& random);
  /// Has the tables follow what has changed.
  void follow(std::size_t what);
  double belief() const;

  const Axes& m_axes;
  const std::vector<Trend>& m_trends;
  double m_mean_log_length;
  Hyperparameters m_now;
  Covariance m_covariance;
  Posterior m_posterior;
  float m_offset = 0;             ///< of the trend
  std::vector<float> m_trend_at;  ///< covered candidates
  std::vector<Point> m_points;    ///< what is judged by
  std::vector<float> m_scratch;
  std::vector<float> m_sorted;
};

}  // namespace tuner::search::learn
