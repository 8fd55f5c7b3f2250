#pragma once
#include <cstdint>
#include <span>
#include <string_view>

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

/// The median of the distances from the median, of at least one sample.
double median_deviation(std::span<const double> samples);

/// Of the standard normal distribution, p in (0, 1).
double normal_quantile(double p);

/// An interval that holds the median of what was sampled with a probability of at least 95 %, whatever its
/// distribution is: the k-th smallest and k-th largest of n samples, for the largest k with 2 P(Binomial(n,
/// 1/2) < k) <= 5 % (David and Nagaraja, Order Statistics, 3rd ed., section 7.1). Fewer than 6 samples cannot
/// say as much: theirs is their whole range.
Interval median_interval(std::span<const double> samples);

/// Of at least two samples that are nearly normal: the 95 % interval of their mean, by Student's t
/// distribution.
Interval mean_interval(std::span<const double> samples);

/// How many times as long `a` took as `b`, with an interval.
struct Ratio {
  double ratio = 1;
  double low = 1;
  double high = 1;
};

/// Of samples taken in pairs, a[i] and b[i] next to each other, so that drift hits both: the exponential of
/// the 20 % trimmed mean of log(a[i] / b[i]), and an interval that holds it with probability `confidence`. At
/// least one pair, all positive.
///
/// The trimmed mean has nine tenths of the mean's power where noise is normal, and bears a fifth of the pairs
/// being outliers; the median has two thirds. The interval is that of the percentile bootstrap (Efron and
/// Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13; with trimmed means: Wilcox, Introduction
/// to Robust Estimation and Hypothesis Testing, section 4.4), its percentiles widened to what a few pairs
/// allow (Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69, 2015,
/// section 4.2: else 8 pairs give 90 % for 95 %), after pairs farther than four deviations from the median
/// were moved in to there. Fewer than 6 pairs: their whole range.
Ratio paired_ratio(std::span<const double> a, std::span<const double> b, double confidence,
                   std::uint64_t seed);

/// The 20 % trimmed mean of at least one sample, and its standard error from the Winsorised variance (Yuen,
/// "The two-sample trimmed t for unequal population variances", Biometrika 61, 1974); of fewer than two
/// samples 0.
struct TrimmedMean {
  double mean = 0;
  double standard_error = 0;
};
TrimmedMean trimmed_mean(std::span<const double> samples);

enum class Verdict { faster, slower, tied };

/// `faster`, `slower`, `tied`
std::string_view to_string(Verdict verdict);

/// Of samples that were taken apart, at least one each and all positive: the median of `a` by that of `b`,
/// and the 95 % percentile bootstrap interval of it, both sides drawn again independently (Efron and
/// Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13). Fewer than 6 samples on a side
/// cannot say as much: then the interval is what their extremes allow, and beyond these 1.5 times for 1 or 2
/// samples and 1.15 times for more, as a race drops nothing for less after so few. It knows nothing of what
/// drifted between the two; samples in pairs do, see paired_ratio().
Ratio unpaired_ratio(std::span<const double> a, std::span<const double> b, std::uint64_t seed);

/// From the ratios of two times to a third: a by b. The interval holds whatever the two errors have in common
/// and is wider than it would have to be.
Ratio quotient(const Ratio& a, const Ratio& b);

/// The same seen from the other side.
Ratio inverse(const Ratio& ratio);

/// What a ratio of times says of the first: tied where its interval comes within a thousandth of 1, since two
/// copies of one kernel differ by as much.
Verdict verdict(const Ratio& ratio);

}  // namespace tuner::measure
