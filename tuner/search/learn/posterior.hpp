#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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

// Loops over arrays, as wide as the processor at hand has them (AVX2 or what every x86-64 has), to the same
// bits either way. Arrays do not overlap.

/// y -= c · x
void subtract(float* y, const float* x, float c, std::size_t count);
/// y -= c[0] · x[0] + … + c[3] · x[3]: a third of the traffic.
void subtract4(float* y, const float* const* x, const float* c, std::size_t count);
/// Sum of x · y, in eight parts.
float dot(const float* x, const float* y, std::size_t count);
/// y *= table[place]
void multiply_by_entry(float* y, const float* table, const std::uint8_t* place, std::size_t count);
/// Replaces a symmetric positive matrix by its Cholesky factor, by rows; of the former only the lower half,
/// diagonal included, is read. No pivot counts as less than `least_pivot`.
void factorise(float* matrix, std::size_t size, float least_pivot);

/// A point of a Gaussian process: its levels, and its value once there is one.
struct Point {
  const std::uint8_t* levels = nullptr;
  float value = 0;       ///< trend subtracted, in units of the spread of results
  bool pending = false;  ///< under way: lowers the variance around it and leaves every mean as it is
};

/// Logarithm of the probability of the values under a covariance, with their scale integrated out as that of
/// an inverse gamma distribution around `usual_variance`; but for a constant. No point may be pending.
/// `scratch` is kept between calls so that none allocates.
double log_evidence(const Covariance& covariance, float noise, std::span<const Point> points,
                    double usual_variance, std::vector<float>& scratch);

/// A Gaussian process given some points, at a fixed set of candidates. A point under way costs one pass over
/// the candidates for each point before it, its value another one, in whichever order values come.
/// Nothing is allocated but by begin() and cover().
class Posterior {
 public:
  /// Starts anew with room for `capacity` points.
  void begin(std::size_t capacity, float noise, double usual_variance);
  /// Takes the next point. Not beyond the capacity.
  void add(const Covariance& covariance, const Point& point);
  /// The value of a point that was pending.
  void set_value(std::size_t point, float value);
  /// Predicts at candidates of these levels from here on, one an axis; they must stay.
  void cover(const Covariance& covariance, std::vector<const std::uint8_t*> levels, std::size_t axes);

  std::size_t points() const { return m_points.size(); }
  std::size_t capacity() const { return m_capacity; }
  /// Of covered candidate i, trend not added.
  float mean(std::size_t i) const { return m_mean[i]; }
  /// Of what lies behind the results, noise apart.
  float standard_deviation(std::size_t i) const;
  /// Of any candidate; allocates.
  std::pair<float, float> mean_and_deviation(const Covariance& covariance, const std::uint8_t* levels) const;

 private:
  float* projected(std::size_t point) { return m_projections.data() + point * m_levels.size(); }
  const float* projected(std::size_t point) const { return m_projections.data() + point * m_levels.size(); }
  float* row(std::size_t point) { return m_lower.data() + point * m_capacity; }
  const float* row(std::size_t point) const { return m_lower.data() + point * m_capacity; }
  /// Row `point` of the inverse of the factor times the covariances with the candidates first … last.
  void project(const Covariance& covariance, std::size_t point, std::size_t first, std::size_t last);
  void weigh_from(std::size_t point);
  void set_amplitude();

  std::size_t m_capacity = 0;
  float m_noise = 0;
  double m_usual_variance = 1;
  float m_amplitude = 1;  ///< standard deviation before any point
  std::vector<Point> m_points;
  std::vector<float> m_lower;                 ///< Cholesky factor of the points' covariances, by rows
  std::vector<float> m_weights;               ///< its inverse times the values
  std::vector<const std::uint8_t*> m_levels;  ///< of each covered candidate
  std::vector<std::uint8_t> m_columns;        ///< the same, axis by axis
  std::vector<float> m_projections;  ///< the factor's inverse times covariances with candidates, by points
  std::vector<float> m_mean;
  std::vector<float> m_variance;
};

}  // namespace tuner::search::learn
