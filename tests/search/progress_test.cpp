#include <doctest/doctest.h>

#include <cmath>

#include "tuner/search/strategy.hpp"

using tuner::search::RecentGain;

TEST_SUITE("tuner::search::RecentGain") {
  namespace {

  void add_ms(RecentGain& progress, double milliseconds, int times = 1) {
    for (int i = 0; i < times; ++i) progress.add(std::log(milliseconds));
  }

  }  // namespace

  TEST_CASE("before there was a time nothing was gained, and nothing can be said") {
    RecentGain progress;
    CHECK_FALSE(progress.gain(400, false));
    progress.add(std::nullopt);
    CHECK_FALSE(progress.gain(400, false));
    CHECK(progress.since_improved() == 0);
  }

  TEST_CASE("the gain is that of the stretch, which ends with the last result and grows with the space") {
    RecentGain progress;
    add_ms(progress, 2);
    add_ms(progress, 1);
    add_ms(progress, 5, 48);
    REQUIRE(progress.gain(400, false));  // a stretch of 50
    CHECK(progress.gain(400, false)->share == doctest::Approx(0.5));
    CHECK(progress.gain(400, false)->over == 49);
    CHECK_FALSE(progress.gain(400, false)->is_complete);
    CHECK(progress.since_improved() == 48);
    progress.add(std::nullopt);  // a bound is a result that brought nothing
    CHECK(progress.gain(400, false)->share == doctest::Approx(0.5));
    CHECK(progress.gain(400, false)->is_complete);
    add_ms(progress, 5);
    CHECK(progress.gain(400, false)->share == 0);
    CHECK(progress.gain(400, false)->over == 50);
    CHECK(progress.gain(400, false)->is_complete);

    RecentGain larger;
    add_ms(larger, 2);
    add_ms(larger, 1, 499);
    CHECK_FALSE(larger.gain(40000, false)->is_complete);
    CHECK(larger.gain(40000, true)->is_complete);
  }

  TEST_CASE("half a stretch forgets sooner") {
    RecentGain progress;
    add_ms(progress, 2);
    add_ms(progress, 1, 51);
    CHECK(progress.gain(1600, true)->share == 0);  // a stretch of 100
    CHECK(progress.gain(1600, false)->share == doctest::Approx(0.5));
  }

  TEST_CASE("where fewer can be had a stretch is shorter, but for twenty results") {
    RecentGain progress;
    add_ms(progress, 1, 21);
    CHECK_FALSE(progress.gain(400, false)->is_complete);
    CHECK_FALSE(progress.gain(400, false, 30)->is_complete);
    CHECK(progress.gain(400, false, 3)->is_complete);
    CHECK(progress.gain(400, false, 3)->over == 20);
  }

  TEST_CASE("half a stretch is never too short to mean something") {
    RecentGain progress;
    add_ms(progress, 2);
    add_ms(progress, 1, 39);
    CHECK_FALSE(progress.gain(529, true)->is_complete);  // a stretch of 57
    add_ms(progress, 1, 2);
    CHECK(progress.gain(529, true)->is_complete);
    CHECK(progress.gain(529, true)->share == 0);
  }
}
