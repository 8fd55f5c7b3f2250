// The axes that learn sees a space along.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tests/search/grids.hpp"
#include "tests/search/spaces.hpp"
#include "tuner/search/learn/axes.hpp"
#include "tuner/search/learn/facts.hpp"

using namespace tuner::search;
using namespace tuner::search::learn;
using tuner::test::Grids;

TEST_SUITE("tuner::search::learn axes") {
  namespace {

  const Axis& axis_of(const Axes& axes, const std::string& name) {
    for (const Axis& axis : axes.all())
      if (axis.name == name) return axis;
    FAIL("there is no axis ", name);
    return axes.all().front();
  }

  std::vector<std::int64_t> block_threads(const SearchSpace& space) {
    tuner::search::learn::BlockThreads threads(space);
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; threads.says_anything() && i < space.size(); ++i) all.push_back(threads.of(i));
    return all;
  }

  }  // namespace

  TEST_CASE("numbers lie by their logarithm, and whether they are powers of two is an aspect of its own") {
    Grids grids;
    grids.add({{"X", {8, 1, 6, 2, 4}}});
    const Axes axes(grids.space);
    REQUIRE(axes.count() == 1);
    const Axis& x = axes.all()[0];
    CHECK(x.levels == 5);
    REQUIRE(x.aspects.size() == 2);
    CHECK(x.aspects[0].ordered);
    CHECK_FALSE(x.aspects[0].derived);
    const std::vector<float> expected = {0, 1 / 3.0F, 2 / 3.0F, std::log2(6.0F) / 3, 1};
    for (std::size_t i = 0; i < 5; ++i) CHECK(x.aspects[0].position[i] == doctest::Approx(expected[i]));
    CHECK(x.aspects[1].derived);
    CHECK(x.aspects[1].distance(2, 3) == 1);
    CHECK(x.aspects[1].distance(0, 4) == 0);
    // In the order of the spec: 8 is the last level, 1 the first.
    const std::vector<int> levels = {4, 0, 3, 1, 2};
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(axes.levels(i)[0] == levels[i]);
      CHECK(axes.oddity(i) - axes.oddity(0) == (i == 2 ? 1 : 0));
    }
    CHECK(axes.distance(0, 1) == 1);
    CHECK(axes.distance(1, 3) == doctest::Approx(1 / 3.0));
    CHECK(axes.distance(3, 3) == 0);
  }

  TEST_CASE("a kernel that lacks a parameter is on a level of its own, as far from all values") {
    Grids grids;
    grids.add({{"X", {1, 2, 4}}});
    grids.add({});
    const Axes axes(grids.space);
    REQUIRE(axes.count() == 2);
    const Axis& x = axis_of(axes, "X");
    CHECK(axis_of(axes, "kernel").levels == 2);
    CHECK(x.levels == 4);
    for (const Aspect& aspect : x.aspects) CHECK(aspect.position.size() == x.levels);
    for (std::size_t value = 0; value < 3; ++value) {
      CHECK(x.aspects.back().distance(value, 3) == 1);
      CHECK(x.aspects.back().distance(value, 0) == 0);
      CHECK(axes.distance(value, 3) == 1);
    }
    CHECK(axes.distance(0, 1) == doctest::Approx(0.25));
  }

  TEST_CASE("blocks of one warp, of very many or of a broken one look odd, and threads are an axis") {
    Grids grids;
    grids.add({{"T", {48, 64, 512, 2048}}}, "T");
    CHECK(block_threads(grids.space) == std::vector<std::int64_t>{48, 64, 512, 2048});
    const Axes axes(grids.space);
    CHECK(axes.oddity(0) == doctest::Approx(1 + (1 - std::log2(1.5)) + 1));
    CHECK(axes.oddity(1) == 0);
    CHECK(axes.oddity(2) == 0);
    CHECK(axes.oddity(3) == doctest::Approx(2));
    const Axis& threads = axis_of(axes, "threads");
    CHECK(threads.levels == 4);
    for (const Aspect& aspect : threads.aspects) CHECK(aspect.derived);
    CHECK(threads.aspects[0].position[3] == 1);
    CHECK(threads.aspects[0].position[1] < threads.aspects[0].position[2]);
  }

  TEST_CASE("a block that has no value has no threads, and the others keep their places") {
    Grids grids;
    grids.add({{"T", {0, 64, 128, 2'000'000}}}, "T");
    CHECK(block_threads(grids.space) == std::vector<std::int64_t>{0, 64, 128, 0});
    const Axes axes(grids.space);
    const Axis& threads = axis_of(axes, "threads");
    REQUIRE(threads.levels == 3);
    CHECK(threads.aspects[0].position[1] == doctest::Approx(6.0 / 7));
    CHECK(axes.oddity(0) == 1);  // since it is no power of two
    CHECK(axes.oddity(3) == 1);
    Grids derived;
    derived.add({{"T", {2, 4}}}, "W");
    auto spec = *derived.space.kernels[0].spec;
    spec.derived = {{"W", {"32 * T", {}}}};
    derived.space.kernels[0].spec = &spec;
    CHECK(block_threads(derived.space) == std::vector<std::int64_t>{64, 128});
    Grids faulty;
    faulty.add({{"T", {0, 2}}}, "64 / T");
    CHECK(block_threads(faulty.space) == std::vector<std::int64_t>{0, 32});
  }

  TEST_CASE("neighbours among very many values share a level, in their order") {
    Grids grids;
    std::vector<std::int64_t> many;
    for (std::int64_t i = 1; i <= 200; ++i) many.push_back(i);
    grids.add({{"T", many}}, "T");
    const Axes axes(grids.space);
    REQUIRE(axes.count() == 2);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      CHECK(axes.all()[axis].levels == Axes::most_levels);
      for (const Aspect& aspect : axes.all()[axis].aspects)
        CHECK(aspect.position.size() == Axes::most_levels);
      CHECK(axes.levels(0)[axis] == 0);
      CHECK(axes.levels(199)[axis] == Axes::most_levels - 1);
      for (std::size_t i = 1; i < 200; ++i) CHECK(axes.levels(i)[axis] - axes.levels(i - 1)[axis] <= 1);
      for (std::size_t i = 1; i < 200; ++i) CHECK(axes.levels(i)[axis] >= axes.levels(i - 1)[axis]);
    }
  }
}
