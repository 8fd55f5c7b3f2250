#include "tuner/search/learn/posterior.hpp"

#include <algorithm>
#include <cmath>

namespace tuner::search::learn {
namespace {

/// Results by which the scale of values is believed to be as usual.
constexpr double usual_weight = 2;
constexpr float least_pivot = 1e-6F;

/// y -= c · x
void subtract(float* y, const float* x, float c, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] -= c * x[i];
}

/// The same of four rows at once: a third of the traffic.
void subtract4(float* y, const float* const* x, const float* c, std::size_t count) {
  const float *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  for (std::size_t i = 0; i < count; ++i) y[i] -= c0 * x0[i] + c1 * x1[i] + (c2 * x2[i] + c3 * x3[i]);
}

}  // namespace

double log_evidence(const Covariance& covariance, float noise, std::span<const Point> points,
                    double usual_variance, std::vector<float>& scratch) {
  const std::size_t n = points.size();
  scratch.resize(n * n + n);
  float* upper = scratch.data();  // the factor's transpose: elimination then runs along rows
  float* values = scratch.data() + n * n;
  for (std::size_t a = 0; a < n; ++a) {
    values[a] = points[a].value;
    upper[a * n + a] = 1 + noise;
    for (std::size_t b = a + 1; b < n; ++b)
      upper[a * n + b] = covariance.between(points[a].levels, points[b].levels);
  }
  double log_determinant = 0;
  double squares = 0;
  for (std::size_t k = 0; k < n; ++k) {
    float* pivot_row = upper + k * n;
    const float pivot = std::sqrt(std::max(pivot_row[k], least_pivot));
    log_determinant += std::log(pivot);
    values[k] /= pivot;
    squares += static_cast<double>(values[k]) * values[k];
    for (std::size_t i = k + 1; i < n; ++i) pivot_row[i] /= pivot;
    for (std::size_t i = k + 1; i < n; ++i) subtract(upper + i * n + i, pivot_row + i, pivot_row[i], n - i);
    subtract(values + k + 1, pivot_row + k + 1, values[k], n - k - 1);
  }
  const double weight = static_cast<double>(n) + usual_weight;
  return -0.5 * weight * std::log((squares + usual_weight * usual_variance) / weight) - log_determinant +
         0.5 * usual_weight * std::log(usual_variance);
}

void Posterior::begin(std::size_t capacity, float noise, double usual_variance) {
  m_capacity = capacity;
  m_noise = noise;
  m_usual_variance = usual_variance;
  m_points.clear();
  m_points.reserve(capacity);
  m_weights.clear();
  m_weights.reserve(capacity);
  m_lower.resize(capacity * capacity);
  m_count = 0;
  set_amplitude();
}

void Posterior::add(const Covariance& covariance, const Point& point) {
  const std::size_t n = m_points.size();
  float* lower = row(n);
  double pivot = 1 + static_cast<double>(m_noise);
  for (std::size_t a = 0; a < n; ++a) {
    const float* above = row(a);
    float value = covariance.between(point.levels, m_points[a].levels);
    for (std::size_t b = 0; b < a; ++b) value -= above[b] * lower[b];
    lower[a] = value / above[a];
    pivot -= static_cast<double>(lower[a]) * lower[a];
  }
  lower[n] = std::sqrt(std::max(static_cast<float>(pivot), least_pivot));
  m_points.push_back(point);
  m_weights.push_back(0);
  if (m_count != 0) project(covariance, n, 0, m_count);
  weigh_from(n);
}

void Posterior::set_value(std::size_t point, float value) {
  m_points[point].value = value;
  m_points[point].pending = false;
  weigh_from(point);
}

void Posterior::weigh_from(std::size_t first) {
  for (std::size_t a = first; a < m_points.size(); ++a) {
    float weight = 0;  // of one that is under way: as if its value were its mean
    if (!m_points[a].pending) {
      const float* lower = row(a);
      weight = m_points[a].value;
      for (std::size_t b = 0; b < a; ++b) weight -= lower[b] * m_weights[b];
      weight /= lower[a];
    }
    const float change = weight - m_weights[a];
    m_weights[a] = weight;
    if (change != 0 && m_count != 0) subtract(m_mean.data(), projected(a), -change, m_count);
  }
  set_amplitude();
}

void Posterior::set_amplitude() {
  double squares = usual_weight * m_usual_variance;
  double weight = usual_weight;
  for (std::size_t a = 0; a < m_points.size(); ++a) {
    if (m_points[a].pending) continue;
    squares += static_cast<double>(m_weights[a]) * m_weights[a];
    weight += 1;
  }
  m_amplitude = static_cast<float>(std::sqrt(squares / weight));
}

void Posterior::project(const Covariance& covariance, std::size_t point, std::size_t first,
                        std::size_t last) {
  float* out = projected(point) + first;
  const std::size_t count = last - first;
  covariance.fill(m_points[point].levels, m_rows + first * m_axes, count, out);
  const float* lower = row(point);
  std::size_t a = 0;
  for (; a + 4 <= point; a += 4) {
    const float* rows[4] = {projected(a) + first, projected(a + 1) + first, projected(a + 2) + first,
                            projected(a + 3) + first};
    subtract4(out, rows, lower + a, count);
  }
  for (; a < point; ++a) subtract(out, projected(a) + first, lower[a], count);
  const float scale = 1 / lower[point];
  float* variance = m_variance.data() + first;
  for (std::size_t i = 0; i < count; ++i) {
    out[i] *= scale;
    variance[i] -= out[i] * out[i];
  }
}

void Posterior::cover(const Covariance& covariance, const std::uint8_t* rows, std::size_t count,
                      std::size_t axes) {
  m_rows = rows;
  m_count = count;
  m_axes = axes;
  m_projections.resize(m_capacity * count);
  m_mean.assign(count, 0);
  m_variance.assign(count, 1);
  // As much at a time as stays in a core's cache.
  constexpr std::size_t block = 256;
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t last = std::min(count, first + block);
    for (std::size_t a = 0; a < m_points.size(); ++a) {
      project(covariance, a, first, last);
      if (m_weights[a] != 0)
        subtract(m_mean.data() + first, projected(a) + first, -m_weights[a], last - first);
    }
  }
}

float Posterior::standard_deviation(std::size_t i) const {
  return m_amplitude * std::sqrt(std::max(m_variance[i], least_pivot));
}

float Posterior::covariance_between(const Covariance& covariance, std::size_t i, std::size_t j) const {
  float value = covariance.between(m_rows + i * m_axes, m_rows + j * m_axes);
  for (std::size_t a = 0; a < m_points.size(); ++a) value -= projected(a)[i] * projected(a)[j];
  return value * m_amplitude * m_amplitude;
}

std::pair<float, float> Posterior::mean_and_deviation(const Covariance& covariance,
                                                      const std::uint8_t* levels) const {
  std::vector<float> projection(m_points.size());
  float mean = 0;
  float variance = 1;
  for (std::size_t a = 0; a < m_points.size(); ++a) {
    const float* lower = row(a);
    float value = covariance.between(m_points[a].levels, levels);
    for (std::size_t b = 0; b < a; ++b) value -= lower[b] * projection[b];
    projection[a] = value / lower[a];
    mean += projection[a] * m_weights[a];
    variance -= projection[a] * projection[a];
  }
  return {mean, m_amplitude * std::sqrt(std::max(variance, least_pivot))};
}

}  // namespace tuner::search::learn
