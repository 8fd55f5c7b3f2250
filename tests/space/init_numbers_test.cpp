#include <doctest/doctest.h>

#include <limits>
#include <utility>
#include <vector>

#include "tuner/space/planner.hpp"

using namespace tuner;
using namespace tuner::space;

TEST_SUITE("tuner::space") {
  TEST_CASE("a buffer is filled with what its type holds, to the last number, and not beyond") {
    using Type = model::ElementType;
    using Kind = model::Init::Kind;
    const auto fits = [](Type type, Kind kind, double a, double b = 0) {
      return !misfit(model::Init{kind, a, b}, type).has_value();
    };
    const std::vector<std::pair<Type, std::pair<double, double>>> ranges = {
        {Type::boolean, {0, 1}},         {Type::int8, {-128, 127}},
        {Type::uint8, {0, 255}},         {Type::int16, {-32768, 32767}},
        {Type::uint16, {0, 65535}},      {Type::int32, {-2147483648.0, 2147483647}},
        {Type::uint32, {0, 4294967295}}, {Type::float16, {-2048, 2048}},
    };
    for (const auto& [type, ends] : ranges) {
      CAPTURE(model::cuda_name(type));
      CHECK(fits(type, Kind::integers, ends.first, ends.second));
      CHECK_FALSE(fits(type, Kind::integers, ends.first - 1, ends.second));
      CHECK_FALSE(fits(type, Kind::integers, ends.first, ends.second + 1));
    }
    CHECK(fits(Type::int64, Kind::constant, -0x1p63));
    CHECK_FALSE(fits(Type::int64, Kind::constant, 0x1p63));
    CHECK(fits(Type::uint64, Kind::constant, 0x1p63));
    CHECK_FALSE(fits(Type::uint64, Kind::constant, 0x1p64));
    CHECK_FALSE(fits(Type::int32, Kind::constant, 0.5));
    CHECK_FALSE(fits(Type::int32, Kind::iota, 0, 0.5));
    CHECK_FALSE(fits(Type::uint8, Kind::signs, 1));
    CHECK(fits(Type::int8, Kind::signs, 1));
    CHECK_FALSE(fits(Type::int32, Kind::uniform, 0, 1));
    CHECK_FALSE(fits(Type::int32, Kind::normal, 0, 1));
    CHECK(fits(Type::float16, Kind::normal, 0, 10000));
    CHECK_FALSE(fits(Type::float16, Kind::normal, 0, 11000));
    CHECK(fits(Type::float16, Kind::constant, 65504));
    CHECK_FALSE(fits(Type::float16, Kind::constant, 65505));
    CHECK(fits(Type::float32, Kind::integers, 0, 0x1p30));
    CHECK(fits(Type::float32, Kind::constant, 3e38));
    CHECK(fits(Type::float32, Kind::constant, std::numeric_limits<double>::infinity()));
    CHECK_FALSE(fits(Type::float32, Kind::constant, 1e40));
    CHECK_FALSE(fits(Type::float32, Kind::uniform, 0, 1e40));
    CHECK(fits(Type::float64, Kind::constant, 1e40));
    CHECK_FALSE(misfit(model::Init{Kind::iota, 0, 100, 328}, Type::int16));
    CHECK(misfit(model::Init{Kind::iota, 0, 100, 329}, Type::int16));
    CHECK(misfit(model::Init{Kind::iota, 0, -1, 2}, Type::uint16));
    CHECK_FALSE(misfit(model::Init{Kind::iota, 0, 0.5, 100}, Type::float16));
    CHECK(misfit(model::Init{Kind::permutation, 1, 0, 256}, Type::uint8));
    CHECK_FALSE(misfit(model::Init{Kind::permutation, 0, 0, 256}, Type::uint8));
  }

  TEST_CASE("numbers of an init make sense, to the last that do") {
    using Kind = model::Init::Kind;
    const auto good = [](Kind kind, double a, double b, double c = 0) {
      return !mistake_in(model::Init{kind, a, b, c}).has_value();
    };
    CHECK(good(Kind::odd_integers, 9, 9));
    CHECK_FALSE(good(Kind::odd_integers, 8, 8));
    CHECK(good(Kind::odd_integers, 8, 9));
    CHECK_FALSE(good(Kind::odd_integers, 9, 8));
    CHECK_FALSE(good(Kind::odd_integers, 0.5, 9));
    CHECK_FALSE(good(Kind::odd_integers, 1, 9.5));
    CHECK(good(Kind::integers, 3, 3));
    CHECK_FALSE(good(Kind::integers, 3, 2));
    CHECK_FALSE(good(Kind::integers, 0.5, 2));
    CHECK_FALSE(good(Kind::integers, 0, 2.5));
    CHECK_FALSE(good(Kind::uniform, 1, 1));
    CHECK(good(Kind::uniform, 1, 1.5));
    CHECK(good(Kind::signs, 1, 0));
    CHECK_FALSE(good(Kind::signs, 0, 0));
    CHECK_FALSE(good(Kind::normal, 0, 0));
    CHECK_FALSE(good(Kind::permutation, 0.5, 0));
    CHECK(good(Kind::sorted, 1, 1));
    CHECK_FALSE(good(Kind::sorted, 2, 1));
    CHECK(good(Kind::sparse, 0, 1, 0));
    CHECK(good(Kind::sparse, 0, 1, 1));
    CHECK_FALSE(good(Kind::sparse, 0, 1, 1.5));
    CHECK_FALSE(good(Kind::sparse, 0, 1, -0.5));
    CHECK_FALSE(good(Kind::sparse, 1, 1, 0.5));
  }
}
