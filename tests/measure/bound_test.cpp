#include <doctest/doctest.h>

#include <limits>

#include "tuner/measure/verify.hpp"

namespace measure = tuner::measure;
using tuner::model::ElementType;

TEST_SUITE("tuner::measure bound") {
  TEST_CASE("the bound of n roundings is n*u / (1 - n*u)") {
    const double u = 0x1p-24;
    CHECK(*measure::bound_factor(1024, ElementType::float32) == 1024 * u / (1 - 1024 * u));
    CHECK(*measure::bound_factor(1, ElementType::float64) == doctest::Approx(0x1p-53));
  }

  TEST_CASE("integers and no roundings ask for equality") {
    CHECK(*measure::bound_factor(4096, ElementType::int32) == 0);
    CHECK(*measure::bound_factor(0, ElementType::float32) == 0);
  }

  TEST_CASE("a result that is rounded once more, to fewer bits, may be off by that too") {
    const double gamma = 64 * 0x1p-24 / (1 - 64 * 0x1p-24);
    const double half = 0x1p-11;
    CHECK(*measure::bound_factor(64, ElementType::float32, ElementType::float16) ==
          gamma + half * (1 + gamma));
    CHECK(*measure::bound_factor(64, ElementType::float32, ElementType::float32) == gamma);
    CHECK(*measure::bound_factor(0, ElementType::float32, ElementType::float16) == 0);
    CHECK_FALSE(measure::bound_factor(0x1p23, ElementType::float32, ElementType::float16));
  }

  TEST_CASE("a type that rounds less than what it is said to be added up in has its own bound") {
    CHECK(*measure::bound_factor(64, ElementType::float32, ElementType::float64) ==
          *measure::bound_factor(64, ElementType::float64));
    CHECK(*measure::bound_factor(64, ElementType::float32, ElementType::int32) == 0);
    CHECK(*measure::bound_factor(0x1p23, ElementType::float32, ElementType::int32) == 0);
  }

  TEST_CASE("a bound that zeros would pass is no bound") {
    CHECK(measure::bound_factor(0x1p22, ElementType::float32).has_value());
    CHECK_FALSE(measure::bound_factor(0x1p23, ElementType::float32).has_value());
    CHECK(measure::bound_factor(0x1p23, ElementType::float64).has_value());
    CHECK_FALSE(measure::bound_factor(-1, ElementType::float32).has_value());
    CHECK_FALSE(
        measure::bound_factor(std::numeric_limits<double>::quiet_NaN(), ElementType::float32).has_value());
  }
}
