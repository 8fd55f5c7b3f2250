#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "tuner/measure/verify.hpp"

using tuner::measure::WrongPlace;

namespace {

/// Of a matrix of 30 rows of 40, `is_wrong` by row and column; of each row the first `written` are judged.
WrongPlace place_of(const std::function<bool(int row, int column)>& is_wrong, int written = 40) {
  WrongPlace place({30, 40});
  for (int row = 0; row < 30; ++row)
    for (int column = 0; column < 40; ++column)
      place.add(column < written && is_wrong(row, column), column < written);
  return place;
}

void check(const WrongPlace& place, WrongPlace::Kind kind, const std::string& text) {
  CHECK(place.kind() == kind);
  CHECK(place.text() == text);
}

}  // namespace

TEST_SUITE("tuner::measure::WrongPlace") {
  using Kind = WrongPlace::Kind;

  TEST_CASE("everything is wrong, also where the reference leaves padding alone") {
    check(place_of([](int, int) { return true; }), Kind::all, "all of them");
    check(place_of([](int, int) { return true; }, 37), Kind::all, "all of them");
  }

  TEST_CASE("the ends of rows, the last rows and both are edges") {
    const auto right = [](int, int column) { return column >= 37; };
    const auto below = [](int row, int) { return row >= 28; };
    check(place_of(right), Kind::edges, "the edges alone, the last 3 of every 40");
    check(place_of(below), Kind::edges, "the edge alone, the last 80");
    check(place_of([&](int r, int c) { return right(r, c) || below(r, c); }), Kind::edges,
          "the edges alone, the last 3 of every 40 and the last 80");
  }

  TEST_CASE("padding behind the last column is part of the edge") {
    check(place_of([](int, int column) { return column >= 32; }, 37), Kind::edges,
          "the edges alone, the last 8 of every 40");
  }

  TEST_CASE("more than half of what is there is no edge") {
    CHECK(place_of([](int, int column) { return column >= 10; }).kind() != Kind::edges);
    CHECK(place_of([](int row, int) { return row >= 5; }).kind() != Kind::edges);
    CHECK(place_of([](int row, int column) { return row >= 5 || column >= 37; }).kind() != Kind::edges);
  }

  TEST_CASE("one tile is told with its rows, also where it touches the edge") {
    check(place_of([](int r, int c) { return r >= 8 && r < 16 && c >= 16 && c < 32; }), Kind::one_tile,
          "one tile alone, 8 rows of 16, 40 apart");
    check(place_of([](int r, int c) { return r >= 8 && r < 16 && c >= 24; }), Kind::one_tile,
          "one tile alone, 8 rows of 16, 40 apart");
    check(place_of([](int r, int c) { return r == 3 && c >= 16 && c < 32; }), Kind::one_tile,
          "one piece alone, 16 in a row");
    check(place_of([](int r, int c) { return r == 3 && c == 5; }), Kind::one_tile, "one alone");
  }

  TEST_CASE("what comes again throughout is told as such") {
    check(place_of([](int, int column) { return column % 8 == 7; }), Kind::repeated,
          "1 of every 8, throughout");
    check(place_of([](int r, int c) { return (40 * r + c) % 24 == 23; }), Kind::repeated,
          "1 of every 24, throughout");
    check(place_of([](int, int column) { return column >= 8 && column < 16; }), Kind::repeated,
          "8 of every 40, throughout");
  }

  TEST_CASE("nothing is said of what has no such order") {
    check(place_of([](int r, int c) { return (r * 7 + c * c) % 11 == 0; }), Kind::elsewhere, "");
    check(place_of([](int r, int c) { return r == c % 3 && c < 2; }), Kind::elsewhere, "");
  }
}
