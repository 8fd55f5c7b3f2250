#include "tuner/search/learn/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

// Without fused multiply-add, which rounds otherwise. Sanitizers run before a processor's kind is known.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TUNER_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TUNER_WIDE
#endif
namespace tuner::search::learn {
namespace {

constexpr double spread_of_log_length = 1.0;
constexpr double mean_log_noise = -7;
constexpr double spread_of_log_noise = 2;
/// A derived aspect matters less often than a parameter itself.
constexpr double derived_log_length = 0.7;
constexpr float near_length = 0.25F;

double mean_of(const Aspect& aspect, double mean_log_length) {
  return mean_log_length + (aspect.derived ? derived_log_length : 0.0);
}

float matern(float distance) {
  const float r = 1.7320508F * distance;
  return (1 + r) * std::exp(-r);
}

template <typename Visit>
void for_each_aspect(const Axes& axes, const Visit& visit) {
  std::size_t index = 0;
  for (const Axis& axis : axes.all())
    for (const Aspect& aspect : axis.aspects) visit(aspect, index++);
}

}  // namespace

Hyperparameters draw_hyperparameters(const Axes& axes, double mean_log_length, RandomSource& random) {
  Hyperparameters drawn;
  for_each_aspect(axes, [&](const Aspect& aspect, std::size_t) {
    drawn.log_length.push_back(
        static_cast<float>(mean_of(aspect, mean_log_length) + spread_of_log_length * random.normal()));
  });
  drawn.mix = static_cast<float>(0.6 + 0.4 * random.unit());
  drawn.near = static_cast<float>(0.3 * random.unit());
  drawn.log_noise = static_cast<float>(mean_log_noise + random.normal());
  return drawn;
}

double log_belief(const Axes& axes, double mean_log_length, const Hyperparameters& hyperparameters) {
  double sum = 0;
  const auto add = [&](double value, double mean, double spread) {
    sum -= 0.5 * (value - mean) * (value - mean) / (spread * spread);
  };
  for_each_aspect(axes, [&](const Aspect& aspect, std::size_t index) {
    add(hyperparameters.log_length[index], mean_of(aspect, mean_log_length), spread_of_log_length);
  });
  add(hyperparameters.log_noise, mean_log_noise, spread_of_log_noise);
  return sum;
}

Covariance::Covariance(const Axes& axes, const Hyperparameters& hyperparameters) : m_axes(axes) {
  std::size_t aspects = 0;
  std::size_t entries = 0;
  for (const Axis& axis : axes.all()) {
    m_begin.push_back(entries);
    m_first_aspect.push_back(aspects);
    entries += axis.levels * axis.levels;
    aspects += axis.aspects.size();
  }
  m_far.resize(entries);
  m_short.resize(entries);
  update(hyperparameters);
}

void Covariance::update(const Hyperparameters& hyperparameters) {
  m_near = hyperparameters.near;
  for (std::size_t axis = 0; axis < m_axes.count(); ++axis) fill_axis(hyperparameters, axis);
}

void Covariance::update(const Hyperparameters& hyperparameters, std::size_t changed) {
  m_near = hyperparameters.near;
  std::size_t axis = 0;
  while (axis + 1 < m_axes.count() && m_first_aspect[axis + 1] <= changed) ++axis;
  fill_axis(hyperparameters, axis);
}

void Covariance::fill_axis(const Hyperparameters& hyperparameters, std::size_t index) {
  const Axis& axis = m_axes.all()[index];
  const float mix = hyperparameters.mix;
  const std::size_t begin = m_begin[index];
  for (std::size_t a = 0; a < axis.levels; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      float far = 1;
      float close = 1;
      for (std::size_t k = 0; k < axis.aspects.size(); ++k) {
        const float distance = axis.aspects[k].distance(a, b);
        if (distance == 0) continue;
        const float scaled = distance / std::exp(hyperparameters.log_length[m_first_aspect[index] + k]);
        far *= 1 - mix + mix * matern(scaled);
        close *= matern(scaled / near_length);
      }
      for (const std::size_t entry : {begin + a * axis.levels + b, begin + b * axis.levels + a}) {
        m_far[entry] = far;
        m_short[entry] = close;
      }
    }
  }
}

float Covariance::between(const std::uint8_t* a, const std::uint8_t* b) const {
  float far = 1 - m_near;
  float close = m_near;
  for (std::size_t axis = 0; axis < m_axes.count(); ++axis) {
    const std::size_t entry = m_begin[axis] + a[axis] * m_axes.all()[axis].levels + b[axis];
    far *= m_far[entry];
    close *= m_short[entry];
  }
  return far + close;
}

void Covariance::fill(const std::uint8_t* a, const std::uint8_t* levels, std::size_t stride,
                      std::size_t count, float* out) const {
  constexpr std::size_t most = 256;
  float close[most];
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t part = std::min(most, count - first);
    std::fill_n(out + first, part, 1 - m_near);
    std::fill_n(close, part, m_near);
    for (std::size_t axis = 0; axis < m_axes.count(); ++axis) {
      const std::size_t line = m_begin[axis] + a[axis] * m_axes.all()[axis].levels;
      const std::uint8_t* place = levels + axis * stride + first;
      multiply_by_entry(out + first, m_far.data() + line, place, part);
      multiply_by_entry(close, m_short.data() + line, place, part);
    }
    subtract(out + first, close, -1, part);
  }
}

TUNER_WIDE void subtract(float* __restrict y, const float* __restrict x, float c, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] -= c * x[i];
}

TUNER_WIDE void subtract4(float* __restrict y, const float* const* x, const float* c, std::size_t count) {
  const float* __restrict x0 = x[0], * __restrict x1 = x[1], * __restrict x2 = x[2], * __restrict x3 = x[3];
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  for (std::size_t i = 0; i < count; ++i) y[i] -= c0 * x0[i] + c1 * x1[i] + (c2 * x2[i] + c3 * x3[i]);
}

TUNER_WIDE float dot(const float* __restrict x, const float* __restrict y, std::size_t count) {
  constexpr std::size_t parts = 8;
  float sums[parts] = {};
  std::size_t i = 0;
  for (; i + parts <= count; i += parts)
    for (std::size_t part = 0; part < parts; ++part) sums[part] += x[i + part] * y[i + part];
  float sum = 0;
  for (const float part : sums) sum += part;
  for (; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

TUNER_WIDE void multiply_by_entry(float* __restrict y, const float* __restrict table,
                                  const std::uint8_t* __restrict place, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] *= table[static_cast<std::int32_t>(place[i])];
}

void factorise(float* matrix, std::size_t size, float least_pivot) {
  for (std::size_t a = 0; a < size; ++a) {
    float* row = matrix + a * size;
    for (std::size_t b = 0; b < a; ++b) {
      const float* above = matrix + b * size;
      row[b] = (row[b] - dot(row, above, b)) / above[b];
    }
    row[a] = std::sqrt(std::max(row[a] - dot(row, row, a), least_pivot));
  }
}

namespace {

/// Results by which the scale of values is believed to be as usual.
constexpr double usual_weight = 2;
constexpr float least_pivot = 1e-6F;

}  // namespace

double log_evidence(const Covariance& covariance, float noise, std::span<const Point> points,
                    double usual_variance, std::vector<float>& scratch) {
  const std::size_t n = points.size();
  scratch.resize(n * n + n);
  float* lower = scratch.data();
  float* values = scratch.data() + n * n;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < a; ++b)
      lower[a * n + b] = covariance.between(points[a].levels, points[b].levels);
    lower[a * n + a] = 1 + noise;
  }
  factorise(lower, n, least_pivot);
  double log_determinant = 0;
  double squares = 0;
  for (std::size_t a = 0; a < n; ++a) {
    const float* row = lower + a * n;
    values[a] = (points[a].value - dot(row, values, a)) / row[a];
    log_determinant += std::log(row[a]);
    squares += static_cast<double>(values[a]) * values[a];
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
  m_levels.clear();
  set_amplitude();
}

void Posterior::add(const Covariance& covariance, const Point& point) {
  const std::size_t n = m_points.size();
  float* lower = row(n);
  double pivot = 1 + static_cast<double>(m_noise);
  for (std::size_t a = 0; a < n; ++a) {
    const float* above = row(a);
    lower[a] = (covariance.between(point.levels, m_points[a].levels) - dot(above, lower, a)) / above[a];
    pivot -= static_cast<double>(lower[a]) * lower[a];
  }
  lower[n] = std::sqrt(std::max(static_cast<float>(pivot), least_pivot));
  m_points.push_back(point);
  m_weights.push_back(0);
  if (m_levels.size() != 0) project(covariance, n, 0, m_levels.size());
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
      weight = (m_points[a].value - dot(lower, m_weights.data(), a)) / lower[a];
    }
    const float change = weight - m_weights[a];
    m_weights[a] = weight;
    if (change != 0 && m_levels.size() != 0) subtract(m_mean.data(), projected(a), -change, m_levels.size());
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
  covariance.fill(m_points[point].levels, m_columns.data() + first, m_levels.size(), count, out);
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

void Posterior::cover(const Covariance& covariance, std::vector<const std::uint8_t*> levels,
                      std::size_t axes) {
  m_levels = std::move(levels);
  const std::size_t count = m_levels.size();
  m_columns.resize(axes * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t axis = 0; axis < axes; ++axis) m_columns[axis * count + i] = m_levels[i][axis];
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

std::pair<float, float> Posterior::mean_and_deviation(const Covariance& covariance,
                                                      const std::uint8_t* levels) const {
  std::vector<float> projection(m_points.size());
  float mean = 0;
  float variance = 1;
  for (std::size_t a = 0; a < m_points.size(); ++a) {
    const float* lower = row(a);
    const float prior = covariance.between(m_points[a].levels, levels);
    projection[a] = (prior - dot(lower, projection.data(), a)) / lower[a];
    mean += projection[a] * m_weights[a];
    variance -= projection[a] * projection[a];
  }
  return {mean, m_amplitude * std::sqrt(std::max(variance, least_pivot))};
}

}  // namespace tuner::search::learn
