#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tuner/measure/sampler.hpp"
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

  TEST_CASE("the figures of a policy are those of its version; another figure is another version") {
    struct Row {
      const char* name;
      int samples;
      std::vector<tuner::model::Cut> cuts;
      int finalists, choosing, confirming;
      double batch_ns, limit_ns, final_limit_ns;
    };
    const std::vector<tuner::model::Cut> usual = {{1, 1.5}, {3, 1.15}};
    const std::vector<Row> rows = {
        {"quick", 6, usual, 6, 12, 8, 2e5, 2e7, 5e9},
        {"standard", 10, usual, 10, 40, 20, 5e5, 3e7, 5e9},
        {"thorough", 60, {{1, 5}, {5, 2}}, 10, 100, 60, 1e6, 1e10, 2e10},
        {"complete", 12, {}, 10, 40, 20, 5e5, 5e8, 5e9},
        {"exhaustive", 100, {}, 0, 40, 20, 5e5, 2e9, 5e9},
    };
    CHECK(measure::policy_names().size() == rows.size());
    for (const Row& row : rows) {
      CAPTURE(row.name);
      const auto policy = measure::policy(row.name);
      CHECK(policy.samples == row.samples);
      CHECK(policy.cuts == row.cuts);
      CHECK(policy.final.finalists == row.finalists);
      CHECK(policy.final.within == 1.1);
      CHECK(policy.final.choosing_rounds == row.choosing);
      CHECK(policy.final.confirming_rounds == row.confirming);
      CHECK(policy.batch_ns == row.batch_ns);
      CHECK(policy.time_limit_ns == row.limit_ns);
      CHECK(policy.final.time_limit_ns == row.final_limit_ns);
    }
    CHECK(measure::policy("exhaustive").name == "exhaustive-1");
  }

  TEST_CASE("a cold L2 cache and the way launches follow each other are asked for apart") {
    CHECK_FALSE(measure::policy("standard").flush_l2);
    CHECK(measure::policy("standard", true).flush_l2);
    CHECK(measure::policy("standard").execution == tuner::model::Execution::graph);
    const auto eager = measure::policy("standard", true, tuner::model::Execution::eager);
    CHECK(eager.execution == tuner::model::Execution::eager);
    CHECK(eager.flush_l2);
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
