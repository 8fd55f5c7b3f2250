#include <doctest/doctest.h>

#include "db/best.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"

using db_test::key;

TEST_SUITE("db") {
  TEST_CASE("who asks for a size gets no answer about ceilings, unless by their family or kernel") {
    const db_test::TempFolder folder;
    db::ResultStore store(folder / "a.db");
    store.begin_run(db_test::sample_run());
    store.record(db_test::timed_trial("a", 512, 1000));
    tuner::model::TrialRecord copy = db_test::timed_trial("copy", 512, 500);
    copy.problem.family = "ceiling_memory";
    copy.kernel = "ceiling_copy";
    copy.role = tuner::model::Role::ceiling;
    store.record(copy);
    db::BestQuery query;
    query.sizes = {512};
    const auto answers = db::best(store.connection(), query);
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].winner.key == key("a"));
    query.family = "ceiling_memory";
    CHECK(db::best(store.connection(), query).size() == 1);
    query.family = "";
    query.kernel = "ceiling_copy";
    CHECK(db::best(store.connection(), query).size() == 1);
  }

  TEST_CASE("each type has a ceiling of its own, and comes back as the type it is of") {
    const db_test::TempFolder folder;
    db::ResultStore store(folder / "a.db");
    using tuner::model::ElementType;
    store.record_ceiling({"GPU", "arithmetic", ElementType::float64, 1e12, "GFLOP/s", {}, ""});
    store.record_ceiling({"GPU", "arithmetic", ElementType::int32, 2e12, "GOP/s", {}, ""});
    const auto found = db::ceilings(store.connection(), "GPU");
    REQUIRE(found.size() == 2);
    CHECK(found[0].type == ElementType::float64);
    CHECK(found[0].unit == "GFLOP/s");
    CHECK(found[1].type == ElementType::int32);
    CHECK(found[1].value == 2e12);
  }
}
