#include "reports/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reports/numbers.hpp"

namespace reports {
namespace {

/// A plain number: no trailing zeros after the point.
std::string tick_label(double value, int decimals) {
  return fmt::format("{:.{}f}", value, decimals);
}

Tick at(double value) {
  return {value,
          value == std::floor(value) && value < 1e15 ? fmt::format("{:.0f}", value) : significant(value, 3)};
}

}  // namespace

std::vector<Tick> linear_ticks(double max) {
  if (!(max > 0) || !std::isfinite(max)) return {{0, "0"}, {1, "1"}};
  const double raw = max / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step < raw * (1 - 1e-9)) step = factor * power;
  }
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  const int count = static_cast<int>(std::ceil(max / step - 1e-9));
  std::vector<Tick> ticks;
  for (int i = 0; i <= count; ++i) ticks.push_back({i * step, tick_label(i * step, decimals)});
  return ticks;
}

std::vector<Tick> binary_ticks(double min, double max, int most) {
  const int first = static_cast<int>(std::ceil(std::log2(min) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(max) + 1e-9));
  if (last - first < 1) {
    if (min == max) return {at(min)};
    return {at(min), at(max)};
  }
  const int stride = (last - first) / most + 1;
  std::vector<Tick> ticks;
  for (int exponent = last; exponent >= first; exponent -= stride) ticks.push_back(at(std::exp2(exponent)));
  std::reverse(ticks.begin(), ticks.end());
  return ticks;
}

std::vector<double> spread_apart(const std::vector<double>& wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return wanted[a] < wanted[b]; });

  // Clusters of touching positions, each centred on what its members want; a cluster that touches its
  // neighbour joins it (pool adjacent violators, on positions with their rank times the gap taken off).
  struct Cluster {
    double sum = 0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Cluster> clusters;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    clusters.push_back({wanted[order[rank]] - gap * static_cast<double>(rank), 1});
    while (clusters.size() > 1 && clusters[clusters.size() - 2].mean() > clusters.back().mean()) {
      const Cluster joined = clusters.back();
      clusters.pop_back();
      clusters.back().sum += joined.sum;
      clusters.back().count += joined.count;
    }
  }
  const double last_rank = static_cast<double>(std::max<std::size_t>(order.size(), 1) - 1);
  const double top = std::max(low, high - gap * last_rank);
  std::vector<double> out(wanted.size());
  std::size_t rank = 0;
  for (const Cluster& cluster : clusters) {
    const double base = std::clamp(cluster.mean(), low, top);
    for (std::size_t i = 0; i < cluster.count; ++i, ++rank)
      out[order[rank]] = base + gap * static_cast<double>(rank);
  }
  return out;
}

}  // namespace reports
