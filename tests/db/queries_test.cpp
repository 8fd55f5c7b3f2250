#include "db/queries.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include "db/database.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::error_of;
using db_test::failed_trial;
using db_test::TempFolder;
using db_test::timed_trial;

namespace {

void fill(db::ResultStore& store) {
  store.begin_run(db_test::sample_run());
  store.record(timed_trial("slow", 1024, 400));
  store.record(timed_trial("fast", 1024, 300));
  store.record(timed_trial("small", 512, 50));
  store.record(failed_trial("wrong", 1024, TrialStatus::wrong_result));
  store.record(failed_trial("not here", 1024, TrialStatus::skipped));
  TrialRecord naive = timed_trial("other", 512, 70);
  naive.kernel = "naive";
  naive.run = {};
  store.record(naive);
}

std::string names(const std::vector<TrialRecord>& trials) {
  std::string out;
  for (const TrialRecord& trial : trials) {
    out += (out.empty() ? "" : " ") + trial.configuration.find("NAME")->text();
  }
  return out;
}

}  // namespace

TEST_SUITE("db") {
  TEST_CASE("trials are listed by size, kernel and time, those without a time last") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    fill(store);
    const auto list = [&](const db::TrialFilter& filter) {
      return names(db::trials(store.connection(), filter));
    };
    const std::string all = list({});
    CHECK(all.starts_with("other small fast slow "));
    CHECK(contains(all, "wrong"));
    CHECK(contains(all, "not here"));
    db::TrialFilter filter;
    filter.kernel = "naive";
    CHECK(list(filter) == "other");
    filter = {};
    filter.problem = db_test::cube(512);
    CHECK(list(filter) == "other small");
    filter = {};
    filter.failures = true;
    CHECK(list(filter) == "wrong");
    filter = {};
    filter.status = TrialStatus::skipped;
    CHECK(list(filter) == "not here");
    filter = {};
    filter.device = "h200";
    filter.environment = db_test::sample_environment();
    CHECK(list(filter) == all);
    filter.family = "stencil";
    CHECK(list(filter).empty());
  }

  TEST_CASE("raw samples are read only when asked for") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    fill(store);
    CHECK(db::trials(store.connection(), {})[0].outcome.measurement->samples_ns.empty());
    int seen = 0;
    db::for_each_trial(store.connection(), {}, {.samples = true}, [&](db::StoredTrial&& stored) {
      const TrialRecord& trial = stored.trial;
      seen += trial.outcome.measurement ? 1 : 0;
      if (trial.outcome.measurement) CHECK(trial.outcome.measurement->samples_ns.size() == 4);
      CHECK(stored.earlier.empty());
    });
    CHECK(seen == 4);
  }

  TEST_CASE("contests count what each size has, newest class first") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    fill(store);
    TrialRecord later = timed_trial("later", 2048, 9);
    later.environment.driver = "999";
    store.record(later);
    const auto list = db::cases(store.connection());
    REQUIRE(list.size() == 3);
    CHECK(list[0].environment.driver == "999");
    CHECK(list[1].problem == db_test::cube(512));
    CHECK(list[1].ok == 2);
    CHECK(list[2].ok == 2);
    CHECK(list[2].failed == 1);
    CHECK(list[2].skipped == 1);
    CHECK(list[2].trials() == 4);
    db::TrialFilter filter;
    filter.kernel = "naive";
    REQUIRE(db::cases(store.connection(), filter).size() == 1);
    CHECK(db::cases(store.connection(), filter)[0].ok == 1);
  }

  TEST_CASE("a trial is found by the beginning of its identifier") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    fill(store);
    const Digest wanted = db_test::key("fast");
    CHECK(db::find_trial(store.connection(), wanted.hex().substr(0, 8)).key == wanted);
    CHECK(db::find_trial(store.connection(), wanted.hex()).outcome.measurement->samples_ns.size() == 4);
    const auto refused = [&](const std::string& prefix) {
      return error_of([&] { db::find_trial(store.connection(), prefix); });
    };
    CHECK(refused("xyz1").code() == ExitCode::usage);
    CHECK(refused("ab").code() == ExitCode::usage);
    const std::string other = wanted.hex()[0] == '0' ? "1111111" : "0000000";
    CHECK(refused(other).code() == ExitCode::nothing_found);
    TrialRecord twin = timed_trial("twin", 1024, 1);
    twin.key = wanted;
    twin.key.bytes[15] ^= 1U;
    store.record(twin);
    const Error ambiguous = refused(wanted.hex().substr(0, 8));
    CHECK(ambiguous.code() == ExitCode::usage);
    CHECK(contains(ambiguous.what(), wanted.hex()));
    CHECK(contains(ambiguous.what(), twin.key.hex()));
  }

  TEST_CASE("the trials of one family or kernel cost the same however many others there are") {
    const TempFolder folder(db_test::memory_folder());
    db::ResultStore store(folder / "tuner.db");
    fill(store);
    db::TrialFilter filter;
    SUBCASE("of a family") {
      filter.family = "matmul";
    }
    SUBCASE("of a kernel") {
      filter.kernel = "naive";
    }
    const auto count = [](void* steps) { return ++*static_cast<std::int64_t*>(steps), 0; };
    const auto steps_of_few = [&] {
      std::int64_t steps = 0;
      sqlite3_progress_handler(store.connection().handle(), 1, count, &steps);
      CHECK_FALSE(db::trials(store.connection(), filter).empty());
      sqlite3_progress_handler(store.connection().handle(), 0, nullptr, nullptr);
      return steps;
    };
    const std::int64_t alone = steps_of_few();
    for (int i = 0; i < 1000; ++i) {
      TrialRecord other = timed_trial(std::to_string(i), 512, 100);
      other.problem.family = other.kernel = "other";
      store.record(other);
    }
    const std::int64_t beside_others = steps_of_few();
    MESSAGE("steps alone: " << alone << ", beside 1000 others: " << beside_others);
    CHECK(beside_others < alone * 3 / 2);
  }

  TEST_CASE("the views answer a person with a shell") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    fill(store);
    CHECK(ask(path, "SELECT configuration FROM best WHERE size = '1024'") == R"({"NAME":"fast"})");
    CHECK(ask(path, "SELECT median_ms * 1e6 FROM best WHERE size = '512' AND family = 'matmul'") == "50.0");
    CHECK(ask(path, "SELECT count(*) FROM best") == "2");
    CHECK(ask(path, "SELECT status || ': ' || detail FROM failure") ==
          "wrong_result: what went wrong with wrong");
    CHECK(ask(path, "SELECT id FROM trial WHERE configuration ->> 'NAME' = 'slow'") ==
          db_test::key("slow").hex());
    CHECK(ask(path, "SELECT registers || ' ' || block || ' ' || limited_by FROM trial WHERE size = '512'") ==
          "96 32x4x1 [\"registers\",\"shared memory\"]");
  }

  TEST_CASE("a row that someone broke is an error that names the trial") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.record(db_test::full_trial());
    db_test::meddle(path, "UPDATE configurations SET json = '[1]'");
    const Error error = error_of([&] { store.find(db_test::full_trial().key); });
    CHECK(contains(error.what(), db_test::full_trial().key.hex()));
    CHECK(contains(error.what(), "object of parameters"));
  }
}
