#include "tuner/search/learn/success.hpp"

#include <algorithm>
#include <cmath>

namespace tuner::search::learn {
namespace {

/// A model that is sure of a failure may be wrong.
constexpr double least_probability = 0.01;
constexpr int steps = 12;
constexpr std::size_t candidates_at_once = 256;
/// Results by which many candidates are looked through.
constexpr std::size_t most_scouts = 128;

/// What a Particle does with a scale is clip a trend, and there is none.
const Scale& no_scale() {
  static const Scale scale({}, 1);
  return scale;
}

/// At most `most`: those that work before the others, of which an even sample.
std::vector<Sample> sample_of(std::span<const Sample> all, std::size_t most) {
  std::vector<float> order;
  for (const Sample& one : all) order.push_back(-one.value);
  std::vector<Sample> chosen;
  for (const std::size_t i : representative(order, most)) chosen.push_back(all[i]);
  return chosen;
}

}  // namespace

Success::Success(const Axes& axes, std::size_t points, std::size_t judged, double log_length)
    : m_axes(axes), m_points(points), m_judged(judged), m_log_length(log_length) {}

float Success::value_of(const Observation& observation) const {
  const double works = observation.kind == Observation::Kind::failure ? 0 : 1;
  return static_cast<float>((works - m_rate) / m_spread);
}

double Success::probability_of(float mean) const {
  return std::clamp(m_rate + m_spread * static_cast<double>(mean), least_probability, 1.0);
}

void Success::fit(std::span<const Observation> observations, RandomSource& random) {
  const auto failed = std::count_if(observations.begin(), observations.end(), [](const Observation& one) {
    return one.kind == Observation::Kind::failure;
  });
  if (failed == 0) return;
  if (!m_particle) m_particle.emplace(m_axes, m_no_trend, m_log_length, random);
  // As if one more had worked and one more had failed.
  m_rate = 1 - (static_cast<double>(failed) + 1) / (static_cast<double>(observations.size()) + 2);
  m_spread = std::sqrt(m_rate * (1 - m_rate));
  std::vector<Sample> samples;
  for (const Observation& one : observations) samples.push_back({one.candidate, value_of(one)});
  m_known = sample_of(samples, m_points);
  m_particle->wander(sample_of(samples, m_judged), no_scale(), steps, random);
}

std::vector<float> Success::of(std::span<const std::size_t> candidates) const {
  Particle own = *m_particle;
  own.settle(sample_of(m_known, most_scouts), no_scale(), 0);
  std::vector<float> probabilities;
  for (std::size_t first = 0; first < candidates.size(); first += candidates_at_once) {
    const auto some = candidates.subspan(first, std::min(candidates_at_once, candidates.size() - first));
    own.cover(some, no_scale());
    for (std::size_t i = 0; i < some.size(); ++i)
      probabilities.push_back(static_cast<float>(probability_of(own.mean(i))));
  }
  return probabilities;
}

void Success::cover(std::span<const std::size_t> covered, std::span<const std::size_t> under_way,
                    std::size_t more) {
  m_under_way.clear();
  if (!m_particle) return;
  m_particle->settle(m_known, no_scale(), under_way.size() + more);
  m_particle->cover(covered, no_scale());
  for (const std::size_t candidate : under_way) begin(candidate);
}

void Success::begin(std::size_t candidate) {
  if (m_particle) m_under_way[candidate] = m_particle->begin(candidate);
}

void Success::end(const Observation& observation) {
  const auto point = m_under_way.find(observation.candidate);
  if (point == m_under_way.end()) return;
  m_particle->end(point->second, observation.candidate, value_of(observation), no_scale());
  m_under_way.erase(point);
}

double Success::probability(std::size_t covered) const {
  return m_particle ? probability_of(m_particle->mean(covered)) : 1;
}

}  // namespace tuner::search::learn
