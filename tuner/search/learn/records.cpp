#include "tuner/search/learn/records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/search/learn/model.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/util/processors.hpp"

namespace tuner::search::learn {
namespace {

/// More candidates than this are never kept.
constexpr std::size_t most_kept = std::size_t{1} << 19U;
/// Where few may be tried, as of a shard, so many times what is wanted is looked at.
constexpr std::size_t looks = 8;
constexpr std::size_t least_looks = 4096;

}  // namespace

Part::Part(const SearchSpace& whole, std::size_t sample, RandomSource& random)
    : m_whole(whole), m_is_whole(whole.candidates.told() == whole.size()) {
  if (m_is_whole) return;
  m_part.problem = whole.problem;
  for (const SearchSpace::Kernel& kernel : whole.kernels) {
    m_lists.emplace_back(kernel.spec->parameters);
    m_part.kernels.push_back({kernel.spec, &m_lists.back()});
  }
  m_neighbourhood.emplace(whole);
  whole.known.for_each([this](std::size_t number, const Result& result) {
    add(number);
    m_part.known[m_numbers.size() - 1] = result;
  });
  for (const std::size_t number : whole.begun) {
    m_part.begun.push_back(m_numbers.size());
    add(number);
  }
  if (whole.priors) m_priors = whole.priors();
  std::vector<std::size_t> elsewhere;
  for (const SearchSpace::Prior& prior : m_priors)
    prior.results.for_each([&](std::size_t number, const Result&) { elsewhere.push_back(number); });
  add_offered(std::move(elsewhere));
  add_random(sample, random);
  m_part.priors = [this] { return priors_of_part(); };
}

void Part::add(std::size_t number) {
  if (!m_places.emplace(number, m_numbers.size()).second) return;
  const Candidate one = m_whole.candidates[number];
  const space::Coordinates at = m_whole.coordinates(number);
  m_numbers.push_back(number);
  m_part.candidates.push_back({one.kernel, m_lists[one.kernel].size()});
  m_lists[one.kernel].add({at.data(), at.size()});
  m_part.known.resize(m_numbers.size());
}

void Part::add_offered(std::vector<std::size_t> numbers) {
  sort_apart(numbers);
  std::erase_if(numbers, [this](std::size_t number) { return m_places.contains(number); });
  std::vector<char> offered(numbers.size(), 1);
  if (m_whole.offers)
    util::for_each_index(numbers.size(), 64, [&](std::size_t i) { offered[i] = m_whole.offers(numbers[i]); });
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (offered[i] && m_numbers.size() < most_kept) add(numbers[i]);
}

void Part::add_around(std::span<const std::size_t> best, std::size_t children, RandomSource& random) {
  std::vector<std::size_t> found;
  for (const std::size_t one : best) {
    if (!m_centres.insert(one).second) continue;
    const std::vector<std::size_t> around = m_neighbourhood->around(in_whole(one));
    found.insert(found.end(), around.begin(), around.end());
  }
  for (std::size_t i = 0; !best.empty() && i < children; ++i) {
    const std::size_t mother = in_whole(best[random.below(best.size())]);
    const std::size_t father = in_whole(best[random.below(best.size())]);
    if (const auto child = m_neighbourhood->cross(mother, father, random)) found.push_back(*child);
  }
  add_offered(std::move(found));
}

/// Half of it, or less, among those told one by one, which are kernels that have few; the rest in equal
/// shares from the kernels that have many.
void Part::add_random(std::size_t most, RandomSource& random) {
  const std::size_t told = m_whole.candidates.told();
  add_random_of(0, told, most / 2, random);
  std::vector<std::pair<std::size_t, std::size_t>> wholes;
  for (std::size_t kernel = 0; kernel < m_whole.kernels.size(); ++kernel)
    if (const auto first = m_whole.candidates.of_whole(kernel, 0))
      wholes.emplace_back(*first, m_whole.candidates.count(kernel));
  const std::size_t left = most - std::min(told, most / 2);
  for (const auto& [first, count] : wholes) add_random_of(first, count, left / wholes.size(), random);
}

void Part::add_random_of(std::size_t first, std::size_t count, std::size_t most, RandomSource& random) {
  if (count <= most) {
    std::vector<std::size_t> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = first + i;
    return add_offered(std::move(all));
  }
  const std::size_t before = m_numbers.size();
  const std::size_t end = before + most;
  for (std::size_t looked = 0; m_numbers.size() < end && looked < std::max(least_looks, looks * most);) {
    std::vector<std::size_t> drawn(end - m_numbers.size());
    for (std::size_t& number : drawn) number = first + random.below(count);
    looked += drawn.size();
    add_offered(std::move(drawn));
  }
}

std::vector<SearchSpace::Prior> Part::priors_of_part() const {
  std::vector<SearchSpace::Prior> priors;
  for (const SearchSpace::Prior& of_whole : m_priors) {
    SearchSpace::Prior prior{of_whole.origin, of_whole.problem, of_whole.same_environment, {}};
    prior.results.resize(m_numbers.size());
    of_whole.results.for_each([&](std::size_t number, const Result& result) {
      if (const auto place = m_places.find(number); place != m_places.end())
        prior.results[place->second] = result;
    });
    priors.push_back(std::move(prior));
  }
  return priors;
}

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
