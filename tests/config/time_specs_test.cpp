#include "config/time_specs.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using config::ListOf;
using config::split_list;
using Parts = std::vector<std::string>;

TEST_SUITE("config, what is timed without a spec") {
  TEST_CASE("lists are split at commas outside of brackets, and `<` is a bracket in types alone") {
    CHECK(split_list("Tile<8, 4>[N, M] in, 2.5", ListOf::types) == Parts{"Tile<8, 4>[N, M] in", "2.5"});
    CHECK(split_list("N < 32 ? 1 : 2, ceil_div(M, 8)", ListOf::expressions) ==
          Parts{"N < 32 ? 1 : 2", "ceil_div(M, 8)"});
    CHECK(split_list("(N > M) * 2, 1 << 3", ListOf::expressions) == Parts{"(N > M) * 2", "1 << 3"});
    CHECK(split_list(" ", ListOf::expressions).empty());
  }
}
