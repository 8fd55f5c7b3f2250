#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tuner/search/strategy.hpp"

namespace tuner::search {
namespace {

/// In a family's space a good kernel of few configurations may be met late, however well another size
/// predicts.
constexpr std::size_t least = 40;
/// Where hardly as many work.
constexpr std::size_t fewest_without_gain = 20;

std::size_t stretch_of(double candidates, bool half) {
  constexpr double roots = 2.5;
  const auto whole = static_cast<std::size_t>(roots * std::sqrt(candidates));
  return std::max(least, half ? whole / 2 : whole);
}

}  // namespace

void RecentGain::add(std::optional<double> log_time) {
  const double before = m_best.empty() ? std::numeric_limits<double>::infinity() : m_best.back();
  m_best.push_back(std::min(before, log_time.value_or(before)));
}

std::optional<RecentGain::Gain> RecentGain::gain(double candidates, bool half, std::size_t at_most) const {
  if (m_best.empty() || std::isinf(m_best.back())) return std::nullopt;
  const std::size_t stretch = std::min(stretch_of(candidates, half), std::max(fewest_without_gain, at_most));
  const std::size_t over = std::min(m_best.size() - 1, stretch);
  const auto begin = m_best.end() - static_cast<std::ptrdiff_t>(over + 1);
  const auto first = std::find_if(begin, m_best.end(), [](double best) { return !std::isinf(best); });
  return Gain{1 - std::exp(m_best.back() - *first), over, over == stretch};
}

std::size_t RecentGain::since_improved() const {
  if (m_best.empty()) return 0;
  const auto first = std::find(m_best.begin(), m_best.end(), m_best.back());
  return static_cast<std::size_t>(m_best.end() - first) - 1;
}

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
  constexpr double doubt = 0.05;
  // That none of `faster` is drawn: C(candidates - faster, drawn) / C(candidates, drawn), factor by factor.
  // The two numbers may change places, so that of a space too large to list it is a factor a draw.
  const auto is_likely = [&](std::size_t faster) {
    const auto [few, many] = std::minmax(drawn, faster);
    double missed = 1;
    for (std::size_t i = 0; i < few && missed > doubt; ++i)
      missed *= static_cast<double>(candidates - many - i) / static_cast<double>(candidates - i);
    return missed > doubt;
  };
  std::size_t faster = 0;
  for (std::size_t step = std::bit_floor(left); step > 0; step /= 2)
    if (faster + step <= left && is_likely(faster + step)) faster += step;
  return static_cast<double>(faster) / static_cast<double>(left);
}

Outlook exhausted() {
  Outlook none;
  none.estimate = "nothing is left";
  return none;
}

}  // namespace tuner::search
