#pragma once
#include <span>

namespace tuner::measure {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Of at least one sample, in any order: the middle one, or the mean of the middle two.
double median(std::span<const double> samples);

/// The `p`-quantile, p in [0, 1], of at least one sample, interpolated linearly between order statistics
/// (definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician
/// 50, 1996).
double quantile(std::span<const double> samples, double p);

/// An interval that holds the median of what was sampled with a probability of at least 95 %, whatever its
/// distribution is: the k-th smallest and k-th largest of n samples, for the largest k with 2 P(Binomial(n,
/// 1/2) < k) <= 5 % (David and Nagaraja, Order Statistics, 3rd ed., section 7.1). Fewer than 6 samples cannot
/// say as much: theirs is their whole range.
Interval median_interval(std::span<const double> samples);

}  // namespace tuner::measure
