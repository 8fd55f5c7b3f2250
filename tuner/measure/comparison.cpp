#include "tuner/measure/comparison.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace tuner::measure {
namespace {

constexpr int resamples = 2000;
constexpr std::size_t least_samples = 6;
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
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::tied:
      break;
  }
  return "tied";
}

Ratio unpaired_ratio(std::span<const double> a, std::span<const double> b, std::uint64_t seed) {
  Ratio out;
  out.ratio = median(a) / median(b);
  if (std::min(a.size(), b.size()) < least_samples) {
    const auto [fastest_a, slowest_a] = std::minmax_element(a.begin(), a.end());
    const auto [fastest_b, slowest_b] = std::minmax_element(b.begin(), b.end());
    out.low = *fastest_a / *slowest_b;
    out.high = *slowest_a / *fastest_b;
    return out;
  }
  std::mt19937_64 random(seed);
  std::vector<double> drawn;
  std::vector<double> ratios(resamples);
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
