#include "db/result_store.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>

#include "db/export_file.hpp"
#include "db/queries.hpp"
#include "tests/db/fixture.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::failed_trial;
using db_test::full_trial;
using db_test::key;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db") {
  TEST_CASE("a trial comes back as it was recorded, every field of it") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    TrialRecord trial = full_trial();
    {
      db::ResultStore store(path);
      store.begin_run(db_test::sample_run());
      store.record(trial);
    }
    db::ResultStore store(path);
    const auto found = store.find(trial.key);
    REQUIRE(found);
    CHECK(found->measured_at.size() == 27);
    trial.measured_at = found->measured_at;
    trial.sequence = found->sequence;
    trial.outcome.energy->sequence = found->sequence;
    CHECK(trial.sequence > 0);
    CHECK(*found == trial);
    CHECK(db::export_line(db::StoredTrial{*found}) == db::export_line(db::StoredTrial{trial}));
    CHECK_FALSE(store.find(key("another")));
  }

  TEST_CASE("a failure keeps its reason, its log and an error ratio without bound") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    TrialRecord trial = failed_trial("wrong", 64, TrialStatus::wrong_result);
    trial.outcome.verification = {true, std::numeric_limits<double>::infinity(), 9, 12, 4095, "C"};
    trial.outcome.device_lost = true;
    trial.resources.reset();
    trial.occupancy.reset();
    trial.run = {};
    store.record(trial);
    auto found = store.find(trial.key).value();
    trial.measured_at = found.measured_at;
    trial.sequence = found.sequence;
    CHECK(found == trial);
    CHECK(db::export_line(db::StoredTrial{found}) == db::export_line(db::StoredTrial{trial}));
    CHECK(found.compile_log == trial.compile_log);
  }

  TEST_CASE("measuring again adds a measurement and makes it the current one") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    TrialRecord trial = timed_trial("a", 512, 100);
    store.record(trial);
    trial.outcome.measurement->median_ns = 90;
    trial.outcome.measurement->samples_ns = {90, 91};
    trial.metrics["GFLOP/s"] = 2;
    store.record(trial);
    CHECK(store.find(trial.key)->outcome.measurement->median_ns == 90);
    CHECK(store.find(trial.key)->metrics["GFLOP/s"] == 2);
    const auto all = db::measurements(store.connection(), trial.key);
    REQUIRE(all.size() == 2);
    CHECK(all[0].measurement.median_ns == 100);
    CHECK(all[1].measurement.samples_ns == std::vector<double>{90, 91});
    CHECK(ask(path, "SELECT count(*) FROM trials") == "1");
  }

  TEST_CASE("a trial that fails later keeps its measurements but competes no more") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    TrialRecord trial = timed_trial("a", 512, 100);
    store.record(trial);
    CHECK(store.best_ns(trial.problem, trial.environment) == 100);
    trial.outcome = failed_trial("a", 512, TrialStatus::crashed).outcome;
    store.record(trial);
    CHECK_FALSE(store.best_ns(trial.problem, trial.environment));
    CHECK_FALSE(store.find(trial.key)->outcome.measurement);
    CHECK(db::measurements(store.connection(), trial.key).size() == 1);
    CHECK(db::cases(store.connection())[0].failed == 1);
    CHECK(db::cases(store.connection())[0].ok == 0);
  }

  TEST_CASE("best_ns is the fastest ok trial of that problem in that class alone") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.record(timed_trial("a", 512, 100));
    store.record(timed_trial("b", 512, 80));
    TrialRecord dropped = timed_trial("c", 512, 5);
    dropped.outcome.status = TrialStatus::dropped;
    store.record(dropped);
    store.record(timed_trial("d", 1024, 10));
    TrialRecord elsewhere = timed_trial("e", 512, 20);
    elsewhere.environment.driver = "1";
    store.record(elsewhere);
    CHECK(store.best_ns(db_test::cube(512), db_test::sample_environment()) == 80);
    CHECK_FALSE(store.best_ns(db_test::cube(2048), db_test::sample_environment()));
  }

  TEST_CASE("the least time beside some kernels passes over those, that of trials over the rest") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    std::vector<Digest> keys;
    for (const auto& [kernel, time_ns] : {std::pair{"first", 100}, {"second", 80}, {"third", 90}}) {
      TrialRecord trial = timed_trial(kernel, 512, time_ns);
      trial.kernel = kernel;
      store.record(trial);
      keys.push_back(trial.key);
    }
    const auto beside = [&](const std::set<std::string>& kernels) {
      return store.least_ns_beside(kernels, db_test::cube(512), db_test::sample_environment());
    };
    CHECK(beside({}) == 80);
    CHECK(beside({"second"}) == 90);
    CHECK(beside({"second", "third", "fourth"}) == 100);
    CHECK_FALSE(beside({"first", "second", "third"}));
    CHECK_FALSE(store.least_ns_beside({}, db_test::cube(1024), db_test::sample_environment()));
    CHECK(store.least_ns(keys) == 80);
    CHECK(store.least_ns({keys[0], keys[2]}) == 90);
    CHECK_FALSE(store.least_ns({}));
  }

  TEST_CASE("the least time is of all that trials ever had, while they may be trusted") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const auto least_ns = [&] {
      const auto beside = store.least_ns_beside({}, db_test::cube(512), db_test::sample_environment());
      CHECK(beside == store.least_ns({timed_trial("a", 512, 1).key, timed_trial("b", 512, 1).key}));
      return beside;
    };
    store.record(timed_trial("a", 512, 70));
    store.record(timed_trial("a", 512, 100));
    CHECK(least_ns() == 70);
    TrialRecord dropped = timed_trial("b", 512, 10);
    dropped.outcome.status = TrialStatus::dropped;
    store.record(dropped);
    CHECK(least_ns() == 70);
    store.record(timed_trial("b", 512, 90));  // what it was dropped with is no time to be trusted
    CHECK(least_ns() == 70);
    store.record(failed_trial("a", 512, TrialStatus::wrong_result));
    CHECK(least_ns() == 90);
    store.record(failed_trial("b", 512, TrialStatus::crashed));
    CHECK_FALSE(least_ns());
  }

  TEST_CASE("a compiler's later success replaces the log of its failure") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    TrialRecord trial = failed_trial("slow", 512, TrialStatus::timeout);
    trial.resources.reset();
    trial.compile_log = "killed after 60 s";
    store.record(trial);
    TrialRecord again = timed_trial("slow", 512, 10);
    store.record(again);
    CHECK(store.find(trial.key)->compile_log == again.compile_log);
    again.compile_ms = 0;  // from a cache: says nothing new
    again.compile_log = "";
    store.record(again);
    CHECK(store.find(trial.key)->compile_log == full_trial().compile_log);
  }

  TEST_CASE("recording a trial costs the same however many there are") {
    // Counted in steps of SQLite's virtual machine, which do not depend on the load: a foreign key without an
    // index on its other side had each record() look through all trials.
    const TempFolder folder(db_test::memory_folder());
    db::ResultStore store(folder / "tuner.db");
    const auto count = [](void* steps) { return ++*static_cast<std::int64_t*>(steps), 0; };
    const auto steps_of_one = [&](const std::string& name) {
      std::int64_t steps = 0;
      sqlite3_progress_handler(store.connection().handle(), 1, count, &steps);
      store.open_attempt(timed_trial(name, 512, 100));
      store.record(timed_trial(name, 512, 100));
      sqlite3_progress_handler(store.connection().handle(), 0, nullptr, nullptr);
      return steps;
    };
    for (int i = 0; i < 20; ++i) store.record(timed_trial(std::to_string(i), 512, 100));
    const std::int64_t few = steps_of_one("after few");
    for (int i = 20; i < 1000; ++i) store.record(timed_trial(std::to_string(i), 512, 100));
    const std::int64_t many = steps_of_one("after many");
    MESSAGE("steps after 20 trials: " << few << ", after 1000: " << many);
    CHECK(many < few * 3 / 2);
  }

  TEST_CASE("10,000 keys are looked up in tens of milliseconds") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    std::vector<Digest> keys;
    for (int i = 0; i < 10'000; ++i) keys.push_back(key(std::to_string(i)));
    for (int i = 0; i < 50; ++i) store.record(full_trial(std::to_string(200 * i)));
    const auto start = std::chrono::steady_clock::now();
    const auto known = store.known(keys);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    MESSAGE("10,000 keys: " << took.count() << " ms");
    CHECK(known.size() == 50);
    const auto at_400 = std::find_if(known.begin(), known.end(),
                                     [](const KnownResult& result) { return result.trial == key("400"); });
    REQUIRE(at_400 != known.end());
    CHECK(at_400->status == TrialStatus::ok);
    CHECK(at_400->median_ns == full_trial().outcome.measurement->median_ns);
    CHECK(took.count() < 500);  // tens on an idle machine
  }

  TEST_CASE("runs are kept with their device, their end and what they measured") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const RunRecord run = db_test::sample_run();
    store.begin_run(run);
    store.record(full_trial());
    CHECK(db::runs(store.connection()).at(0).ended_at.empty());
    store.end_run(run.id, "interrupted");
    const RunRecord found = db::runs(store.connection()).at(0);
    CHECK(found.state == "interrupted");
    CHECK(found.ended_at > run.started_at);
    CHECK(found.measured == 1);
    CHECK(found.seed == run.seed);
    CHECK(found.command_line == run.command_line);
    CHECK(found.device.limits.shared_bytes_per_block_optin == 232448);
    const auto devices = db::devices(store.connection());
    REQUIRE(devices.size() == 1);
    CHECK(devices[0].id == "cuda:1");
    CHECK(devices[0].memory_bytes == run.device.memory_bytes);
  }
}
