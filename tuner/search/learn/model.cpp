#include "tuner/search/learn/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tuner/util/processors.hpp"

namespace tuner::search::learn {
namespace {

/// A model that is sure of a failure may be wrong.
constexpr double least_probability = 0.01;
constexpr int steps = 12;
constexpr std::size_t candidates_at_once = 256;
/// Results by which many candidates are looked through.
constexpr std::size_t most_scouts = 128;
/// Of results that are 1 or 0, those that work come before the others.
constexpr float working_first = -1;

/// What a Particle does with a scale is clip a trend, and there is none.
const Scale& no_scale() {
  static const Scale scale({}, 1);
  return scale;
}

/// At most `most`: the half with the least values, by `sign`, and an even sample of the others.
std::vector<Sample> pick(std::span<const Sample> all, std::size_t most, float sign = 1) {
  std::vector<float> values;
  for (const Sample& one : all) values.push_back(sign * one.value);
  std::vector<Sample> picked;
  for (const std::size_t i : representative(values, most)) picked.push_back(all[i]);
  return picked;
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
  m_known = pick(samples, m_points, working_first);
  m_particle->wander(pick(samples, m_judged, working_first), no_scale(), steps, random);
}

std::vector<float> Success::of(std::span<const std::size_t> candidates) const {
  Particle own = *m_particle;
  own.settle(pick(m_known, most_scouts, working_first), no_scale(), 0);
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

namespace {

/// Points that may be added between fits beyond those under way.
constexpr std::size_t room = 64;
/// A scout judges by the share of the results that it takes to find what is promising.
constexpr std::size_t scout_points = 128;
constexpr float hopeful = 1.5F;
/// Candidates that are predicted together where only their means are kept.
constexpr std::size_t block = 256;
/// Of the covered candidates, those that are there by chance: a model that is wrong must be able to see it.
constexpr double by_chance = 0.25;
/// Below, a thread costs what it saves.
constexpr std::size_t results_worth_a_thread = 48;
constexpr std::size_t seeds = std::size_t{1} << 32U;

/// A step costs the cube of the results; where there are few it is free, and members differ most.
int steps_for(std::size_t results) {
  const double share = 45.0 / static_cast<double>(results + 1);
  return static_cast<int>(std::clamp(30 * share * share, 8.0, 80.0));
}

}  // namespace

Model::Model(const Axes& axes, const std::vector<Trend>& trends, const ModelSettings& settings,
             RandomSource& random)
    : m_settings(settings),
      m_scale({}, settings.clip),
      m_success(axes, settings.points, settings.judged, settings.log_length) {
  for (std::size_t i = 0; i < settings.members; ++i)
    m_particles.emplace_back(axes, trends, settings.log_length, random);
}

void Model::fit(std::span<const Observation> observations, std::span<const std::size_t> under_way,
                std::span<const std::size_t> pool, RandomSource& random) {
  const Scale before = m_scale;
  m_scale = Scale(observations, m_settings.clip);
  std::vector<Sample> samples;
  for (const Observation& one : observations) {
    if (one.kind == Observation::Kind::failure) continue;
    Sample sample{one.candidate, m_scale.standard(one.log_time)};
    if (one.kind == Observation::Kind::bound && m_fitted) {
      // No faster than the bound, and where the model thinks it is slower, as slow as that.
      const double expected =
          before.log_time(m_particles.front().mean_and_deviation(one.candidate, before).first);
      sample.value = m_scale.standard(std::max(one.log_time, expected));
    }
    samples.push_back(sample);
  }
  const std::vector<Sample> known = pick(samples, m_settings.points);
  const std::vector<Sample> judged = pick(samples, m_settings.judged);
  std::vector<RandomSource> sources;  // one each, so that threads do not decide who gets which numbers
  for (std::size_t i = 0; i < m_particles.size(); ++i) sources.emplace_back(random.below(seeds));
  for_each_particle(known.size(), [&](std::size_t i) {
    m_particles[i].wander(judged, m_scale, steps_for(judged.size()), sources[i]);
  });
  m_success.fit(observations, random);
  choose(pool, known, random);
  m_success.cover(m_covered, under_way, room);
  for_each_particle(known.size(), [&](std::size_t i) {
    m_particles[i].settle(known, m_scale, under_way.size() + room);
    m_particles[i].cover(m_covered, m_scale);
    for (const std::size_t candidate : under_way) m_particles[i].begin(candidate);
  });
  m_under_way.clear();
  for (std::size_t i = 0; i < under_way.size(); ++i) m_under_way[under_way[i]] = known.size() + i;
  m_fitted = true;
}

void Model::for_each_particle(std::size_t results, const std::function<void(std::size_t)>& work) {
  const bool is_little = results < results_worth_a_thread;
  util::for_each_index(m_particles.size(), is_little ? m_particles.size() : 1, work);
}

void Model::choose(std::span<const std::size_t> pool, std::span<const Sample> samples, RandomSource& random) {
  const std::vector<float> success = m_success.knows() ? m_success.of(pool) : std::vector<float>();
  if (!success.empty())
    m_working_share =
        std::accumulate(success.begin(), success.end(), 0.0) / static_cast<double>(success.size());
  m_covered.assign(pool.begin(), pool.end());
  if (pool.size() <= m_settings.covered) return;
  Particle& scout = m_particles[random.below(m_particles.size())];
  const std::vector<Sample> known = pick(samples, scout_points);
  scout.settle(known, m_scale, 0);
  std::vector<std::pair<float, std::size_t>> order(pool.size());
  const std::size_t parts = m_particles.size();
  util::for_each_index(parts, 1, [&](std::size_t part) {
    Particle own = scout;
    const std::size_t end = pool.size() * (part + 1) / parts;
    for (std::size_t first = pool.size() * part / parts; first < end; first += block) {
      const auto some = pool.subspan(first, std::min(block, end - first));
      own.cover(some, m_scale);
      for (std::size_t i = 0; i < some.size(); ++i) {
        const float hope = hopeful * own.standard_deviation(i) - own.mean(i);
        const double chance = success.empty() ? 1 : success[first + i];
        order[first + i] = {-static_cast<float>(weighed(hope, chance)), some[i]};
      }
    }
  });
  const auto chance = static_cast<std::size_t>(by_chance * static_cast<double>(m_settings.covered));
  const std::size_t best = m_settings.covered - chance;
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best), order.end());
  for (std::size_t i = 0; i < chance; ++i)
    std::swap(order[best + i], order[best + i + random.below(order.size() - best - i)]);
  m_covered.clear();
  for (std::size_t i = 0; i < m_settings.covered; ++i) m_covered.push_back(order[i].second);
}

void Model::begin(std::size_t candidate) {
  for (Particle& particle : m_particles) m_under_way[candidate] = particle.begin(candidate);
  m_success.begin(candidate);
}

void Model::end(const Observation& observation) {
  m_success.end(observation);
  const auto point = m_under_way.find(observation.candidate);
  // One that failed stays under way for those who know of times: nothing more is to be learnt around it.
  if (point == m_under_way.end() || observation.kind == Observation::Kind::failure) return;
  for (Particle& particle : m_particles)
    particle.end(point->second, observation.candidate, m_scale.standard(observation.log_time), m_scale);
  m_under_way.erase(point);
}

std::vector<double> Model::log_times_of(std::span<const std::size_t> candidates) {
  std::vector<double> means(candidates.size(), 0.0);
  for (std::size_t first = 0; first < candidates.size(); first += block) {
    const auto part = candidates.subspan(first, std::min(block, candidates.size() - first));
    m_covered.assign(part.begin(), part.end());
    for (Particle& particle : m_particles) {
      particle.cover(part, m_scale);
      for (std::size_t i = 0; i < part.size(); ++i)
        means[first + i] += m_scale.log_time(particle.mean(i)) / static_cast<double>(m_particles.size());
    }
  }
  return means;
}

Belief Model::log_time_of(std::size_t candidate) const {
  double mean = 0;
  double squares = 0;
  for (const Particle& particle : m_particles) {
    const auto [one, deviation] = particle.mean_and_deviation(candidate, m_scale);
    mean += one;
    squares += static_cast<double>(deviation) * deviation + static_cast<double>(one) * one;
  }
  const auto n = static_cast<double>(m_particles.size());
  mean /= n;
  return {m_scale.log_time(mean), m_scale.width * std::sqrt(std::max(0.0, squares / n - mean * mean))};
}

}  // namespace tuner::search::learn
