#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tuner/measure/statistics.hpp"

using namespace tuner::measure;

namespace {

/// Normal noise of `spread` around `level`; Box and Muller, so that every library draws the same.
std::vector<double> noisy(double level, double spread, int count, std::mt19937_64& random) {
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) {
    const double normal = std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
    samples.push_back(level * (1 + spread * normal));
  }
  return samples;
}

int count(Verdict wanted, double b_level) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto a = noisy(1000, 0.005, 20, random);
    const auto b = noisy(b_level, 0.005, 20, random);
    found += verdict(unpaired_ratio(a, b, seed)) == wanted ? 1 : 0;
  }
  return found;
}

}  // namespace

TEST_SUITE("tuner::measure") {
  TEST_CASE("samples of the same kernel taken apart are tied, a real difference is found in its direction") {
    CHECK(count(Verdict::tied, 1000) >= 190);
    CHECK(count(Verdict::faster, 1015) >= 190);
    CHECK(count(Verdict::slower, 985) >= 190);
  }

  TEST_CASE("the ratio is that of the medians, the same each time, and its interval holds it") {
    std::mt19937_64 random(7);
    const auto a = noisy(1000, 0.02, 15, random);
    const auto b = noisy(1100, 0.02, 11, random);
    const Ratio ratio = unpaired_ratio(a, b, 3);
    CHECK(ratio.ratio == doctest::Approx(median(a) / median(b)));
    CHECK(ratio.low <= ratio.ratio);
    CHECK(ratio.high >= ratio.ratio);
    CHECK(unpaired_ratio(a, b, 3).low == ratio.low);
  }

  TEST_CASE("a few samples say no more than their extremes, and the doubt of few") {
    const Ratio ratio = unpaired_ratio(std::vector<double>{10, 11, 12}, std::vector<double>{20}, 1);
    CHECK(ratio.ratio == doctest::Approx(0.55));
    CHECK(ratio.low == doctest::Approx(0.5 / 1.5));
    CHECK(ratio.high == doctest::Approx(0.6 * 1.5));
    CHECK(verdict(ratio) == Verdict::faster);
  }

  TEST_CASE("the extremes are taken, with what few samples leave open, where a side has fewer than six") {
    const std::vector<double> six = {10, 11, 12, 13, 14, 15};
    const std::vector<double> five = {20, 21, 22, 23, 24};
    for (const Ratio& ratio : {unpaired_ratio(six, five, 1), inverse(unpaired_ratio(five, six, 1))}) {
      CHECK(ratio.low == doctest::Approx(10.0 / 24 / 1.15));
      CHECK(ratio.high == doctest::Approx(15.0 / 20 * 1.15));
    }
    const std::vector<double> alike(6, 20);
    CHECK(unpaired_ratio(alike, alike, 1).low == 1);
    const Ratio bootstrapped = unpaired_ratio(six, alike, 1);
    CHECK(bootstrapped.low > 0.5);  // no median of six draws is six times the least
    CHECK(bootstrapped.high < 0.75);
  }

  TEST_CASE("a single sample decides what a race decides by one, and no less") {
    const auto of_samples = [](double a, double b) {
      return verdict(unpaired_ratio(std::vector{a}, std::vector{b}, 1));
    };
    CHECK(of_samples(1000, 1000) == Verdict::tied);
    CHECK(of_samples(1400, 1000) == Verdict::tied);
    CHECK(of_samples(1000, 1400) == Verdict::tied);
    CHECK(of_samples(1600, 1000) == Verdict::slower);
    CHECK(of_samples(1000, 1600) == Verdict::faster);
  }

  TEST_CASE("the interval is that of medians drawn again on both sides, with 95 %") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      const auto a = noisy(1000, 0.02, 6 + static_cast<int>(random() % 20), random);
      const auto b = noisy(1000, 0.02, 6 + static_cast<int>(random() % 20), random);
      std::mt19937_64 again(seed + 100);
      const auto drawn_median = [&](const std::vector<double>& samples) {
        std::vector<double> drawn;
        for (std::size_t i = 0; i < samples.size(); ++i) drawn.push_back(samples[again() % samples.size()]);
        return median(drawn);
      };
      std::vector<double> ratios;
      for (int i = 0; i < 4000; ++i) {
        const double of_a = drawn_median(a);
        ratios.push_back(of_a / drawn_median(b));
      }
      const Ratio ratio = unpaired_ratio(a, b, seed);  // another generator: alike within what chance allows
      const double least = std::min(quantile(ratios, 0.015), ratio.ratio);
      const double most = std::max(quantile(ratios, 0.985), ratio.ratio);
      CHECK(ratio.low >= least);
      CHECK(ratio.low <= std::min(quantile(ratios, 0.037), ratio.ratio));
      CHECK(ratio.high <= most);
      CHECK(ratio.high >= std::max(quantile(ratios, 0.963), ratio.ratio));
    }
  }

  TEST_CASE("seen from the other side a ratio is its inverse, and its ends change places") {
    const Ratio ratio = inverse({1.25, 1.2, 1.3});
    CHECK(ratio.ratio == doctest::Approx(0.8));
    CHECK(ratio.low == doctest::Approx(1 / 1.3));
    CHECK(ratio.high == doctest::Approx(1 / 1.2));
    CHECK(to_string(Verdict::faster) == "faster");
    CHECK(to_string(Verdict::slower) == "slower");
    CHECK(to_string(Verdict::tied) == "tied");
  }

  TEST_CASE("two ratios to a third become one, no narrower than either error allows") {
    const Ratio ratio = quotient({1.1, 1.09, 1.11}, {1.05, 1.04, 1.06});
    CHECK(ratio.ratio == doctest::Approx(1.1 / 1.05));
    CHECK(ratio.low == doctest::Approx(1.09 / 1.06));
    CHECK(ratio.high == doctest::Approx(1.11 / 1.04));
    CHECK(quotient({}, {}).ratio == 1);
  }

  TEST_CASE("within a thousandth of 1 nothing is faster or slower") {
    CHECK(verdict({0.9985, 0.998, 0.9989}) == Verdict::faster);
    CHECK(verdict({0.9995, 0.9994, 0.9996}) == Verdict::tied);
    CHECK(verdict({1.05, 1.0009, 1.1}) == Verdict::tied);
    CHECK(verdict({1.05, 1.002, 1.1}) == Verdict::slower);
  }
}
