#pragma once
#include <cstddef>
#include <functional>
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

struct ModelSettings {
  std::size_t members = 4;     ///< of the ensemble
  std::size_t points = 250;    ///< results that a process knows
  std::size_t judged = 100;    ///< results that hyperparameters are judged by
  std::size_t covered = 1024;  ///< candidates that are predicted in full
  double clip = 0.7;           ///< see Scale
  double log_length = 0.34;    ///< see draw_hyperparameters(): 1.4 ranges
};

/// What is thought of the candidates: an ensemble of particles, and their predictions at the most promising
/// candidates, kept up to date result by result.
class Model {
 public:
  Model(const Axes& axes, const std::vector<Trend>& trends, const ModelSettings& settings,
        RandomSource& random);

  /// Learns anew from all results, times from those that have one; those under way are known as such. `pool`:
  /// candidates to choose from, none known, none under way. At least one observation is a time.
  void fit(std::span<const Observation> observations, std::span<const std::size_t> under_way,
           std::span<const std::size_t> pool, RandomSource& random);
  /// Whether another fit is due before anything else can begin.
  bool is_full() const { return m_particles.front().is_full(); }

  void begin(std::size_t candidate);
  void end(const Observation& observation);

  /// The candidates that are predicted.
  std::span<const std::size_t> covered() const { return m_covered; }
  const std::vector<Particle>& particles() const { return m_particles; }
  const Scale& scale() const { return m_scale; }
  /// That the covered candidate works.
  double success(std::size_t covered) const { return m_success.probability(covered); }
  /// Share of the candidates of the last pool that are expected to work.
  double working_share() const { return m_working_share; }
  /// Mean log times; covered() is theirs afterwards, not to choose from.
  std::vector<double> log_times_of(std::span<const std::size_t> candidates);
  /// Mean and deviation over all members, as log time; slow.
  Belief log_time_of(std::size_t candidate) const;

 private:
  /// Those of `pool` that one of the members finds best by a hopeful guess and likely to work, and some
  /// others.
  void choose(std::span<const std::size_t> pool, std::span<const Sample> samples, RandomSource& random);
  /// Each in a thread of its own where so many results make that worth it.
  void for_each_particle(std::size_t results, const std::function<void(std::size_t)>& work);

  ModelSettings m_settings;
  std::vector<Particle> m_particles;
  Scale m_scale;
  bool m_fitted = false;
  std::vector<std::size_t> m_covered;
  Success m_success;
  double m_working_share = 1;
  std::unordered_map<std::size_t, std::size_t> m_under_way;  ///< candidates -> points of each particle
};

}  // namespace tuner::search::learn
