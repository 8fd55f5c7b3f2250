#include "db/best.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>

#include "db/database.hpp"
#include "db/result_store.hpp"
#include "db/statement.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::cube;
using db_test::error_of;
using db_test::failed_trial;
using db_test::TempFolder;
using db_test::timed_trial;

namespace {

std::string name_of(const TrialRecord& trial) {
  return trial.configuration.find("NAME")->text();
}

db::BestQuery size(std::vector<std::int64_t> sizes) {
  db::BestQuery query;
  query.sizes = std::move(sizes);
  return query;
}

std::string plan_of(const db::Connection& db, const std::string& sql) {
  db::Statement explain(db, "EXPLAIN QUERY PLAN " + sql);
  auto row = explain.use();
  std::string plan;
  while (row.step()) {
    row.skip(3);
    plan += row.text() + '\n';
  }
  return plan;
}

}  // namespace

TEST_SUITE("db") {
  TEST_CASE("a library counts among no trials of a size, and is known to be never the answer") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const auto library = [](TrialRecord trial, const char* kernel) {
      trial.kernel = kernel;
      trial.role = Role::baseline;
      return trial;
    };
    store.record(timed_trial("a", 512, 100));
    store.record(library(timed_trial("fast", 512, 90), "cuBLAS"));
    store.record(library(failed_trial("wrong", 512, TrialStatus::wrong_result), "cuBLASLt"));
    store.record(library(failed_trial("not here", 512, TrialStatus::skipped), "cuBLASLt"));
    const db::Case counted = db::best(store.connection(), size({512})).at(0).tuning_case;
    CHECK(counted.ok == 1);
    CHECK(counted.trials() == 1);
    const auto unanswered = [&](const std::string& kernel) {
      db::BestQuery query = size({512});
      query.kernel = kernel;
      return db::unanswered(store.connection(), query, db::best(store.connection(), query));
    };
    REQUIRE(unanswered("cuBLAS").size() == 1);
    CHECK(unanswered("cuBLAS")[0].only_libraries);
    store.record(timed_trial("b", 1024, 100));
    CHECK(unanswered("register_tile").empty());
  }

  TEST_CASE("what was dropped early near the best costs an answer as much as what is held against it") {
    // Steps of SQLite's virtual machine: each dropped trial was held against every measurement of the case.
    const TempFolder folder(db_test::memory_folder());
    db::ResultStore store(folder / "tuner.db");
    const auto count = [](void* steps) { return ++*static_cast<std::int64_t*>(steps), 0; };
    const auto steps_with = [&](int trials) {
      for (int i = 0; i < trials; ++i) {
        store.record(timed_trial(fmt::format("ok {}", i), 512, 100 + 0.01 * i));
        TrialRecord dropped = timed_trial(fmt::format("dropped {}", i), 512, 101 + 0.01 * i);
        dropped.outcome.status = TrialStatus::dropped;
        store.record(dropped);
      }
      std::int64_t steps = 0;
      sqlite3_progress_handler(store.connection().handle(), 1, count, &steps);
      const auto answers = db::best(store.connection(), size({512}));
      sqlite3_progress_handler(store.connection().handle(), 0, nullptr, nullptr);
      REQUIRE(answers.size() == 1);
      CHECK(answers[0].dropped_near == trials);
      return steps;
    };
    const std::int64_t few = steps_with(50);
    const std::int64_t many = steps_with(400);
    MESSAGE("steps with 50 of each: " << few << ", with 400: " << many);
    CHECK(many < few * 12);
  }

  TEST_CASE("kernels of a family whose sizes have other names each have an answer") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.record(timed_trial("cube", 512, 100));
    TrialRecord line = timed_trial("line", 512, 50);
    line.problem.sizes = {{"N", 512}};
    store.record(line);
    const auto answers = db::best(store.connection(), size({512}));
    REQUIRE(answers.size() == 2);
    CHECK(name_of(answers[0].winner) != name_of(answers[1].winner));
  }

  TEST_CASE("the best of a size comes with its ties, the untuned configuration and the counts") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.record(timed_trial("winner", 512, 100, 4));
    store.record(timed_trial("close", 512, 103, 2));
    TrialRecord noisy = timed_trial("noisy", 512, 150, 60);
    noisy.kernel = "shared";
    store.record(noisy);
    store.record(timed_trial("slower", 512, 106, 1));
    TrialRecord untuned = timed_trial("untuned", 512, 400);
    untuned.is_default = true;
    store.record(untuned);
    store.record(failed_trial("bad", 512, TrialStatus::crashed));
    const auto answers = db::best(store.connection(), size({512}));
    REQUIRE(answers.size() == 1);
    const db::BestAnswer& answer = answers[0];
    CHECK(name_of(answer.winner) == "winner");
    CHECK(answer.exact);
    REQUIRE(answer.tied.size() == 2);
    CHECK(name_of(answer.tied[0]) == "close");
    CHECK(name_of(answer.tied[1]) == "noisy");
    CHECK(answer.tied_count == 2);
    REQUIRE(answer.untuned);
    CHECK(name_of(*answer.untuned) == "untuned");
    CHECK(answer.tuning_case.ok == 5);
    CHECK(answer.tuning_case.failed == 1);
    untuned.outcome.status = TrialStatus::dropped;
    store.record(untuned);
    const auto with_dropped = db::best(store.connection(), size({512}));
    REQUIRE(with_dropped[0].untuned);
    CHECK(with_dropped[0].untuned->outcome.status == TrialStatus::dropped);
    db::BestQuery query = size({512, 512, 512});
    query.most_tied = 1;
    CHECK(db::best(store.connection(), query)[0].tied.size() == 1);
    CHECK(db::best(store.connection(), query)[0].tied_count == 2);
    query.kernel = "shared";
    REQUIRE(db::best(store.connection(), query).size() == 1);
    CHECK(name_of(db::best(store.connection(), query)[0].winner) == "noisy");
    CHECK(db::best(store.connection(), query)[0].tuning_case.ok == 1);
    query.kernel = "register_tile";
    CHECK(name_of(db::best(store.connection(), query)[0].winner) == "winner");
  }

  TEST_CASE("classes are never mixed: each has its own winner, the newest first") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    TrialRecord old = timed_trial("old", 512, 10);
    old.environment.driver = "535";
    store.record(old);
    store.record(timed_trial("new", 512, 100));
    const auto answers = db::best(store.connection(), size({512}));
    REQUIRE(answers.size() == 2);
    CHECK(name_of(answers[0].winner) == "new");
    CHECK(answers[0].tied.empty());
    CHECK(name_of(answers[1].winner) == "old");
    CHECK(answers[1].tuning_case.environment.driver == "535");
  }

  TEST_CASE("a size never measured gets the nearest one on a logarithmic scale, and says so") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.record(timed_trial("512", 512, 10));
    store.record(timed_trial("2048", 2048, 1000));
    TrialRecord flat = timed_trial("flat", 512, 20);
    flat.problem.sizes = {{"M", 4096}, {"N", 4096}, {"K", 64}};
    store.record(flat);
    const auto winner = [&](std::vector<std::int64_t> sizes) {
      return db::best(store.connection(), size(std::move(sizes))).at(0);
    };
    CHECK(name_of(winner({1100}).winner) == "2048");
    CHECK(name_of(winner({1000}).winner) == "512");
    CHECK_FALSE(winner({1000}).exact);
    CHECK(winner({1024, 512, 512}).distance == doctest::Approx(1));
    CHECK(winner({2048}).exact);
    CHECK(name_of(winner({3000, 3000, 100}).winner) == "flat");
    const Error error = error_of([&] { winner({512, 512}); });
    CHECK(error.code() == ExitCode::usage);
    CHECK(contains(error.what(), "M x N x K"));
    CHECK(error_of([&] { winner({0}); }).code() == ExitCode::usage);
  }

  TEST_CASE("of a device that is named alone, no other is answered for") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    TrialRecord a100 = timed_trial("a100", 512, 10);
    a100.environment = db_test::sample_environment("NVIDIA A100");
    store.record(a100);
    store.record(timed_trial("h200", 512, 5));
    db::BestQuery query = size({512});
    query.device = "a100";
    const auto answers = db::best(store.connection(), query);
    REQUIRE(answers.size() == 1);
    CHECK(name_of(answers[0].winner) == "a100");
    query.device = "b200";
    CHECK(db::best(store.connection(), query).empty());
    TrialRecord replayed = timed_trial("replayed", 512, 1);
    replayed.environment = db_test::sample_environment("NVIDIA A100 (replayed)");
    store.record(replayed);
    query.device = "a100";
    CHECK(db::best(store.connection(), query).size() == 2);
    query.device = "nvidia a100";
    const auto equal = db::best(store.connection(), query);
    REQUIRE(equal.size() == 1);
    CHECK(name_of(equal[0].winner) == "a100");
  }

  TEST_CASE("type and padding select problems, and failures alone are no answer") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    TrialRecord wide = timed_trial("wide", 512, 10);
    wide.problem.type = wide.environment.type = ElementType::float64;
    store.record(wide);
    TrialRecord padded = timed_trial("padded", 512, 10);
    padded.problem.row_padding = 32;
    store.record(padded);
    store.record(failed_trial("bad", 512, TrialStatus::crashed));
    db::BestQuery query = size({512});
    CHECK(name_of(db::best(store.connection(), query).at(0).winner) == "wide");
    query.type = ElementType::float32;
    CHECK(db::best(store.connection(), query).empty());
    query.row_padding = 32;
    CHECK(name_of(db::best(store.connection(), query).at(0).winner) == "padded");
    query.family = "stencil";
    CHECK(db::best(store.connection(), query).empty());
  }

  TEST_CASE("the view behind best reads no table from end to end, and what it sorts is small") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const db::Connection& open = store.connection();
    const auto plans = {
        plan_of(open, "SELECT trial, final FROM winner WHERE tuning_case = ? AND kernel IS NULL"),
        plan_of(open, "SELECT trial, final FROM winner WHERE tuning_case = ? AND kernel = ?"),
        plan_of(open, "SELECT * FROM best WHERE family = 'matmul' AND size = '1024'"),
    };
    for (const std::string& plan : plans) {
      CAPTURE(plan);
      CHECK(contains(plan, "USING INDEX trials_fastest"));
      CHECK(contains(plan, "USING INDEX finals_of_case"));
      for (const char* table : {"SCAN t\n", "SCAN w\n", "SCAN k\n", "SCAN c\n", "SCAN f\n", "SCAN n\n"})
        CHECK_FALSE(contains(plan, table));
    }
    const std::string fastest = plan_of(
        open,
        "SELECT median_ns FROM trials WHERE tuning_case = ? AND competes = 1 ORDER BY median_ns LIMIT 1");
    CHECK(contains(fastest, "USING INDEX trials_fastest"));
    CHECK_FALSE(contains(fastest, "TEMP B-TREE"));
  }
}
