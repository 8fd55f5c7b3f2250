// Sizes that are drawn to check a cover, and what they say of its bounds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tuner/cover/cover.hpp"

using namespace tuner::cover;

namespace {

std::vector<Sizes> of_one_dimension(std::int64_t first, std::int64_t last, std::int64_t step) {
  std::vector<Sizes> sizes;
  for (std::int64_t size = first; size <= last; size += step) sizes.push_back({size});
  return sizes;
}

}  // namespace

TEST_SUITE("cover") {
  TEST_CASE("drawn sizes lie between the measured ones, at multiples of what divides these") {
    const std::vector<Sizes> measured = {{512, 768, 4096}, {2048, 768, 4096}, {1024, 1536, 4096}};
    const Sizes multiple = shared_multiple(measured);
    CHECK(multiple == Sizes{512, 768, 4096});
    const auto drawn = draw_between(measured, {64, 64, 4096}, 50, 7);
    REQUIRE(drawn.size() == 50);
    CHECK(std::set<Sizes>(drawn.begin(), drawn.end()).size() == 50);
    for (const Sizes& one : drawn) {
      CHECK(std::find(measured.begin(), measured.end(), one) == measured.end());
      CHECK(one[0] % 64 == 0);
      CHECK(one[0] >= 512);
      CHECK(one[0] <= 2048);
      CHECK(one[1] >= 768);
      CHECK(one[1] <= 1536);
      CHECK(one[2] == 4096);
    }
  }

  TEST_CASE("dimensions that are equal at every measured size are so at the drawn ones") {
    const std::vector<Sizes> measured = {{512, 512, 1024}, {1024, 1024, 2048}, {4096, 4096, 8192}};
    const auto drawn = draw_between(measured, {8, 8, 16}, 40, 1);
    REQUIRE(drawn.size() == 40);
    for (const Sizes& one : drawn) {
      CHECK(one[0] == one[1]);
      CHECK(one[2] == 2 * one[0]);
    }
  }

  TEST_CASE("a seed decides what is drawn, and more begin with the same") {
    const auto measured = of_one_dimension(64, 64 * 60, 64 * 3);
    const Sizes multiple = {64};
    const auto twenty = draw_between(measured, multiple, 20, 3);
    CHECK(twenty == draw_between(measured, multiple, 20, 3));
    CHECK(twenty != draw_between(measured, multiple, 20, 4));
    const auto ten = draw_between(measured, multiple, 10, 3);
    CHECK(std::equal(ten.begin(), ten.end(), twenty.begin()));
  }

  TEST_CASE("where there are no more sizes fewer are drawn, and of one size none") {
    CHECK(draw_between(of_one_dimension(64, 640, 64), {64}, 5, 1).empty());
    auto measured = of_one_dimension(64, 640, 64);
    measured.erase(measured.begin() + 4);
    CHECK(draw_between(measured, {64}, 5, 1) == std::vector<Sizes>{{320}});
    CHECK(draw_between({{512}}, {1}, 5, 1).empty());
  }

  TEST_CASE("a bound is refuted or confirmed by sizes only where chance hardly does so") {
    const Bound bound{0.9, 0.95, 0.02, 40};
    const auto losses = [](std::size_t within, std::size_t beyond) {
      std::vector<double> all(within, 0.02);
      all.insert(all.end(), beyond, std::numeric_limits<double>::infinity());
      return all;
    };
    const Held most = hold(bound, losses(18, 2));
    CHECK(most.within == 18);
    CHECK(most.of == 20);
    CHECK(most.chance == doctest::Approx(0.6083).epsilon(0.001));
    CHECK_FALSE(most.is_refuted);
    CHECK_FALSE(most.is_confirmed);
    CHECK_FALSE(hold(bound, losses(16, 4)).is_refuted);  // 13 %
    CHECK(hold(bound, losses(15, 5)).is_refuted);        // 4 %
    CHECK_FALSE(hold(bound, losses(28, 0)).is_confirmed);
    CHECK(hold(bound, losses(29, 0)).is_confirmed);
    CHECK_FALSE(hold(bound, losses(900, 100)).is_refuted);
    CHECK(hold(bound, losses(870, 130)).is_refuted);
    CHECK_FALSE(hold(bound, {}).is_refuted);
    CHECK_FALSE(hold(bound, {}).is_confirmed);
  }
}
