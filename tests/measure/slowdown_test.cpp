#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tuner/measure/sampler.hpp"
#include "tuner/measure/statistics.hpp"

using namespace tuner::measure;

namespace {

/// What was seen of 29 sizes of a matrix product on an H200, six processes one after the other: samples lie
/// above a floor that shifts by 0.06 % from process to process; at one size in six a process meets lowered
/// clocks, for some of its samples, by up to 6 %.
class Occasions {
 public:
  explicit Occasions(std::uint64_t seed) : m_random(seed) {}

  std::vector<double> samples(double level) {
    const double floor = level * (1 + 0.0006 * normal());
    const bool lowered = uniform() < 1.0 / 6;
    const double depth = 0.06 * uniform();
    std::vector<double> out;
    for (int i = 0; i < 30; ++i) {
      const double above = -0.0008 * std::log(uniform());  // exponential
      const bool slow = lowered && i >= 3 && uniform() < 0.7;
      out.push_back(floor * (1 + above + (slow ? depth : 0)));
    }
    return out;
  }

 private:
  double uniform() { return (static_cast<double>(m_random() >> 11) + 0.5) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }
  std::mt19937_64 m_random;
};

/// Two occasions of `sizes` problems; the first is `slower` at problem 0.
std::vector<Slowdown> compared(std::uint64_t seed, int sizes, double slower, double limit) {
  Occasions occasions(seed);
  std::vector<std::vector<double>> a;
  std::vector<std::vector<double>> b;
  for (int i = 0; i < sizes; ++i) {
    const double level = 1000.0 * (i + 1);
    a.push_back(occasions.samples(level * (i == 0 ? slower : 1)));
    b.push_back(occasions.samples(level));
  }
  std::vector<TwoOccasions> problems;
  for (int i = 0; i < sizes; ++i)
    problems.push_back({a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(i)]});
  return slowdowns(problems, limit);
}

int comparisons_with_alarm(int comparisons, int sizes, double limit) {
  int found = 0;
  for (int seed = 0; seed < comparisons; ++seed) {
    bool any = false;
    for (const Slowdown& one : compared(static_cast<std::uint64_t>(seed), sizes, 1, limit))
      any = any || one.allowed == Allowed::no;
    found += any ? 1 : 0;
  }
  return found;
}

}  // namespace

TEST_SUITE("tuner::measure") {
  TEST_CASE("of 1000 comparisons of unchanged kernels at 29 sizes at most ten find one that is slower") {
    CHECK(comparisons_with_alarm(1000, 29, 0.01) <= 10);
    CHECK(comparisons_with_alarm(1000, 29, 0) <= 10);
    CHECK(comparisons_with_alarm(1000, 3, 0) <= 10);
  }

  TEST_CASE("two per cent at one of 29 sizes are found in 95 of 100 comparisons where one is allowed") {
    int found = 0;
    int others = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      const auto slowdowns = compared(seed, 29, 1.02, 0.01);
      found += slowdowns[0].allowed == Allowed::no ? 1 : 0;
      for (std::size_t i = 1; i < slowdowns.size(); ++i)
        others += slowdowns[i].allowed == Allowed::no ? 1 : 0;
    }
    CHECK(found >= 380);
    CHECK(others <= 4);
  }

  TEST_CASE("a slowdown at the limit is undecided, one far below it is allowed") {
    int undecided = 0;
    int allowed = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      undecided += compared(seed, 29, 1.01, 0.01)[0].allowed == Allowed::undecided ? 1 : 0;
      allowed += compared(seed, 29, 1, 0.01)[0].allowed == Allowed::yes ? 1 : 0;
    }
    CHECK(undecided >= 90);
    CHECK(allowed >= 95);
  }

  TEST_CASE("a clock that was lowered for most of one occasion is no slowdown") {
    std::vector<double> steady;
    std::vector<double> lowered;
    for (int i = 0; i < 30; ++i) {
      steady.push_back(1000 + 0.1 * i);
      lowered.push_back(i < 3 ? 1000.2 + 0.1 * i : 1060 + 0.1 * i);
    }
    const auto judged = slowdowns({{lowered, steady}}, 0.01);
    CHECK(judged[0].allowed == Allowed::yes);
    CHECK(judged[0].ratio == doctest::Approx(1.0002));
  }

  TEST_CASE("margins are of the problems' scatter and of each one's own spacing, for all of them together") {
    for (const int sizes : {1, 7, 8, 20}) {
      CAPTURE(sizes);
      Occasions occasions(static_cast<std::uint64_t>(sizes));
      std::vector<std::vector<double>> a;
      std::vector<std::vector<double>> b;
      std::vector<TwoOccasions> problems;
      for (int i = 0; i < sizes; ++i) {
        a.push_back(occasions.samples(1010 * (i + 1)));
        b.push_back(occasions.samples(1000 * (i + 1)));
      }
      std::vector<double> logs;
      std::vector<double> spacing;
      for (std::size_t i = 0; i < a.size(); ++i) {
        problems.push_back({a[i], b[i]});
        std::vector<double> left = a[i];
        std::vector<double> right = b[i];
        std::sort(left.begin(), left.end());
        std::sort(right.begin(), right.end());
        logs.push_back(std::log(left[0] / right[0]));
        spacing.push_back(std::hypot(std::log(left[1] / left[0]), std::log(right[1] / right[0])) / 2);
      }
      const double middle = median(logs);
      std::vector<double> distances;
      for (const double one : logs) distances.push_back(std::fabs(one - middle));
      const double n = sizes;
      const double scatter =
          sizes < 8 ? 0.0012 : std::max(0.0007, 1.4826 * median(distances) * (1 + 1.2 / std::sqrt(n)));
      double deviate = 0;  // what a normal variable exceeds with 1 % divided by n
      while (std::erfc(deviate / std::sqrt(2.0)) / 2 > 0.01 / n) deviate += 1e-6;
      const auto judged = slowdowns(problems, 0.01);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double margin = deviate * std::hypot(scatter, spacing[i]);
        CHECK(std::log(judged[i].ratio) == doctest::Approx(logs[i]).epsilon(1e-9));
        CHECK(logs[i] - std::log(judged[i].low) == doctest::Approx(margin).epsilon(1e-4));
        CHECK(std::log(judged[i].high) - logs[i] == doctest::Approx(margin).epsilon(1e-4));
        const Allowed expected = judged[i].low > 1.01     ? Allowed::no
                                 : judged[i].high <= 1.01 ? Allowed::yes
                                                          : Allowed::undecided;
        CHECK(judged[i].allowed == expected);
      }
    }
  }

  TEST_CASE("where the fastest samples of a side are far apart, nobody knows how fast it is") {
    const std::vector<double> close = {1000, 1000.1, 1001};
    const std::vector<double> apart = {1030, 1100, 1200};
    CHECK(slowdowns({{{std::vector<double>{1030, 1030.1, 1031}}, close}}, 0.01)[0].allowed == Allowed::no);
    CHECK(slowdowns({{apart, close}}, 0.01)[0].allowed == Allowed::undecided);
    CHECK(slowdowns({{close, apart}}, 0.01)[0].allowed == Allowed::undecided);
  }

  TEST_CASE("what is allowed, too slow or undecided is called so") {
    CHECK(to_string(Allowed::yes) == "allowed");
    CHECK(to_string(Allowed::no) == "too slow");
    CHECK(to_string(Allowed::undecided) == "undecided");
  }

  TEST_CASE("one or two samples a side decide only where the difference is large, as in a comparison") {
    const std::vector<double> one = {100};
    const std::vector<double> close = {100, 100.1};
    const std::vector<double> by_half = {149};
    const std::vector<double> twice = {200, 200.1};
    for (const auto& fast : {one, close}) {
      CHECK(slowdowns({{by_half, fast}}, 0.01)[0].allowed == Allowed::undecided);
      CHECK(slowdowns({{twice, fast}}, 0.01)[0].allowed == Allowed::no);
      CHECK(slowdowns({{fast, twice}}, 0.01)[0].allowed == Allowed::yes);
    }
    const std::vector<double> steady = {100, 100.1, 100.2};
    const std::vector<double> slower = {103, 103.1, 103.2};
    const auto both = slowdowns({{by_half, one}, {slower, steady}}, 0.01);
    CHECK(both[0].allowed == Allowed::undecided);
    CHECK(both[1].allowed == Allowed::no);
    CHECK(slowdowns({}, 0.01).empty());
  }
}
