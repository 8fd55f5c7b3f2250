#include "tuner/search/learn/particle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tuner::search::learn {

Scale::Scale(std::span<const Observation> observations, double quantile) {
  std::vector<double> logs;
  for (const Observation& one : observations)
    if (one.kind != Observation::Kind::failure) logs.push_back(one.log_time);
  if (logs.empty()) return;
  std::sort(logs.begin(), logs.end());
  const auto place = static_cast<std::size_t>(quantile * static_cast<double>(logs.size()));
  clip = logs[std::min(place, logs.size() - 1)];
  for (double& log : logs) log = std::min(log, clip);
  const auto n = static_cast<double>(logs.size());
  shift = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  double squares = 0;
  for (const double log : logs) squares += (log - shift) * (log - shift);
  // Times that are all the same to a thousandth are noise.
  width = std::max(std::sqrt(squares / n), 1e-4);
}

float Scale::standard(double log_time) const {
  return static_cast<float>((std::min(log_time, clip) - shift) / width);
}

std::vector<std::size_t> representative(std::span<const float> values, std::size_t most) {
  std::vector<std::size_t> order = ordered_by(values.size(), [&](std::size_t i) { return values[i]; });
  if (order.size() > most) {
    const std::size_t best = most / 2;
    const std::size_t others = most - best;
    for (std::size_t i = 0; i < others; ++i)
      order[best + i] = order[best + i * (order.size() - best) / others];
    order.resize(most);
  }
  std::sort(order.begin(), order.end());
  return order;
}

namespace {

constexpr double spread_of_slope = 0.5;
/// What is left of the spread where times elsewhere are known, before any result says how much.
constexpr double usual_rest = 0.3;

}  // namespace

Particle::Particle(const Axes& axes, const std::vector<Trend>& trends, double mean_log_length,
                   RandomSource& random)
    : m_axes(axes),
      m_trends(trends),
      m_mean_log_length(mean_log_length),
      m_now(draw_hyperparameters(axes, mean_log_length, random)),
      m_covariance(axes, m_now) {
  // As likely as it is believed.
  double total = 0;
  for (const Trend& trend : trends) total += std::exp(trend.log_weight);
  double drawn = total * random.unit();
  while (m_now.trend + 1 < trends.size() && drawn >= std::exp(trends[m_now.trend].log_weight))
    drawn -= std::exp(trends[m_now.trend++].log_weight);
}

double Particle::usual_variance() const {
  const Trend& trend = m_trends[m_now.trend];
  return trend.value.empty() || trend.in_spreads ? 1.0 : usual_rest * usual_rest;
}

float Particle::trend_at(std::size_t candidate, const Scale& scale) const {
  const Trend& trend = m_trends[m_now.trend];
  if (trend.value.empty()) return 0;
  const float unit = trend.in_spreads ? 1.0F : static_cast<float>(1 / scale.width);
  return std::min(m_offset + m_now.slope * unit * trend.value[candidate], scale.clipped());
}

void Particle::align(std::span<const Sample> samples, const Scale& scale) {
  const Trend& trend = m_trends[m_now.trend];
  m_offset = 0;
  if (trend.value.empty() || samples.empty()) return;
  const float unit = trend.in_spreads ? 1.0F : static_cast<float>(1 / scale.width);
  const auto collect = [&](float below) {
    m_sorted.clear();
    for (const Sample& sample : samples)
      if (sample.value < below)
        m_sorted.push_back(sample.value - m_now.slope * unit * trend.value[sample.candidate]);
  };
  collect(scale.clipped());  // of the others only a bound is known
  if (m_sorted.size() < 3) collect(scale.clipped() + 1);
  const auto middle = m_sorted.begin() + static_cast<std::ptrdiff_t>(m_sorted.size() / 2);
  std::nth_element(m_sorted.begin(), middle, m_sorted.end());
  m_offset = *middle;
}

void Particle::set_points(std::span<const Sample> samples, const Scale& scale) {
  align(samples, scale);
  m_points.clear();
  for (const Sample& sample : samples)
    m_points.push_back(
        {m_axes.levels(sample.candidate), sample.value - trend_at(sample.candidate, scale), false});
}

double Particle::belief() const {
  const Trend& trend = m_trends[m_now.trend];
  double sum = log_belief(m_axes, m_mean_log_length, m_now) + trend.log_weight;
  if (!trend.value.empty()) {
    const double off = (m_now.slope - 1) / spread_of_slope;
    sum -= 0.5 * off * off;
  }
  return sum;
}

double Particle::judge(std::span<const Sample> samples, const Scale& scale) {
  set_points(samples, scale);
  return log_evidence(m_covariance, std::exp(m_now.log_noise), m_points, usual_variance(), m_scratch) +
         belief();
}

void Particle::change(std::size_t what, RandomSource& random) {
  const auto reflected = [](float value, float low, float high) {
    if (value < low) value = 2 * low - value;
    if (value > high) value = 2 * high - value;
    return std::clamp(value, low, high);
  };
  const auto step = [&](double size) { return static_cast<float>(size * random.normal()); };
  const std::size_t lengths = m_now.log_length.size();
  if (what < lengths) {
    m_now.log_length[what] += step(0.8);
    return;
  }
  switch (what - lengths) {
    case 0:
      m_now.mix = reflected(m_now.mix + step(0.15), 0.3F, 1.0F);
      break;
    case 1:
      m_now.near = reflected(m_now.near + step(0.1), 0.0F, 0.5F);
      break;
    case 2:
      m_now.log_noise = std::clamp(m_now.log_noise + step(1), -11.0F, -1.0F);
      break;
    case 3:
      m_now.slope = reflected(m_now.slope + step(0.3), 0.0F, 2.0F);
      break;
    default:
      m_now.trend = random.below(m_trends.size());
      break;
  }
}

void Particle::follow(std::size_t what) {
  const std::size_t lengths = m_now.log_length.size();
  if (what < lengths)
    m_covariance.update(m_now, what);
  else if (what < lengths + 2)
    m_covariance.update(m_now);
}

void Particle::wander(std::span<const Sample> samples, const Scale& scale, int steps, RandomSource& random) {
  if (m_axes.count() == 0) return;
  const std::size_t kinds = m_now.log_length.size() + (m_trends.size() > 1 ? 5 : 3);
  double now = judge(samples, scale);
  for (int step = 0; step < steps; ++step) {
    const Hyperparameters before = m_now;
    const std::size_t what = random.below(kinds);
    change(what, random);
    follow(what);
    const double then = judge(samples, scale);
    if (then >= now || random.unit() < std::exp(then - now)) {
      now = then;
      continue;
    }
    m_now = before;
    follow(what);
  }
}

void Particle::settle(std::span<const Sample> samples, const Scale& scale, std::size_t more) {
  m_posterior.begin(samples.size() + more, std::exp(m_now.log_noise), usual_variance());
  set_points(samples, scale);
  for (const Point& point : m_points) m_posterior.add(m_covariance, point);
}

void Particle::cover(std::span<const std::size_t> candidates, const Scale& scale) {
  std::vector<const std::uint8_t*> levels;
  levels.reserve(candidates.size());
  for (const std::size_t candidate : candidates) levels.push_back(m_axes.levels(candidate));
  m_posterior.cover(m_covariance, std::move(levels), m_axes.count());
  m_trend_at.clear();
  for (const std::size_t candidate : candidates) m_trend_at.push_back(trend_at(candidate, scale));
}

std::size_t Particle::begin(std::size_t candidate) {
  m_posterior.add(m_covariance, {m_axes.levels(candidate), 0, true});
  return m_posterior.points() - 1;
}

void Particle::end(std::size_t point, std::size_t candidate, float value, const Scale& scale) {
  m_posterior.set_value(point, value - trend_at(candidate, scale));
}

std::pair<float, float> Particle::mean_and_deviation(std::size_t candidate, const Scale& scale) const {
  auto [mean, deviation] = m_posterior.mean_and_deviation(m_covariance, m_axes.levels(candidate));
  return {mean + trend_at(candidate, scale), deviation};
}

}  // namespace tuner::search::learn
