#include "tuner/measure/statistics.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace tuner::measure {
namespace {

constexpr double doubt = 0.05;
constexpr double trimmed_share = 0.2;  ///< from either end
constexpr int bootstrap_samples = 2000;
constexpr std::size_t fewest = 6;  ///< samples or pairs that a 95 % interval needs
constexpr double outlier_deviations = 4;

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> out(samples.begin(), samples.end());
  std::sort(out.begin(), out.end());
  return out;
}

/// The interval's rank from either end, counted from 0. Boost rounds a quantile of less than a half down.
std::size_t interval_rank(std::size_t n) {
  const boost::math::binomial below_median(static_cast<double>(n), 0.5);
  return static_cast<std::size_t>(boost::math::quantile(below_median, doubt / 2));
}

std::size_t trimmed_count(std::size_t n) {
  return static_cast<std::size_t>(trimmed_share * static_cast<double>(n));
}

double student_quantile(double p, double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), p);
}

/// The trimmed mean of what `counts` says how often was drawn of each of `ordered`.
double trimmed_mean_of(const std::vector<double>& ordered, const std::vector<int>& counts) {
  const auto cut = static_cast<int>(trimmed_count(ordered.size()));
  const int end = static_cast<int>(ordered.size()) - cut;
  double sum = 0;
  int rank = 0;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const int from = std::max(rank, cut);
    rank += counts[i];
    sum += std::max(std::min(rank, end) - from, 0) * ordered[i];
  }
  return sum / (end - cut);
}

/// Moves outliers in to where they are still the outermost: a resample that drew one of them more often than
/// trimming takes away would else be all about it. Deviations are estimated as 1.4826 times the median
/// absolute one, which for normal noise is the standard deviation; where most values are alike that is 0, and
/// says nothing.
void move_outliers_in(std::vector<double>& ordered) {
  const double centre = median(ordered);
  const double most = outlier_deviations * 1.4826 * median_deviation(ordered);
  if (most == 0) return;
  for (double& value : ordered) value = std::clamp(value, centre - most, centre + most);
}

/// Of the trimmed mean of at least fewest values.
Interval bootstrap_interval(const std::vector<double>& ordered, double confidence, std::uint64_t seed) {
  const std::size_t n = ordered.size();
  std::mt19937_64 random(seed);
  std::vector<int> counts(n);
  std::vector<double> means;
  means.reserve(bootstrap_samples);
  for (int i = 0; i < bootstrap_samples; ++i) {
    std::fill(counts.begin(), counts.end(), 0);
    for (std::size_t draw = 0; draw < n; ++draw) ++counts[random() % n];
    means.push_back(trimmed_mean_of(ordered, counts));
  }
  const auto pairs = static_cast<double>(n);
  const double outside =
      boost::math::cdf(boost::math::normal(),
                       -std::sqrt(pairs / (pairs - 1)) * student_quantile((1 + confidence) / 2, pairs - 1));
  return {quantile(means, outside), quantile(means, 1 - outside)};
}

}  // namespace

double median_deviation(std::span<const double> samples) {
  const double centre = median(samples);
  std::vector<double> distances;
  for (const double value : samples) distances.push_back(std::fabs(value - centre));
  return median(distances);
}

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal(), p);
}

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

Interval mean_interval(std::span<const double> samples) {
  const auto count = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  const double error = std::sqrt(squares / (count - 1) / count);
  const double margin = student_quantile(1 - doubt / 2, count - 1) * error;
  return {mean - margin, mean + margin};
}

Interval median_interval(std::span<const double> samples) {
  const std::vector<double> ordered = sorted(samples);
  const std::size_t rank = interval_rank(ordered.size());
  return {ordered[rank], ordered[ordered.size() - 1 - rank]};
}

Ratio paired_ratio(std::span<const double> a, std::span<const double> b, double confidence,
                   std::uint64_t seed) {
  std::vector<double> logs(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) logs[i] = std::log(a[i] / b[i]);
  std::sort(logs.begin(), logs.end());
  if (logs.size() >= fewest) move_outliers_in(logs);
  const Interval interval =
      logs.size() < fewest ? Interval{logs.front(), logs.back()} : bootstrap_interval(logs, confidence, seed);
  return {std::exp(trimmed_mean(logs).mean), std::exp(interval.low), std::exp(interval.high)};
}

TrimmedMean trimmed_mean(std::span<const double> samples) {
  std::vector<double> ordered = sorted(samples);
  const std::size_t n = ordered.size();
  const std::size_t cut = trimmed_count(n);
  TrimmedMean out;
  for (std::size_t i = cut; i < n - cut; ++i) out.mean += ordered[i];
  out.mean /= static_cast<double>(n - 2 * cut);
  if (n < 2) return out;

  std::fill_n(ordered.begin(), cut, ordered[cut]);
  std::fill_n(ordered.rbegin(), cut, ordered[n - 1 - cut]);
  double winsorised_mean = 0;
  for (const double value : ordered) winsorised_mean += value / static_cast<double>(n);
  double squares = 0;
  for (const double value : ordered) squares += (value - winsorised_mean) * (value - winsorised_mean);
  const double deviation = std::sqrt(squares / static_cast<double>(n - 1));
  out.standard_error = deviation / ((1 - 2 * trimmed_share) * std::sqrt(static_cast<double>(n)));
  return out;
}

namespace {

constexpr double indifference = 0.001;

/// The median of as many draws from `samples`, with replacement, as there are. The integer generator is used
/// without a distribution, which would differ between libraries; its bias is below 1e-15.
double redrawn_median(std::span<const double> samples, std::mt19937_64& random, std::vector<double>& drawn) {
  drawn.resize(samples.size());
  for (double& value : drawn) value = samples[random() % samples.size()];
  return median(drawn);
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 3> words = {"faster", "slower", "tied"};
  return words.at(static_cast<std::size_t>(verdict));
}

Ratio unpaired_ratio(std::span<const double> a, std::span<const double> b, std::uint64_t seed) {
  Ratio out;
  out.ratio = median(a) / median(b);
  if (const std::size_t least = std::min(a.size(), b.size()); least < fewest) {
    const double doubt = least < 3 ? 1.5 : 1.15;
    const auto [fastest_a, slowest_a] = std::minmax_element(a.begin(), a.end());
    const auto [fastest_b, slowest_b] = std::minmax_element(b.begin(), b.end());
    out.low = *fastest_a / *slowest_b / doubt;
    out.high = *slowest_a / *fastest_b * doubt;
    return out;
  }
  std::mt19937_64 random(seed);
  std::vector<double> drawn;
  std::vector<double> ratios(bootstrap_samples);
  for (double& ratio : ratios) {
    const double of_a = redrawn_median(a, random, drawn);
    ratio = of_a / redrawn_median(b, random, drawn);
  }
  out.low = std::min(quantile(ratios, 0.025), out.ratio);
  out.high = std::max(quantile(ratios, 0.975), out.ratio);
  return out;
}

Ratio quotient(const Ratio& a, const Ratio& b) {
  return {a.ratio / b.ratio, a.low / b.high, a.high / b.low};
}

Ratio inverse(const Ratio& ratio) {
  return {1 / ratio.ratio, 1 / ratio.high, 1 / ratio.low};
}

Verdict verdict(const Ratio& ratio) {
  if (ratio.high < 1 - indifference) return Verdict::faster;
  return ratio.low > 1 + indifference ? Verdict::slower : Verdict::tied;
}

}  // namespace tuner::measure
