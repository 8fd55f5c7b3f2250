#include "tuner/measure/statistics.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace measure = tuner::measure;

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

  TEST_CASE("the ratio's interval is the whole range of a few pairs, and the same for the same seed") {
    const measure::Ratio few =
        measure::paired_ratio(std::array{2.0, 3.0, 4.0}, std::array{1.0, 1.0, 1.0}, 0.95, 1);
    CHECK(few.low == doctest::Approx(2));
    CHECK(few.high == doctest::Approx(4));
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
