#include "tuner/search/learn/records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/search/learn/model.hpp"
#include "tuner/search/open_candidates.hpp"

namespace tuner::search::learn {
namespace {

constexpr std::size_t most_records = 3;
/// How much likelier than nothing known that a record tells the truth.
constexpr double trust = 4;
/// As many results of a record say what it knows of the others.
constexpr std::size_t record_points = 64;

/// In doublings, summed over extents; another environment is as far as a size eight times as large.
double distance(const SearchSpace& space, const SearchSpace::Prior& prior) {
  double sum = prior.same_environment ? 0 : 3;
  const auto& here = space.problem.sizes;
  const auto& there = prior.problem.sizes;
  for (std::size_t d = 0; d < std::min(here.size(), there.size()); ++d)
    sum += std::abs(std::log2(static_cast<double>(std::max<std::int64_t>(1, here[d].value)) /
                              static_cast<double>(std::max<std::int64_t>(1, there[d].value))));
  return sum;
}

/// A trend is of times alone: what failed there is as slow as the slowest. Empty where there is no time.
std::vector<Observation> times_of(const SearchSpace::Prior& prior) {
  std::vector<Observation> all;
  constexpr double none = -std::numeric_limits<double>::infinity();
  double slowest = none;
  prior.results.for_each([&](std::size_t i, const Result& result) {
    if (result.status == model::TrialStatus::skipped) return;
    const auto time_ns = comparable_time_ns(result);
    all.push_back({i, Observation::Kind::time, time_ns ? std::log(*time_ns) : none});
    slowest = std::max(slowest, all.back().log_time);
  });
  if (slowest == none) return {};
  for (Observation& one : all) one.log_time = one.log_time == none ? slowest : one.log_time;
  return all;
}

}  // namespace

/// What a model of a record's results expects.
struct Records::Guess {
  Guess(const Axes& axes, std::span<const Observation> known, std::span<const std::size_t> pool,
        RandomSource& random)
      : none(1), model(axes, none, settings(), random) {
    model.fit(known, {}, pool, random);
  }
  static ModelSettings settings() {
    ModelSettings settings;
    settings.members = 1;
    settings.points = record_points;
    settings.judged = record_points;
    settings.covered = 1;  // the others are asked for
    return settings;
  }
  const std::vector<Trend> none;
  Model model;
};

namespace {

/// Log times everywhere: measured, or else what `guess` of the missing ones says.
template <typename MakeGuess>
std::vector<float> completed(std::span<const Observation> known, std::size_t candidates,
                             const MakeGuess& guess) {
  constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> value(candidates, unknown);
  for (const Observation& one : known) value[one.candidate] = static_cast<float>(one.log_time);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < candidates; ++i)
    if (std::isnan(value[i])) missing.push_back(i);
  if (missing.empty()) return value;
  const std::vector<double> expected = guess(missing);
  for (std::size_t i = 0; i < missing.size(); ++i) value[missing[i]] = static_cast<float>(expected[i]);
  return value;
}

}  // namespace

Records::Records(const SearchSpace& space, const Axes& axes, std::size_t whole, RandomSource& random) {
  if (!space.priors || space.size() == 0) return;
  std::vector<SearchSpace::Prior> priors = space.priors();
  std::stable_sort(priors.begin(), priors.end(),
                   [&](const auto& a, const auto& b) { return distance(space, a) < distance(space, b); });
  for (const SearchSpace::Prior& prior : priors) {
    const std::vector<Observation> known = times_of(prior);
    if (known.empty() || m_records.size() == most_records) continue;
    Trend trend;
    trend.origin = prior.origin;
    std::unique_ptr<Guess> guess;
    trend.value = completed(known, space.size(), [&](std::span<const std::size_t> missing) {
      guess = std::make_unique<Guess>(axes, known, missing.first(1), random);
      return guess->model.log_times_of(missing);
    });
    if (space.size() == whole) guess.reset();
    trend.log_weight = std::log(trust / static_cast<double>(m_records.size() + 1));
    std::vector<std::size_t> ranking =
        ordered_by(space.size(), [&](std::size_t i) { return trend.value[i]; });
    std::vector<bool> recommended(space.size(), false);
    const std::size_t best = std::min(ranking.size(), std::max<std::size_t>(16, ranking.size() / 100));
    for (std::size_t i = 0; i < best; ++i) recommended[ranking[i]] = true;
    m_records.push_back({std::move(trend), std::move(ranking), std::move(recommended), std::move(guess)});
    m_any_near |= prior.same_environment && known.size() * known.size() >= whole;
  }
}

Records::~Records() = default;

void Records::add(std::size_t candidate) {
  for (Record& record : m_records) {
    record.trend.value.push_back(
        record.guess ? static_cast<float>(record.guess->model.log_times_of(std::span(&candidate, 1)).front())
                     : 0.0F);
    record.recommended.push_back(false);
  }
}

}  // namespace tuner::search::learn
