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
}
