#include "tuner/search/learn/learn.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "tuner/search/learn/model.hpp"
#include "tuner/search/neighbourhood.hpp"

namespace tuner::search::learn {
namespace {

constexpr std::array known_settings = {
    Setting{"particles", 4, 1, 32, true, "opinions that are averaged"},
    Setting{"points", 250, 20, 1000, true, "results that a process knows"},
    Setting{"covered", 1024, 64, 20000, true, "candidates that are predicted in full"},
    Setting{"pool", 20000, 100, 1000000, true, "candidates that are looked at"},
    Setting{"start", 6, 1, 100, true, "results before the first fit"},
    Setting{"random", 0.02, 0, 1, false, "share of random proposals"},
    Setting{"local", 0.05, 0, 1, false, "share of neighbours of the best"},
    Setting{"bold", 0.4, 0, 1, false, "share of lower confidence bound"},
    Setting{"kappa", 1.5, 0, 10, false, "its deviations"},
    Setting{"clip", 0.7, 0.1, 1, false, "quantile"},
    Setting{"length", 0.34, -3, 3, false, "log length"},
    Setting{"sense", 0.5, 0, 10, false, "spreads per oddity"},
    Setting{"spread", 2, 0, 100, false, "weight of distance in the design"},
    Setting{"every", 8, 1, 100, false, "fit after n / every results"},
    Setting{"doubt", 0.15, 0, 1, false, "share of random among the first with a record"},
    Setting{"lean", 0.5, 0, 10, false, ""},
    Setting{"plain", 0.3, 0, 1, false, ""},
    Setting{"trust", 4, 0.01, 100, false, ""},
    Setting{"first", 2, 1, 100, true, ""},
    Setting{"adapt", 1, 0, 1, false, ""},
    Setting{"stall", 0.5, 0, 100, false, "kappa grows when stalled"},
};

enum class Source : std::uint8_t { random, local, model };

/// What a source of proposals brings: improvements a proposal, the older the less they count.
struct Pay {
  double tries = 0;
  double wins = 0;
  void add(bool won) {
    constexpr double memory = 0.98;
    tries = memory * tries + 1;
    wins = memory * wins + (won ? 1 : 0);
  }
  double rate() const { return (wins + 1) / (tries + 8); }
};

class Learn final : public Strategy {
 public:
  Learn(const SearchSpace& space, std::uint64_t seed, const Settings& settings);

  std::optional<Proposal> next() override;
  void report(std::size_t candidate, const Result& result) override;
  std::size_t lookahead() const override { return 64; }

 private:
  enum class State : std::uint8_t { open, under_way, done };

  void learn(std::size_t candidate, const Result& result);
  void add_records();
  void fit();
  Proposal choose();
  std::optional<std::size_t> random();
  std::size_t design();
  std::optional<Proposal> from_record();
  std::optional<std::size_t> local();
  std::optional<std::size_t> model();
  std::vector<std::size_t> best_candidates(std::size_t most) const;
  std::vector<std::size_t> pool();
  bool is_open(std::size_t candidate) const { return m_state[candidate] == State::open; }
  std::size_t take(std::size_t candidate);

  const SearchSpace& m_space;
  Settings m_settings;
  RandomSource m_random;
  Axes m_axes;
  Neighbourhood m_neighbourhood;
  std::vector<State> m_state;
  std::size_t m_open = 0;
  std::vector<std::size_t> m_order;
  std::size_t m_at = 0;
  std::vector<std::size_t> m_tried;  ///< all that was proposed or known
  std::vector<std::size_t> m_under_way;
  std::vector<Observation> m_observations;
  std::optional<double> m_best;
  std::size_t m_improved_at = 0;
  std::vector<Trend> m_trends;
  std::vector<std::vector<std::size_t>> m_rankings;  ///< of trends with an origin
  std::size_t m_recorded = 0;
  std::array<Pay, 3> m_pay;
  std::unordered_map<std::size_t, Source> m_source;  ///< of what is under way
  double share(Source source, double usual) const;
  std::optional<Model> m_model;
  std::size_t m_fit_at = 0;
};

Learn::Learn(const SearchSpace& space, std::uint64_t seed, const Settings& settings)
    : m_space(space),
      m_settings(settings),
      m_random(seed),
      m_axes(space),
      m_neighbourhood(space),
      m_state(space.size(), State::open),
      m_open(space.size()),
      m_order(space.size()),
      m_fit_at(settings.count("start")) {
  std::iota(m_order.begin(), m_order.end(), std::size_t{0});
  for (std::size_t left = m_order.size(); left > 1; --left)
    std::swap(m_order[left - 1], m_order[m_random.below(left)]);
  m_trends.push_back({});
  m_trends.back().log_weight = std::log(0.5);
  Trend sense;
  sense.in_spreads = true;
  for (std::size_t i = 0; i < space.size(); ++i)
    sense.value.push_back(static_cast<float>(m_settings.number("sense")) * m_axes.oddity(i));
  if (m_settings.number("sense") > 0) m_trends.push_back(std::move(sense));
  add_records();
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!space.known[i]) continue;
    take(i);
    m_state[i] = State::done;
    learn(i, *space.known[i]);
  }
}

void Learn::add_records() {
  if (!m_space.priors) return;
  for (const SearchSpace::Prior& prior : m_space.priors()) {
    Trend trend;
    trend.origin = prior.origin;
    std::vector<double> logs;
    for (const auto& result : prior.results)
      if (result && result->time_ns && *result->time_ns > 0) logs.push_back(std::log(*result->time_ns));
    if (logs.empty()) continue;
    std::sort(logs.begin(), logs.end());
    for (const auto& result : prior.results) {
      if (!result)
        trend.value.push_back(static_cast<float>(logs[logs.size() / 2]));
      else if (result->time_ns && *result->time_ns > 0)
        trend.value.push_back(static_cast<float>(std::log(*result->time_ns)));
      else
        trend.value.push_back(static_cast<float>(logs.back()));
    }
    std::vector<std::size_t> ranking(m_space.size());
    std::iota(ranking.begin(), ranking.end(), std::size_t{0});
    std::stable_sort(ranking.begin(), ranking.end(),
                     [&](std::size_t a, std::size_t b) { return trend.value[a] < trend.value[b]; });
    m_rankings.push_back(std::move(ranking));
    trend.log_weight = std::log(m_settings.number("trust"));
    m_trends.push_back(std::move(trend));
  }
  if (!m_rankings.empty()) m_fit_at = m_settings.count("first");
}

std::size_t Learn::take(std::size_t candidate) {
  m_state[candidate] = State::under_way;
  m_tried.push_back(candidate);
  --m_open;
  return candidate;
}

std::optional<Proposal> Learn::next() {
  if (m_open == 0) return std::nullopt;
  if (m_best && (m_observations.size() >= m_fit_at || (m_model && m_model->is_full()))) fit();
  Proposal proposal = choose();
  take(proposal.candidate);
  m_under_way.push_back(proposal.candidate);
  if (m_model && m_model->fitted()) m_model->begin(proposal.candidate);
  return proposal;
}

void Learn::report(std::size_t candidate, const Result& result) {
  m_state[candidate] = State::done;
  std::erase(m_under_way, candidate);
  learn(candidate, result);
}

void Learn::learn(std::size_t candidate, const Result& result) {
  if (result.status == model::TrialStatus::skipped) return;
  Observation observation{candidate, Observation::Kind::failure, 0};
  if (result.time_ns && *result.time_ns > 0) {
    observation.kind =
        result.status == model::TrialStatus::dropped ? Observation::Kind::bound : Observation::Kind::time;
    observation.log_time = std::log(*result.time_ns);
  }
  m_observations.push_back(observation);
  const bool better = observation.kind == Observation::Kind::time && (!m_best || observation.log_time < *m_best);
  if (const auto source = m_source.find(candidate); source != m_source.end()) {
    m_pay[static_cast<std::size_t>(source->second)].add(better);
    m_source.erase(source);
  }
  if (observation.kind == Observation::Kind::time && (!m_best || observation.log_time < *m_best)) {
    m_best = observation.log_time;
    m_improved_at = m_observations.size();
  }
  if (m_model && m_model->fitted()) m_model->end(observation);
}

void Learn::fit() {
  if (!m_model) {
    ModelSettings settings;
    settings.particles = m_settings.count("particles");
    settings.points = m_settings.count("points");
    settings.covered = m_settings.count("covered");
    settings.clip = m_settings.number("clip");
    settings.log_length = m_settings.number("length");
    m_model.emplace(m_axes, m_trends, settings, m_random);
  }
  m_model->fit(m_observations, m_under_way, pool(), m_random);
  const std::size_t n = m_observations.size();
  m_fit_at = n + std::clamp<std::size_t>(
                     static_cast<std::size_t>(static_cast<double>(n) / m_settings.number("every")), 1, 48);
}

std::vector<std::size_t> Learn::pool() {
  std::vector<std::size_t> pool;
  const std::size_t most = m_settings.count("pool");
  if (m_open <= most) {
    for (std::size_t i = 0; i < m_space.size(); ++i)
      if (is_open(i)) pool.push_back(i);
    return pool;
  }
  std::vector<std::uint8_t> in(m_space.size(), 0);
  const auto add = [&](std::size_t candidate) {
    if (!is_open(candidate) || in[candidate] || pool.size() == most) return;
    in[candidate] = 1;
    pool.push_back(candidate);
  };
  for (const auto& ranking : m_rankings)
    for (std::size_t i = 0, added = pool.size(); i < ranking.size() && pool.size() < added + most / 10; ++i)
      add(ranking[i]);
  const std::vector<std::size_t> best = best_candidates(20);
  for (const std::size_t one : best)
    for (const std::size_t neighbour : m_neighbourhood.around(one)) add(neighbour);
  for (std::size_t i = 0; !best.empty() && i < most / 4; ++i) {
    const auto child =
        m_neighbourhood.cross(best[m_random.below(best.size())], best[m_random.below(best.size())], m_random);
    if (child) add(*child);
  }
  while (pool.size() < most) add(m_random.below(m_space.size()));
  return pool;
}

Proposal Learn::choose() {
  if (!m_model) {
    if (auto proposal = from_record()) return std::move(*proposal);
    return {design(), "random"};
  }
  const double drawn = m_random.unit();
  const double randoms = share(Source::random, m_settings.number("random"));
  const double locals = share(Source::local, m_settings.number("local"));
  const auto from = [&](Source source, std::size_t candidate, const char* idea) {
    m_source[candidate] = source;
    return Proposal{candidate, idea};
  };
  if (drawn < randoms) return from(Source::random, *random(), "random");
  if (drawn < randoms + locals)
    if (const auto candidate = local()) return from(Source::local, *candidate, "local");
  if (const auto candidate = model()) return from(Source::model, *candidate, "model");
  return from(Source::random, *random(), "random");
}

double Learn::share(Source source, double usual) const {
  if (m_settings.number("adapt") == 0) return usual;
  const double pays = m_pay[static_cast<std::size_t>(source)].rate();
  const double model_pays = m_pay[static_cast<std::size_t>(Source::model)].rate();
  return usual * std::clamp(pays / model_pays, 0.5, 5.0);
}

std::optional<std::size_t> Learn::random() {
  while (m_at < m_order.size() && !is_open(m_order[m_at])) ++m_at;
  if (m_at == m_order.size()) return std::nullopt;
  return m_order[m_at];
}

std::size_t Learn::design() {
  constexpr int draws = 64;
  std::size_t best = *random();
  float least = std::numeric_limits<float>::max();
  const float lean = m_random.unit() < m_settings.number("plain") ? 0 : static_cast<float>(m_settings.number("lean"));
  for (int i = 0; i < draws; ++i) {
    const std::size_t candidate = m_random.below(m_space.size());
    if (!is_open(candidate)) continue;
    float nearest = 1;
    for (const std::size_t other : m_tried) nearest = std::min(nearest, m_axes.distance(candidate, other));
    const float loss = lean * m_axes.oddity(candidate) -
                       static_cast<float>(m_settings.number("spread")) * nearest;
    if (loss < least) {
      least = loss;
      best = candidate;
    }
  }
  return best;
}

/// The records' best, in turn with their best that is no neighbour of anything tried.
std::optional<Proposal> Learn::from_record() {
  if (m_rankings.empty()) return std::nullopt;
  if (m_random.unit() < m_settings.number("doubt")) return Proposal{design(), "random"};
  const std::size_t turn = m_recorded++;
  const std::size_t record = turn / 2 % m_rankings.size();
  const bool apart = turn % 2 == 1;
  const std::string& origin = m_trends[m_trends.size() - m_rankings.size() + record].origin;
  for (const std::size_t candidate : m_rankings[record]) {
    if (!is_open(candidate)) continue;
    const auto is_near = [&](std::size_t other) {
      std::size_t differ = 0;
      for (std::size_t axis = 0; axis < m_axes.count(); ++axis)
        differ += m_axes.levels(candidate)[axis] != m_axes.levels(other)[axis];
      return differ < 2;
    };
    if (apart && std::any_of(m_tried.begin(), m_tried.end(), is_near)) continue;
    return Proposal{candidate, origin};
  }
  return std::nullopt;
}

std::vector<std::size_t> Learn::best_candidates(std::size_t most) const {
  std::vector<std::pair<double, std::size_t>> order;
  for (const Observation& one : m_observations)
    if (one.kind == Observation::Kind::time) order.emplace_back(one.log_time, one.candidate);
  most = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end());
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < most; ++i) best.push_back(order[i].second);
  return best;
}

std::optional<std::size_t> Learn::local() {
  const std::vector<std::size_t> best = best_candidates(5);
  for (int attempt = 0; attempt < 8 && !best.empty(); ++attempt) {
    const auto step = m_neighbourhood.step(best[m_random.below(best.size())], m_random);
    if (step && is_open(*step)) return step;
  }
  return std::nullopt;
}

double improvement(double gain, double deviation) {
  const double z = gain / deviation;
  if (z < -6) return 0;
  return gain * 0.5 * std::erfc(-z * 0.70710678) + deviation * 0.39894228 * std::exp(-0.5 * z * z);
}

std::optional<std::size_t> Learn::model() {
  const double best = m_model->scale().standard(*m_best);
  const bool bold = m_random.unit() < m_settings.number("bold");
  const double stall = static_cast<double>(m_observations.size() - m_improved_at);
  const double kappa = m_settings.number("kappa") + m_settings.number("stall") * std::log2(1 + stall / 16);
  const std::vector<Particle>& particles = m_model->particles();
  std::optional<std::size_t> found;
  double most = -std::numeric_limits<double>::max();
  const auto covered = m_model->covered();
  for (std::size_t i = 0; i < covered.size(); ++i) {
    if (!is_open(covered[i])) continue;
    double worth = 0;
    for (const Particle& particle : particles) {
      const double gain = best - particle.mean(i);
      const double deviation = particle.standard_deviation(i);
      worth += bold ? gain + kappa * deviation : improvement(gain, deviation);
    }
    if (worth > most) {
      most = worth;
      found = covered[i];
    }
  }
  return found;
}

}  // namespace

std::span<const Setting> settings() {
  return known_settings;
}

std::unique_ptr<Strategy> make(const SearchSpace& space, std::uint64_t seed, const Settings& settings) {
  return std::make_unique<Learn>(space, seed, settings);
}

}  // namespace tuner::search::learn
