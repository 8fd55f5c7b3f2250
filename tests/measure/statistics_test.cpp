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
}
