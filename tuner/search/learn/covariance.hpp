#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/search/learn/axes.hpp"
#include "tuner/search/open_candidates.hpp"

namespace tuner::search::learn {

/// What a covariance is made of; found by how well it explains the results.
struct Hyperparameters {
  std::vector<float> log_length;  ///< of each aspect, axis after axis; in units of its whole range
  float mix = 0.9F;               ///< how far an axis alone can make two candidates independent
  float near = 0.15F;             ///< share of the variance that has a quarter of the lengths
  float log_noise = -7;           ///< of the variance of one result that is no property of its candidate
  std::size_t trend = 0;          ///< which of the trends is subtracted first
  float slope = 1;                ///< how much of it
};

/// Lengths as drawn from what is believed of them before any result: about `exp(mean_log_length)` ranges,
/// that of derived aspects twice that.
Hyperparameters draw_hyperparameters(const Axes& axes, double mean_log_length, RandomSource& random);
/// Logarithm of that belief's density, but for a constant.
double log_belief(const Axes& axes, double mean_log_length, const Hyperparameters& hyperparameters);

/// Correlation of two candidates: the product over axes of (1 - mix) + mix · M(distance / length), M the
/// Matérn function of 3/2 (Rasmussen and Williams, Gaussian Processes for Machine Learning, 4.17), plus a
/// share of the same with short lengths. 1 for a candidate with itself. A table an axis, so that a value
/// costs two look-ups an axis.
class Covariance {
 public:
  Covariance(const Axes& axes, const Hyperparameters& hyperparameters);

  /// Makes the tables of the axis anew that has the aspect `changed`, or of all where mix has changed.
  void update(const Hyperparameters& hyperparameters, std::size_t changed);
  void update(const Hyperparameters& hyperparameters);

  float between(const std::uint8_t* a, const std::uint8_t* b) const;
  /// between(a, each of `count` candidates), into `out`. `levels`: theirs on the first axis; `stride` beyond
  /// those, on the next.
  void fill(const std::uint8_t* a, const std::uint8_t* levels, std::size_t stride, std::size_t count,
            float* out) const;

 private:
  void fill_axis(const Hyperparameters& hyperparameters, std::size_t axis);

  const Axes& m_axes;
  std::vector<std::size_t> m_begin;         ///< of each axis' table
  std::vector<std::size_t> m_first_aspect;  ///< of each axis
  std::vector<float> m_far;
  std::vector<float> m_short;  ///< the same with short lengths
  float m_near = 0;
};

}  // namespace tuner::search::learn
