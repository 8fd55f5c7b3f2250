#include "bench/search/metric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tuner/search/open_candidates.hpp"

namespace bench {
namespace {

constexpr std::size_t least_budget = 30;
constexpr std::size_t first_evaluations = 20;
constexpr int simulated_runs = 1000;

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// With times ascending s_0 …, the mean best of k draws is s_0 + sum of (s_i - s_{i-1}) p_i(k), where p_i(k)
/// is the probability that none of k draws is among the i best: C(N-i, k) / C(N, k), from that of k-1.
std::vector<double> random_curve(std::vector<double> sorted, std::size_t draws) {
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  std::vector<double> none(n, 1.0);
  std::vector<double> curve;
  for (std::size_t k = 1; k <= draws; ++k) {
    double mean = sorted[0];
    const double left = static_cast<double>(n) - static_cast<double>(k) + 1;
    for (std::size_t i = 0; i < n; ++i) {
      none[i] *= left > 0 ? std::max(0.0, left - static_cast<double>(i)) / left : 0.0;
      if (i > 0) mean += (sorted[i] - sorted[i - 1]) * none[i];
    }
    curve.push_back(mean);
  }
  return curve;
}

/// The best so far whenever as many mean costs as a draw has a number are spent.
void add_by_time(const Times& times, std::span<const std::size_t> order, std::vector<double>& curve,
                 double weight) {
  double best = times.worst;
  double clock = 0;
  std::size_t next = 0;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const double now = static_cast<double>(k + 1) * times.mean_cost;
    while (next < order.size() && clock + times.cost_ms[order[next]] <= now) {
      clock += times.cost_ms[order[next]];
      best = std::min(best, times.time_ms[order[next++]]);
    }
    curve[k] += weight * best;
  }
}

std::vector<double> simulated_random(const Times& times) {
  tuner::search::RandomSource random(7);
  std::vector<double> curve(times.budget, 0.0);
  std::vector<std::size_t> order(times.time_ms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Compiles alone bound the number of draws.
  const double most = static_cast<double>(times.budget) * times.mean_cost /
                      *std::min_element(times.cost_ms.begin(), times.cost_ms.end());
  const std::size_t draws = std::min(order.size(), static_cast<std::size_t>(most) + 1);
  for (int run = 0; run < simulated_runs; ++run) {
    for (std::size_t i = 0; i < draws; ++i) std::swap(order[i], order[i + random.below(order.size() - i)]);
    add_by_time(times, std::span(order).first(draws), curve, 1.0 / simulated_runs);
  }
  return curve;
}

double mean_share(std::span<const double> random, std::span<const double> found, double best,
                  std::size_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k)
    if (random[k] > best) sum += (random[k] - found[k]) / (random[k] - best);
  return sum / static_cast<double>(count);
}

double evaluations_to(const Times& times, std::span<const Trace> traces, double share) {
  std::vector<double> needed;
  for (const Trace& trace : traces) {
    const auto hit = std::find_if(trace.begin(), trace.end(), [&](std::size_t one) {
      return times.time_ms[one] <= times.best * (1 + share);
    });
    needed.push_back(hit == trace.end() ? std::numeric_limits<double>::infinity()
                                        : static_cast<double>(hit - trace.begin() + 1));
  }
  return middle(needed);
}

}  // namespace

Times::Times(std::vector<double> recorded, const Pipeline& pipeline) : time_ms(std::move(recorded)) {
  std::vector<double> worked;
  for (const double time : time_ms)
    if (std::isfinite(time)) worked.push_back(time);
  std::sort(worked.begin(), worked.end());
  best = worked.front();
  median = middle(worked);
  worst = worked.back();
  for (double& time : time_ms) {
    const bool failed = !std::isfinite(time);
    cost_ms.push_back(pipeline.cost_ms(time, failed));
    if (failed) time = worst;
  }
  const auto n = static_cast<double>(time_ms.size());
  mean_cost = std::accumulate(cost_ms.begin(), cost_ms.end(), 0.0) / n;
  const auto good = std::upper_bound(worked.begin(), worked.end(), best + 0.05 * (median - best));
  budget = std::max(least_budget, static_cast<std::size_t>(
                                      std::ceil((n + 1) / (static_cast<double>(good - worked.begin()) + 1))));
  random = random_curve(time_ms, std::max<std::size_t>(budget, first_evaluations));
  random_by_time = simulated_random(*this);
}

std::vector<double> best_so_far(const Times& times, std::span<const Trace> traces, std::size_t evaluations) {
  std::vector<double> mean(evaluations, 0.0);
  for (const Trace& trace : traces) {
    double best = times.worst;
    for (std::size_t k = 0; k < evaluations; ++k) {
      if (k < trace.size()) best = std::min(best, times.time_ms[trace[k]]);
      mean[k] += best / static_cast<double>(traces.size());
    }
  }
  return mean;
}

Score score(const Times& times, std::span<const Trace> traces) {
  const std::vector<double> found = best_so_far(times, traces, times.random.size());
  std::vector<double> by_time(times.budget, 0.0);
  for (const Trace& trace : traces)
    add_by_time(times, trace, by_time, 1.0 / static_cast<double>(traces.size()));
  Score score;
  score.score = mean_share(times.random, found, times.best, times.budget);
  score.first20 = mean_share(times.random, found, times.best, first_evaluations);
  score.by_time = mean_share(times.random_by_time, by_time, times.best, times.budget);
  score.to_1_percent = evaluations_to(times, traces, 0.01);
  score.to_5_percent = evaluations_to(times, traces, 0.05);
  return score;
}

}  // namespace bench
