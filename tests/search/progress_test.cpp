#include "tuner/search/progress.hpp"

#include <doctest/doctest.h>

#include <cmath>

using tuner::search::Progress;

namespace {

void add_ms(Progress& progress, double milliseconds, int times = 1) {
  for (int i = 0; i < times; ++i) progress.add(std::log(milliseconds));
}

}  // namespace

TEST_SUITE("tuner::search::Progress") {
  TEST_CASE("before there was a time nothing was gained, and nothing can be said") {
    Progress progress(400);
    CHECK_FALSE(progress.gain(false));
    progress.add(std::nullopt);
    CHECK_FALSE(progress.gain(false));
  }

  TEST_CASE("the gain is that of the stretch, which ends with the last result and grows with the space") {
    Progress progress(400);  // a stretch of 50
    add_ms(progress, 2);
    add_ms(progress, 1);
    add_ms(progress, 5, 48);
    REQUIRE(progress.gain(false));
    CHECK(progress.gain(false)->share == doctest::Approx(0.5));
    CHECK_FALSE(progress.gain(false)->is_complete);
    progress.add(std::nullopt);  // a failure is a result that brought nothing
    CHECK(progress.gain(false)->share == doctest::Approx(0.5));
    CHECK(progress.gain(false)->is_complete);
    add_ms(progress, 5);
    CHECK(progress.gain(false)->share == 0);
    CHECK(progress.gain(false)->is_complete);

    Progress larger(40000);
    add_ms(larger, 2);
    add_ms(larger, 1, 499);
    CHECK_FALSE(larger.gain(false)->is_complete);
    CHECK(larger.gain(true)->is_complete);
  }

  TEST_CASE("half a stretch forgets sooner") {
    Progress progress(1600);  // a stretch of 100
    add_ms(progress, 2);
    add_ms(progress, 1, 51);
    CHECK(progress.gain(true)->share == 0);
    CHECK(progress.gain(false)->share == doctest::Approx(0.5));
  }

  TEST_CASE("half a stretch is never too short to mean something") {
    Progress progress(529);  // a stretch of 57
    add_ms(progress, 2);
    add_ms(progress, 1, 39);
    CHECK_FALSE(progress.gain(true)->is_complete);
    add_ms(progress, 1, 2);
    CHECK(progress.gain(true)->is_complete);
    CHECK(progress.gain(true)->share == 0);
  }
}
