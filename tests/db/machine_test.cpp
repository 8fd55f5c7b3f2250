#include "db/machine.hpp"

#include <doctest/doctest.h>

TEST_SUITE("db") {
  // Two results of one millisecond once made "the newest" a matter of luck.
  TEST_CASE("the times a process writes differ and sort in the order they were written") {
    std::string before = db::utc_now();
    for (int i = 0; i < 1000; ++i) {
      const std::string now = db::utc_now();
      CHECK(before < now);
      CHECK(now.size() == before.size());
      before = now;
    }
  }

  TEST_CASE(
      "a time is read to the microsecond, months and leap days included, and what is none is the oldest") {
    CHECK(db::microseconds_of("1970-01-01T00:00:00.000001Z") == 1);
    CHECK(db::microseconds_of("1970-02-01T00:00:00.000000Z") == 31 * 86'400'000'000);
    CHECK(db::microseconds_of("2024-03-01T00:00:01.5Z") -
              db::microseconds_of("2024-02-28T00:00:00.000000Z") ==
          2 * 86'400'000'000 + 1'500'000);
    CHECK(db::microseconds_of("1970-01-01T00:00:00.678Z") == 678'000);
    CHECK(db::microseconds_of("1970-01-01T00:00:00.1234569Z") == 123'456);
    CHECK(db::microseconds_of("2026-01-02T03:04:05") == 1'767'323'045'000'000);
    CHECK(db::microseconds_of("yesterday") == 0);
    CHECK(db::microseconds_of("") == 0);
  }
}
