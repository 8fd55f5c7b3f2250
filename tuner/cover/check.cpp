#include "tuner/cover/check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace tuner::cover {
namespace {

/// Draws for each size wanted before it is taken that there are no more.
constexpr std::size_t most_draws = 1000;
constexpr double rare = 0.05;

double away(const Sizes& a, const Sizes& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double octaves = std::log2(static_cast<double>(a[i]) / static_cast<double>(b[i]));
    sum += octaves * octaves;
  }
  return sum;
}

/// The nearest to each, two for each dimension: on a grid those beside it.
std::vector<std::vector<std::size_t>> neighbours(const std::vector<Sizes>& sizes) {
  std::vector<std::vector<std::size_t>> all(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (k != i) others.emplace_back(away(sizes[i], sizes[k]), k);
    std::sort(others.begin(), others.end());
    for (std::size_t k = 0; k < std::min(others.size(), 2 * sizes[i].size()); ++k)
      all[i].push_back(others[k].second);
  }
  return all;
}

/// The part `share` of the way by ratio, at the nearest multiple that lies between the two; 0 where none
/// does.
std::int64_t between(std::int64_t from, std::int64_t to, double share, std::int64_t multiple) {
  const auto [low, high] = std::minmax(from, to);
  const std::int64_t first = (low + multiple - 1) / multiple;
  const std::int64_t last = high / multiple;
  if (first > last) return 0;
  const double value =
      static_cast<double>(from) * std::pow(static_cast<double>(to) / static_cast<double>(from), share);
  const auto nearest = static_cast<std::int64_t>(std::llround(value / static_cast<double>(multiple)));
  return multiple * std::clamp(nearest, first, last);
}

}  // namespace

Sizes shared_multiple(const std::vector<Sizes>& sizes) {
  Sizes shared = sizes.front();
  for (const Sizes& one : sizes)
    for (std::size_t i = 0; i < one.size(); ++i) shared[i] = std::gcd(shared[i], one[i]);
  return shared;
}

std::vector<Sizes> draw_between(const std::vector<Sizes>& measured, const Sizes& multiple, std::size_t count,
                                std::uint64_t seed) {
  std::vector<Sizes> drawn;
  if (measured.size() < 2) return drawn;
  std::set<Sizes> taken(measured.begin(), measured.end());
  const auto near = neighbours(measured);
  std::mt19937_64 random(seed);  // its numbers are the same everywhere, those of distributions are not
  std::size_t vain = 0;
  while (drawn.size() < count && vain < most_draws) {
    const std::size_t from = random() % measured.size();
    const std::size_t to = near[from][random() % near[from].size()];
    const double share = static_cast<double>(random() >> 11U) / 9007199254740992.0;
    Sizes one(multiple.size());
    for (std::size_t i = 0; i < one.size(); ++i)
      one[i] = between(measured[from][i], measured[to][i], share, multiple[i]);
    const bool is_new = std::all_of(one.begin(), one.end(), [](std::int64_t size) { return size > 0; }) &&
                        taken.insert(one).second;
    vain = is_new ? 0 : vain + 1;
    if (is_new) drawn.push_back(std::move(one));
  }
  return drawn;
}

Held hold(const Bound& bound, const std::vector<double>& losses) {
  Held held;
  held.of = losses.size();
  held.within = static_cast<std::size_t>(
      std::count_if(losses.begin(), losses.end(), [&](double loss) { return loss <= bound.loss; }));
  held.chance = binomial_at_most(held.within, held.of, bound.share);
  held.is_refuted = held.of > 0 && held.chance < rare;
  held.is_confirmed = held.within > 0 && 1 - binomial_at_most(held.within - 1, held.of, bound.share) < rare;
  return held;
}

}  // namespace tuner::cover
