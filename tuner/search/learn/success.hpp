#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/search/learn/particle.hpp"

namespace tuner::search::learn {

/// What is hoped of a candidate, in spreads of results below what is usual, weighed by its chance to work:
/// one that fails is as bad as the slowest.
inline double weighed(double hope, double chance) {
  constexpr double slowest = 2;
  return chance < 1 && hope > -slowest ? (hope + slowest) * chance - slowest : hope;
}

/// Where candidates fail, learnt from which of them did: a process like those of times, over results that are
/// 1 or 0 (least-squares classification). A failure says nothing of times, so this is all that it teaches.
/// Does nothing as long as nothing has failed.
class Success {
 public:
  /// `points`: results that the process knows; `judged`: results that hyperparameters are judged by.
  Success(const Axes& axes, std::size_t points, std::size_t judged, double log_length);
  Success(const Success&) = delete;
  Success& operator=(const Success&) = delete;

  /// Learns anew. Draws from `random` only where something has failed.
  void fit(std::span<const Observation> observations, RandomSource& random);
  /// Whether anything has failed, so that the following say something.
  bool knows() const { return m_particle.has_value(); }
  /// How likely these are to work, by a part of the results.
  std::vector<float> of(std::span<const std::size_t> candidates) const;

  /// Predicts at these from here on, with those under way and room for `more`.
  void cover(std::span<const std::size_t> covered, std::span<const std::size_t> under_way, std::size_t more);
  void begin(std::size_t candidate);
  void end(const Observation& observation);
  /// That the covered candidate works; 1 where nothing has failed.
  double probability(std::size_t covered) const;

 private:
  double probability_of(float mean) const;
  float value_of(const Observation& observation) const;

  const Axes& m_axes;
  std::size_t m_points, m_judged;
  double m_log_length;
  std::vector<Trend> m_no_trend{1};
  double m_rate = 1;    ///< share of the results that work
  double m_spread = 1;  ///< of these ones and zeros
  std::optional<Particle> m_particle;
  std::vector<Sample> m_known;
  std::unordered_map<std::size_t, std::size_t> m_under_way;  ///< candidates -> points
};

}  // namespace tuner::search::learn
