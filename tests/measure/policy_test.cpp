#include "tuner/measure/policy.hpp"

#include <doctest/doctest.h>

#include "tuner/model/error.hpp"

namespace measure = tuner::measure;

TEST_SUITE("tuner::measure policy") {
  TEST_CASE("policies are found by name and carry a version") {
    CHECK(measure::policy("quick").name == "quick-3");
    CHECK(measure::policy("standard").name == "standard-3");
    CHECK(measure::policy("thorough").name == "thorough-2");
    CHECK(measure::policy("quick").samples < measure::policy("standard").samples);
    CHECK(measure::policy("standard").samples < measure::policy("thorough").samples);
    CHECK(measure::policy("complete").name == "complete-2");
    CHECK(measure::policy("complete").cuts.empty());
  }

  TEST_CASE("a cold L2 cache is asked for apart") {
    CHECK_FALSE(measure::policy("standard").flush_l2);
    CHECK(measure::policy("standard", true).flush_l2);
  }

  TEST_CASE("an unknown policy is the user's mistake, and the answer lists the known ones") {
    try {
      static_cast<void>(measure::policy("best"));
      FAIL("no error");
    } catch (const tuner::model::UsageError& error) {
      CHECK(std::string(error.what()).find("'best'") != std::string::npos);
      CHECK(error.hint().find("quick, standard, thorough, complete") != std::string::npos);
    }
  }
}
