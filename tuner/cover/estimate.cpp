#include "tuner/cover/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace tuner::cover {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr std::size_t most_singly = 128;

/// P(X <= k) of a binomial variable.
double binomial_at_most(std::size_t k, std::size_t n, double p) {
  double sum = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    const auto x = static_cast<double>(i);
    const auto all = static_cast<double>(n);
    sum += std::exp(std::lgamma(all + 1) - std::lgamma(x + 1) - std::lgamma(all - x + 1) + x * std::log(p) +
                    (all - x) * std::log1p(-p));
  }
  return sum;
}

/// The place of the least order statistic that is an upper bound of the quantile `share`: fewer than k of n
/// draws lie below the quantile with at least this confidence.
std::optional<std::size_t> place_of_bound(std::size_t n, double share, double confidence) {
  for (std::size_t k = 1; k <= n; ++k)
    if (binomial_at_most(k - 1, n, share) >= confidence) return k;
  return std::nullopt;
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
  const std::vector<std::size_t> candidates = undominated(losses);
  const auto without = [&](const std::vector<std::size_t>& left_out, std::vector<double>& into) {
    Bits sizes(count, true);
    for (const std::size_t size : left_out) sizes.clear(size);
    const Rule rule = sizes.any() ? cover(losses, candidates, sizes, goal, effort).rule : Rule();
    for (const std::size_t size : left_out) {
      if (rule.nodes.empty()) continue;
      const auto used = rule.pick(losses.table().sizes[size],
                                  [&](std::size_t one) { return !losses.is_excluded(size, one); });
      if (used) into[size] = losses.at(size, *used);
      if (!used && left_out.size() == 1) ++out.without_any;
    }
  };
  out.singly.assign(count, unknown);
  out.in_neighbourhoods.assign(count, unknown);
  std::vector<double> drawn;
  for (std::size_t size = 0; size < count; size += 1 + count / (most_singly + 1)) {
    without({size}, out.singly);
    drawn.push_back(out.singly[size]);
  }
  out.left_out = drawn.size();
  if (count > 1) out.between = bounds(std::move(drawn));
  out.neighbourhoods = neighbourhoods(losses.table().sizes);
  if (out.neighbourhoods.size() < 2) return out;
  std::vector<double> worst;
  for (const std::vector<std::size_t>& together : out.neighbourhoods) {
    without(together, out.in_neighbourhoods);
    worst.push_back(0);
    for (const std::size_t size : together)
      worst.back() = std::max(worst.back(), out.in_neighbourhoods[size]);
  }
  out.beyond = bounds(std::move(worst));
  return out;
}

}  // namespace tuner::cover
