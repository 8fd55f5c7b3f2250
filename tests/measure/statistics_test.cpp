#include "tuner/measure/statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace measure = tuner::measure;

namespace {

std::vector<double> sorted(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples;
}

double plain_quantile(const std::vector<double>& samples, double p) {
  const std::vector<double> ordered = sorted(samples);
  const double position = p * static_cast<double>(ordered.size() - 1);
  const double below = std::floor(position);
  const auto at = [&](double place) {
    return ordered[std::min(static_cast<std::size_t>(place), ordered.size() - 1)];
  };
  return at(below) * (1 - (position - below)) + at(below + 1) * (position - below);
}

/// With Pascal's triangle for the binomial distribution: how many samples lie below the interval.
std::size_t plain_rank(std::size_t n) {
  std::vector<double> chances = {1};
  for (std::size_t toss = 0; toss < n; ++toss) {
    std::vector<double> next(chances.size() + 1);
    for (std::size_t i = 0; i < chances.size(); ++i) {
      next[i] += chances[i] / 2;
      next[i + 1] += chances[i] / 2;
    }
    chances = next;
  }
  std::size_t best = 0;
  for (std::size_t k = 1; 2 * k <= n; ++k) {
    double outside = 0;  // the median is below the k-th smallest, or above the k-th largest
    for (std::size_t i = 0; i < k; ++i) outside += chances[i] + chances[n - i];
    if (outside <= 0.05) best = k - 1;
  }
  return best;
}

std::vector<double> plainly_trimmed(const std::vector<double>& samples) {
  std::vector<double> ordered = sorted(samples);
  const std::size_t cut = ordered.size() / 5;
  ordered.erase(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(cut));
  ordered.resize(ordered.size() - cut);
  return ordered;
}

double mean_of(const std::vector<double>& samples) {
  double sum = 0;
  for (const double sample : samples) sum += sample;
  return sum / static_cast<double>(samples.size());
}

double plain_error(const std::vector<double>& samples) {
  const std::vector<double> kept = plainly_trimmed(samples);
  std::vector<double> winsorised;
  for (const double sample : samples) winsorised.push_back(std::clamp(sample, kept.front(), kept.back()));
  const double mean = mean_of(winsorised);
  double squares = 0;
  for (const double value : winsorised) squares += (value - mean) * (value - mean);
  const auto n = static_cast<double>(samples.size());
  return std::sqrt(squares / (n - 1)) / (0.6 * std::sqrt(n));
}

/// What Student's t exceeds with probability `p`, from its density.
double plain_student(double p, double freedom) {
  const double scale = std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2)) /
                       std::sqrt(freedom * std::acos(-1.0));
  constexpr double step = 1e-4;
  double below = 0.5;
  double t = 0;
  for (; below < 1 - p; t += step)
    below += step * scale * std::pow(1 + (t + step / 2) * (t + step / 2) / freedom, -(freedom + 1) / 2);
  return t;
}

struct PlainRatio {
  double log_ratio = 0;
  std::vector<double> means;  ///< of the resamples
  double outside = 0;         ///< share of the means beyond either end of the interval
};

PlainRatio plain_ratio(const std::vector<double>& a, const std::vector<double>& b, double confidence,
                       std::uint64_t seed) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < a.size(); ++i) logs.push_back(std::log(a[i] / b[i]));
  logs = sorted(logs);
  const double centre = plain_quantile(logs, 0.5);
  std::vector<double> distances;
  for (const double value : logs) distances.push_back(std::fabs(value - centre));
  const double most = 4 * 1.4826 * plain_quantile(distances, 0.5);
  for (double& value : logs)
    if (most > 0) value = std::min(std::max(value, centre - most), centre + most);
  PlainRatio out;
  out.log_ratio = mean_of(plainly_trimmed(logs));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> drawn;
    for (std::size_t j = 0; j < logs.size(); ++j) drawn.push_back(logs[random() % logs.size()]);
    out.means.push_back(mean_of(plainly_trimmed(drawn)));
  }
  const auto pairs = static_cast<double>(logs.size());
  const double t = plain_student((1 - confidence) / 2, pairs - 1);
  out.outside = std::erfc(std::sqrt(pairs / (pairs - 1)) * t / std::sqrt(2.0)) / 2;
  return out;
}

/// Of few different values, so that many are the same; now and then one that is far off.
std::vector<double> random_samples(std::size_t n, std::mt19937_64& random) {
  const std::uint64_t different = 1 + random() % 30;
  std::vector<double> samples;
  for (std::size_t i = 0; i < n; ++i) {
    samples.push_back(100 + static_cast<double>(random() % different));
    if (random() % 12 == 0) samples.back() *= 1 + static_cast<double>(random() % 5);
  }
  return samples;
}

}  // namespace

TEST_SUITE("tuner::measure statistics") {
  TEST_CASE("the median is the middle sample, or the mean of the middle two") {
    CHECK(measure::median(std::array{7.0}) == 7);
    CHECK(measure::median(std::array{3.0, 1.0, 2.0}) == 2);
    CHECK(measure::median(std::array{4.0, 1.0, 3.0, 2.0}) == 2.5);
  }

  TEST_CASE("quantiles interpolate between order statistics") {
    const std::array samples = {50.0, 10.0, 40.0, 20.0, 30.0};
    CHECK(measure::quantile(samples, 0) == 10);
    CHECK(measure::quantile(samples, 0.25) == 20);
    CHECK(measure::quantile(samples, 0.9) == doctest::Approx(46));
    CHECK(measure::quantile(samples, 1) == 50);
  }

  TEST_CASE("the interval of the median has the ranks of the tables") {
    // Conover, Practical Nonparametric Statistics: the 6th of 20, the 2nd of 10, the 40th of 100 from either
    // end
    const auto ranks = [](int n) {
      std::vector<double> samples;
      for (int i = n; i >= 1; --i) samples.push_back(i);
      return measure::median_interval(samples);
    };
    CHECK(ranks(20).low == 6);
    CHECK(ranks(20).high == 15);
    CHECK(ranks(10).low == 2);
    CHECK(ranks(10).high == 9);
    CHECK(ranks(100).low == 40);
    CHECK(ranks(100).high == 61);
    CHECK(ranks(6).low == 1);
    CHECK(ranks(6).high == 6);
  }

  TEST_CASE("too few samples for an interval give their whole range") {
    CHECK(measure::median_interval(std::array{2.0, 9.0, 5.0}).low == 2);
    CHECK(measure::median_interval(std::array{2.0, 9.0, 5.0}).high == 9);
    CHECK(measure::median_interval(std::array{4.0}).low == 4);
  }

  TEST_CASE("thousands of samples do not underflow") {
    std::vector<double> samples(5000);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<double>(i);
    const measure::Interval interval = measure::median_interval(samples);
    CHECK(interval.low == doctest::Approx(2500 - 0.98 * std::sqrt(5000.0)).epsilon(0.002));
    CHECK(interval.high == doctest::Approx(2499 + 0.98 * std::sqrt(5000.0)).epsilon(0.002));
  }

  TEST_CASE("the interval holds the true median in at least 95 of 100 experiments, skewed as times are") {
    std::mt19937_64 random(20240607);
    std::lognormal_distribution<double> times(3, 0.4);  // median e^3
    for (const std::size_t n : {6U, 11U, 20U, 60U}) {
      int held = 0;
      constexpr int experiments = 4000;
      for (int i = 0; i < experiments; ++i) {
        std::vector<double> samples(n);
        for (double& sample : samples) sample = times(random);
        const measure::Interval interval = measure::median_interval(samples);
        held += interval.low <= std::exp(3.0) && std::exp(3.0) <= interval.high ? 1 : 0;
      }
      CAPTURE(n);
      CHECK(held >= 0.95 * experiments - 3 * std::sqrt(0.95 * 0.05 * experiments));
      CHECK(held <= 0.99 * experiments);  // an interval that is never wrong is too wide
    }
  }

  TEST_CASE("the trimmed mean leaves out a fifth at either end") {
    CHECK(measure::trimmed_mean(std::array{1.0, 2.0, 3.0, 4.0, 1e9}).mean == 3);
    CHECK(measure::trimmed_mean(std::array{7.0}).mean == 7);
    CHECK(measure::trimmed_mean(std::array{7.0}).standard_error == 0);
    // Wilcox, Introduction to Robust Estimation and Hypothesis Testing, section 3.3: the self-awareness data
    const std::array awareness = {77.0,  87.0,  88.0,  114.0, 151.0, 210.0, 219.0, 246.0,  253.0, 262.0,
                                  296.0, 299.0, 306.0, 376.0, 428.0, 515.0, 666.0, 1310.0, 2611.0};
    const auto trimmed = measure::trimmed_mean(awareness);
    CHECK(trimmed.mean == doctest::Approx(282.7).epsilon(0.001));
    CHECK(trimmed.standard_error == doctest::Approx(56.1).epsilon(0.005));
  }

  TEST_CASE("what is the same in both halves of each pair is not in their ratio") {
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < 20; ++i) {
      b.push_back(100 + 10 * std::sin(i));
      a.push_back(1.05 * b.back());
    }
    a[3] *= 3;  // an interruption
    const measure::Ratio ratio = measure::paired_ratio(a, b, 0.95, 1);
    CHECK(ratio.ratio == doctest::Approx(1.05));
    CHECK(ratio.low == doctest::Approx(1.05));
    CHECK(ratio.high == doctest::Approx(1.05));
  }

  TEST_CASE("where more than half the pairs are alike, those that are far off still count") {
    std::vector<double> a(20, 100);
    const std::vector<double> b(20, 100);
    for (std::size_t i = 11; i < a.size(); ++i) a[i] = 150;
    const measure::Ratio ratio = measure::paired_ratio(a, b, 0.95, 1);
    CHECK(ratio.ratio == doctest::Approx(std::exp(std::log(1.5) * 5 / 12)));  // 4 at either end are trimmed
    CHECK(ratio.low == doctest::Approx(1).epsilon(0.01));
    CHECK(ratio.high > 1.4);
  }

  TEST_CASE("quantiles, intervals and trimmed means are those of a slow and obvious computation") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      const std::vector<double> samples = random_samples(1 + random() % 80, random);
      const std::vector<double> ordered = sorted(samples);
      const double p = static_cast<double>(random() % 1001) / 1000;
      CHECK(measure::quantile(samples, p) == doctest::Approx(plain_quantile(samples, p)).epsilon(1e-12));
      CHECK(measure::median(samples) == doctest::Approx(plain_quantile(samples, 0.5)).epsilon(1e-12));
      const std::size_t rank = plain_rank(samples.size());
      CHECK(measure::median_interval(samples).low == ordered[rank]);
      CHECK(measure::median_interval(samples).high == ordered[ordered.size() - 1 - rank]);
      const measure::TrimmedMean trimmed = measure::trimmed_mean(samples);
      CHECK(trimmed.mean == doctest::Approx(mean_of(plainly_trimmed(samples))).epsilon(1e-12));
      if (samples.size() > 1)
        CHECK(trimmed.standard_error == doctest::Approx(plain_error(samples)).epsilon(1e-9));
    }
  }

  TEST_CASE("the ratio of pairs and its interval are those of a slow and obvious computation") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      const std::size_t pairs = 1 + random() % 24;
      const std::vector<double> a = random_samples(pairs, random);
      const std::vector<double> b = random_samples(pairs, random);
      const double confidence = 1 - 0.05 / static_cast<double>(1 + random() % 9);
      const measure::Ratio ratio = measure::paired_ratio(a, b, confidence, seed);
      if (pairs < 6) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < pairs; ++i) ratios.push_back(a[i] / b[i]);
        CHECK(ratio.low == doctest::Approx(sorted(ratios).front()).epsilon(1e-12));
        CHECK(ratio.high == doctest::Approx(sorted(ratios).back()).epsilon(1e-12));
        continue;
      }
      const PlainRatio plain = plain_ratio(a, b, confidence, seed);
      CHECK(std::log(ratio.ratio) == doctest::Approx(plain.log_ratio).epsilon(1e-9));
      // The quantile of Student's t is an approximation, a per cent off at most.
      const auto beyond = [&](double share) { return plain_quantile(plain.means, share * plain.outside); };
      const auto above = [&](double share) { return plain_quantile(plain.means, 1 - share * plain.outside); };
      constexpr double rounding = 1e-9;
      CHECK(std::log(ratio.low) >= beyond(0.9) - rounding);
      CHECK(std::log(ratio.low) <= beyond(1.1) + rounding);
      CHECK(std::log(ratio.high) >= above(1.1) - rounding);
      CHECK(std::log(ratio.high) <= above(0.9) + rounding);
    }
  }

  TEST_CASE("the ratio's interval is the whole range of a few pairs, and the same for the same seed") {
    const measure::Ratio few =
        measure::paired_ratio(std::array{2.0, 3.0, 4.0}, std::array{1.0, 1.0, 1.0}, 0.95, 1);
    CHECK(few.low == doctest::Approx(2));
    CHECK(few.high == doctest::Approx(4));
    const std::array<double, 5> ones = {1, 1, 1, 1, 1};
    const measure::Ratio five = measure::paired_ratio(std::array{5.0, 1.0, 4.0, 2.0, 3.0}, ones, 0.5, 1);
    CHECK(five.low == doctest::Approx(1));
    CHECK(five.high == doctest::Approx(5));
    const std::array a = {1.0, 1.1, 1.2, 0.9, 1.3, 1.05, 0.8, 1.15};
    const std::array b = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    CHECK(measure::paired_ratio(a, b, 0.95, 4).low == measure::paired_ratio(a, b, 0.95, 4).low);
    CHECK(measure::paired_ratio(a, b, 0.95, 4).low != measure::paired_ratio(a, b, 0.95, 5).low);
    CHECK(measure::paired_ratio(a, b, 0.99, 4).low < measure::paired_ratio(a, b, 0.95, 4).low);
  }

  TEST_CASE("the ratio's interval holds the true one about as often as it says") {
    std::mt19937_64 random(20240608);
    std::normal_distribution<double> noise(0, 0.005);
    for (const std::size_t n : {8U, 20U, 60U}) {
      int held = 0;
      constexpr int experiments = 400;
      for (int i = 0; i < experiments; ++i) {
        std::vector<double> a(n);
        std::vector<double> b(n);
        for (double& time : a) time = 1.02 * std::exp(noise(random));
        for (double& time : b) time = std::exp(noise(random));
        const measure::Ratio ratio = measure::paired_ratio(a, b, 0.95, static_cast<std::uint64_t>(i));
        held += ratio.low <= 1.02 && 1.02 <= ratio.high ? 1 : 0;
      }
      CAPTURE(n);
      CHECK(held >= 0.95 * experiments - 3 * std::sqrt(0.95 * 0.05 * experiments));
      CHECK(held <= 0.99 * experiments);
    }
  }
}
