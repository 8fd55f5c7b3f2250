#include "tuner/search/order_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace tuner::search {
namespace {

constexpr std::size_t fewest = 10;

/// The gain that is exceeded with probability `p`.
double exceeded(double tail, double q, double p) {
  if (p >= q) return 0;
  const double u = p * (1 - q) / (q * (1 - p));
  return 1 - std::exp(tail * std::log(u));
}

}  // namespace

std::optional<Outlook> order_statistics(std::vector<double> log_times, std::size_t drawn, std::size_t left) {
  if (left == 0) return exhausted();
  if (log_times.size() < fewest) return std::nullopt;
  const auto n = static_cast<double>(log_times.size());
  const auto k = static_cast<std::size_t>(std::clamp(std::sqrt(n), 5.0, 50.0));
  std::partial_sort(log_times.begin(), log_times.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                    log_times.end());
  double tail = 0;
  for (std::size_t i = 0; i < k; ++i) tail += (log_times[k] - log_times[i]) / static_cast<double>(k);
  const double q = static_cast<double>(left) / static_cast<double>(left + drawn);
  // The mean of k exponential variables has a relative deviation of 1 / sqrt(k).
  const double most = tail * (1 + 2 / std::sqrt(static_cast<double>(k)));
  Outlook outlook;
  outlook.estimate = "order statistics";
  outlook.gain = 1 - std::exp(tail * std::log(1 - q));
  outlook.low = exceeded(tail, q, 0.975);
  outlook.high = exceeded(most, q, 0.025);
  return outlook;
}

double most_faster(std::size_t candidates, std::size_t drawn) {
  if (drawn >= candidates) return 0;
  const std::size_t left = candidates - drawn;
  // That none of `faster` is drawn: C(candidates - faster, drawn) / C(candidates, drawn), factor by factor.
  constexpr double doubt = 0.05;
  double missed = 1;
  std::size_t faster = 0;
  while (faster < left) {
    missed *= static_cast<double>(left - faster) / static_cast<double>(candidates - faster);
    if (missed <= doubt) break;
    ++faster;
  }
  return static_cast<double>(faster) / static_cast<double>(left);
}

Outlook exhausted() {
  Outlook none;
  none.estimate = "nothing is left";
  return none;
}

}  // namespace tuner::search
