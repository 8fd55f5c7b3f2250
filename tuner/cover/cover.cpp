#include "tuner/cover/cover.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>

namespace tuner::cover {

namespace {

/// At `sizes`, and at those where nothing has a time.
std::vector<FailedAt> failures(const Losses& losses, const Bits& sizes) {
  std::vector<FailedAt> all = losses.table().elsewhere;
  sizes.each([&](std::size_t size) {
    FailedAt here{losses.table().sizes[size], {}};
    for (std::size_t one = 0; one < losses.configurations(); ++one)
      if (losses.has_failed(size, one)) here.configurations.push_back(one);
    if (!here.configurations.empty()) all.push_back(std::move(here));
  });
  std::ranges::sort(all, {}, &FailedAt::sizes);
  return all;
}

}  // namespace

Cover cover(const Losses& losses, const std::vector<std::size_t>& candidates, const Bits& sizes,
            const Goal& goal, const Effort& effort) {
  Cover out;
  out.set = choose(losses, candidates, sizes, goal, effort);
  const std::vector<std::size_t>& set = out.set.configurations;
  std::vector<Bits> allowed(set.size(), Bits(losses.sizes()));
  Bits covered(losses.sizes());
  sizes.each([&](std::size_t size) {
    double promised = std::numeric_limits<double>::infinity();
    for (const std::size_t one : set) promised = std::min(promised, usable_loss(losses, goal, size, one));
    if (!(promised < std::numeric_limits<double>::infinity())) return;
    if (goal.at_most > 0) promised += not_worth_a_question;
    covered.set(size);
    for (std::size_t i = 0; i < set.size(); ++i) {
      const double loss = usable_loss(losses, goal, size, set[i]);
      if (loss < std::numeric_limits<double>::infinity() && (goal.at_most == 0 || loss <= promised))
        allowed[i].set(size);
    }
  });
  out.rule = find_rule(losses, set, allowed, covered, effort);
  out.rule.failed = failures(losses, sizes);
  out.losses.assign(losses.sizes(), std::numeric_limits<double>::infinity());
  if (out.rule.nodes.empty()) return out;
  sizes.each([&](std::size_t size) {
    if (const auto picked = out.rule.pick(losses.table().sizes[size]))
      out.losses[size] = losses.at(size, *picked);
  });
  return out;
}

Cover cover(const Losses& losses, const Goal& goal, const Effort& effort) {
  return cover(losses, undominated(losses), Bits(losses.sizes(), true), goal, effort);
}

Summary summary(const Table& table, const std::vector<double>& losses) {
  Summary out;
  double weight = 0;
  for (std::size_t size = 0; size < losses.size(); ++size) {
    if (!std::isfinite(losses[size])) continue;
    if (out.known == 0 || losses[size] > out.worst) {
      out.worst = losses[size];
      out.worst_size = size;
    }
    ++out.known;
    weight += table.weight(size);
    out.mean += table.weight(size) * losses[size];
  }
  if (weight > 0) out.mean /= weight;
  return out;
}

double binomial_at_most(std::size_t k, std::size_t n, double p) {
  return boost::math::cdf(boost::math::binomial(static_cast<double>(n), p), static_cast<double>(k));
}

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr std::size_t most_singly = 64;

/// The place of the least order statistic that is an upper bound of the quantile `share`: fewer than k of n
/// draws lie below the quantile with at least this confidence.
std::optional<std::size_t> place_of_bound(std::size_t n, double share, double confidence) {
  for (std::size_t k = 1; k <= n; ++k)
    if (binomial_at_most(k - 1, n, share) >= confidence) return k;
  return std::nullopt;
}

/// Sizes left out of a cover, and the loss there; infinite where unknown.
struct LeftOut {
  std::vector<std::size_t> sizes;
  std::vector<double> losses;
  bool none_may_run = false;  ///< at one of them
};

void look_at(const Losses& losses, const std::vector<std::size_t>& candidates, const Goal& goal,
             const Effort& effort, LeftOut& out) {
  out.losses.assign(out.sizes.size(), unknown);
  Bits rest(losses.sizes(), true);
  for (const std::size_t size : out.sizes) rest.clear(size);
  if (!rest.any()) return;
  const Rule rule = cover(losses, candidates, rest, goal, effort).rule;
  if (rule.nodes.empty()) return;
  for (std::size_t i = 0; i < out.sizes.size(); ++i) {
    const std::size_t size = out.sizes[i];
    const auto used = rule.pick(losses.table().sizes[size],
                                [&](std::size_t one) { return !losses.is_excluded(size, one); });
    if (used) out.losses[i] = losses.at(size, *used);
    if (!used) out.none_may_run = true;
  }
}

/// On all cores: each of them costs a cover of its own.
void look_at(const Losses& losses, const Goal& goal, const Effort& effort, std::vector<LeftOut>& all) {
  const std::vector<std::size_t> candidates = undominated(losses);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++)
      look_at(losses, candidates, goal, effort, all[i]);
  };
  std::vector<std::jthread> others(std::min<std::size_t>(all.size(), std::thread::hardware_concurrency()));
  for (std::jthread& one : others) one = std::jthread(work);
  work();
}

}  // namespace

std::vector<Bound> bounds(std::vector<double> losses, double confidence) {
  std::sort(losses.begin(), losses.end());
  std::vector<Bound> all;
  for (const double share : {0.9, 0.8, 0.5}) {
    const auto place = place_of_bound(losses.size(), share, confidence);
    if (place) all.push_back({share, confidence, losses[*place - 1], losses.size()});
  }
  return all;
}

const Bound* largest_known(const std::vector<Bound>& bounds) {
  const auto found =
      std::find_if(bounds.begin(), bounds.end(), [](const Bound& one) { return std::isfinite(one.loss); });
  return found == bounds.end() ? nullptr : &*found;
}

std::vector<std::vector<std::size_t>> neighbourhoods(const std::vector<Sizes>& sizes) {
  std::map<Sizes, std::vector<std::size_t>> cells;
  for (double octaves = 0.5; octaves <= 64; octaves *= 2) {
    cells.clear();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      Sizes cell;
      for (const std::int64_t size : sizes[i])
        cell.push_back(static_cast<std::int64_t>(std::floor(std::log2(static_cast<double>(size)) / octaves)));
      cells[cell].push_back(i);
    }
    if (2 * cells.size() <= sizes.size()) break;
  }
  std::vector<std::vector<std::size_t>> all;
  for (auto& [cell, members] : cells) all.push_back(std::move(members));
  return all;
}

Estimate estimate(const Losses& losses, const Goal& goal, const Effort& effort) {
  Estimate out;
  const std::size_t count = losses.sizes();
  std::vector<LeftOut> all;
  for (std::size_t size = 0; size < count; size += 1 + count / (most_singly + 1))
    all.push_back({{size}, {}, false});
  out.left_out = all.size();
  out.neighbourhoods = neighbourhoods(losses.table().sizes);
  if (out.neighbourhoods.size() >= 2)
    for (const std::vector<std::size_t>& together : out.neighbourhoods) all.push_back({together, {}, false});
  look_at(losses, goal, effort, all);

  out.singly.assign(count, unknown);
  out.in_neighbourhoods.assign(count, unknown);
  std::vector<double> drawn, worst;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_single = i < out.left_out;
    (is_single ? drawn : worst).push_back(*std::max_element(all[i].losses.begin(), all[i].losses.end()));
    if (is_single && all[i].none_may_run) ++out.without_any;
    for (std::size_t member = 0; member < all[i].sizes.size(); ++member)
      (is_single ? out.singly : out.in_neighbourhoods)[all[i].sizes[member]] = all[i].losses[member];
  }
  if (count > 1) out.between = bounds(std::move(drawn));
  if (!worst.empty()) out.beyond = bounds(std::move(worst));
  return out;
}

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
