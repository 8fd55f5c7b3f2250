#include "tuner/search/learn/covariance.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/search/learn/posterior.hpp"

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

}  // namespace tuner::search::learn
