#include "tuner/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tuner::measure {
namespace {

constexpr double doubt = 0.05;

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> out(samples.begin(), samples.end());
  std::sort(out.begin(), out.end());
  return out;
}

/// P(Binomial(n, 1/2) = i). Through logarithms: 2^-n alone would underflow for n > 1074.
double binomial_half(std::size_t n, std::size_t i) {
  const auto log_factorial = [](std::size_t k) { return std::lgamma(static_cast<double>(k) + 1); };
  return std::exp(log_factorial(n) - log_factorial(i) - log_factorial(n - i) -
                  static_cast<double>(n) * std::log(2.0));
}

/// The interval's rank from either end, counted from 0.
std::size_t interval_rank(std::size_t n) {
  double outside = 0;
  std::size_t rank = 0;
  while (rank < n / 2) {
    outside += 2 * binomial_half(n, rank);
    if (outside > doubt) break;
    ++rank;
  }
  return rank == 0 ? 0 : rank - 1;
}

}  // namespace

double median(std::span<const double> samples) {
  return quantile(samples, 0.5);
}

double quantile(std::span<const double> samples, double p) {
  const std::vector<double> ordered = sorted(samples);
  const double position = p * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= ordered.size()) return ordered.back();
  const double share = position - static_cast<double>(below);
  return ordered[below] + share * (ordered[below + 1] - ordered[below]);
}

Interval median_interval(std::span<const double> samples) {
  const std::vector<double> ordered = sorted(samples);
  const std::size_t rank = interval_rank(ordered.size());
  return {ordered[rank], ordered[ordered.size() - 1 - rank]};
}

}  // namespace tuner::measure
