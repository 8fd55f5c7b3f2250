#include <doctest/doctest.h>

#include "db/best.hpp"
#include "db/finals.hpp"
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

  TEST_CASE("the ceiling of a cache says how much it holds, as the device has it") {
    const db_test::TempFolder folder;
    db::ResultStore store(folder / "a.db");
    tuner::model::RunRecord run = db_test::sample_run();
    run.device.limits.l2_bytes = 52'428'800;
    store.begin_run(run);
    for (const std::string& device : {run.device.name, std::string("another")})
      store.record_ceiling({device, "l2", tuner::model::ElementType::float32, 5e12, "GB/s", {}, ""});
    const auto of_device = db::ceilings(store.connection(), run.device.name);
    REQUIRE(of_device.size() == 1);
    CHECK(of_device[0].cache_bytes == 52'428'800);
    CHECK(db::ceilings(store.connection(), "another").at(0).cache_bytes == 0);
  }

  TEST_CASE("the best ceiling of a device, kind and type counts, whenever it was measured") {
    const db_test::TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const auto record = [&](const char* kind, double value, const std::string& when) {
      store.record_ceiling({"GPU", kind, tuner::model::ElementType::float32, value, "GB/s", {}, when});
      for (const tuner::model::Ceiling& ceiling : db::ceilings(store.connection(), "GPU"))
        if (ceiling.kind == kind) return ceiling.value;
      return 0.0;
    };
    CHECK(record("memory", 3e12, "2025-05-01T00:00:00.000Z") == 3e12);
    CHECK(record("memory", 4e12, "2025-04-01T00:00:00.000Z") == 4e12);
    CHECK(record("memory", 2e12, "2025-06-01T00:00:00.000Z") == 4e12);
    CHECK(record("launch", 3e-6, "2025-05-01T00:00:00.000Z") == 3e-6);
    CHECK(record("launch", 2e-6, "2025-04-01T00:00:00.000Z") == 2e-6);
    CHECK(record("launch", 4e-6, "2025-06-01T00:00:00.000Z") == 2e-6);
    CHECK(db::ceilings(store.connection(), "other").empty());
  }
}
