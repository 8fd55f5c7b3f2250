#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "tuner/explain/rule_parts.hpp"

using namespace tuner::explain;

namespace {

/// Every configuration of parameters with these numbers of values, timed by `log_time`.
std::vector<Observation> whole_space(const std::vector<int>& levels,
                                     const std::function<double(const std::vector<int>&)>& log_time) {
  std::vector<Observation> all;
  std::vector<int> values(levels.size());
  for (bool more = true; more;) {
    all.push_back({values, log_time(values), false});
    more = false;
    for (std::size_t p = levels.size(); p-- > 0 && !more;) {
      more = ++values[p] < levels[p];
      if (!more) values[p] = 0;
    }
  }
  return all;
}

/// What a parameter decides alone, or a pair beside that; 0 where it is not listed.
double share_of(const VarianceShares& shares, std::size_t first, std::size_t second) {
  for (const VarianceShares::Share& share : shares.shares)
    if (share.first == first && share.second == second) return share.share;
  return 0;
}

/// -1 or 1.
double sign(int value) {
  return value == 0 ? -1 : 1;
}

}  // namespace

TEST_SUITE("tuner::explain variance") {
  TEST_CASE("parameters that add up share the variance by their squares") {
    const auto shares =
        variance_shares({2, 2, 2, 2, 2, 2}, whole_space({2, 2, 2, 2, 2, 2}, [](const auto& v) {
                          return 2 * sign(v[0]) + sign(v[1]);  // variances 4 and 1
                        }));
    CHECK(share_of(shares, 0, 0) == doctest::Approx(0.8).epsilon(0.03));
    CHECK(share_of(shares, 1, 1) == doctest::Approx(0.2).epsilon(0.1));
    CHECK(share_of(shares, 0, 1) < 0.03);
    CHECK(shares.foretold > 0.95);
    REQUIRE(!shares.shares.empty());
    CHECK(shares.shares.front().first == 0);  // the largest first
  }

  TEST_CASE("what two decide together, and neither alone, is their pair's") {
    const auto shares =
        variance_shares({2, 4, 5, 2, 4}, whole_space({2, 4, 5, 2, 4}, [](const auto& v) {
                          return sign(v[0]) * (v[1] < 2 ? 1 : -1) + 0.5 * sign(v[3]);  // variances 1 and 0.25
                        }));
    CHECK(share_of(shares, 0, 1) == doctest::Approx(0.8).epsilon(0.08));
    CHECK(share_of(shares, 0, 0) < 0.05);
    CHECK(share_of(shares, 1, 1) < 0.05);
    CHECK(share_of(shares, 3, 3) == doctest::Approx(0.2).epsilon(0.2));
    CHECK(share_of(shares, 2, 2) < 0.02);
  }

  TEST_CASE("noise is foretold by nothing") {
    std::uint64_t state = 7;
    const auto noise = [&](const std::vector<int>&) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<double>(state >> 40U) / 1e7;
    };
    CHECK(variance_shares({4, 4, 4}, whole_space({4, 4, 4}, noise)).foretold < 0.3);
  }

  TEST_CASE("a bound is lifted to what its neighbours take, so what was dropped early hides nothing") {
    // All beyond 1 were dropped when they had reached 1.
    const auto truth = [](const std::vector<int>& v) { return static_cast<double>(v[0]) + 0.1 * v[1]; };
    std::vector<Observation> all = whole_space({6, 4, 4}, truth);
    for (Observation& one : all)
      if (one.log_time > 1 &&
          (one.values[0] + one.values[1] + one.values[2]) % 4 > 0) {  // a quarter ran whole
        one.log_time = 1;
        one.is_bound = true;
      }
    std::vector<Observation> as_measured = all;
    for (Observation& one : as_measured) one.is_bound = false;
    const double with_bounds = share_of(variance_shares({6, 4, 4}, all), 0, 0);
    CHECK(with_bounds > share_of(variance_shares({6, 4, 4}, as_measured), 0, 0));
  }

  TEST_CASE("too few observations, or equal ones, say nothing") {
    CHECK(variance_shares({2}, {{{0}, 1, false}}).shares.empty());
    CHECK(variance_shares({2, 2}, whole_space({2, 2}, [](const auto&) { return 3.0; })).shares.empty());
  }
}
