#include "tuner/search/learn/observation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tuner::search::learn {

Scale::Scale(std::span<const Observation> observations, double quantile) {
  std::vector<double> logs;
  for (const Observation& one : observations)
    if (one.kind != Observation::Kind::failure) logs.push_back(one.log_time);
  if (logs.empty()) return;
  std::sort(logs.begin(), logs.end());
  const auto place = static_cast<std::size_t>(quantile * static_cast<double>(logs.size()));
  clip = logs[std::min(place, logs.size() - 1)];
  for (double& log : logs) log = std::min(log, clip);
  const auto n = static_cast<double>(logs.size());
  shift = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  double squares = 0;
  for (const double log : logs) squares += (log - shift) * (log - shift);
  // Times that are all the same to a thousandth are noise.
  width = std::max(std::sqrt(squares / n), 1e-4);
}

float Scale::standard(double log_time) const {
  return static_cast<float>((std::min(log_time, clip) - shift) / width);
}

std::vector<std::size_t> representative(std::span<const float> values, std::size_t most) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (values.size() <= most) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const std::size_t best = most / 2;
  const std::size_t others = most - best;
  for (std::size_t i = 0; i < others; ++i) order[best + i] = order[best + i * (order.size() - best) / others];
  order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace tuner::search::learn
