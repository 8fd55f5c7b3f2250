#include <doctest/doctest.h>

#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::key;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db, energy") {
  namespace {

  TrialRecord trial_of(double median_ns, const std::optional<Energy>& energy) {
    TrialRecord trial = timed_trial("a", 512, median_ns);
    trial.outcome.energy = energy;
    return trial;
  }

  Energy joules(double mean_j) {
    return {mean_j, mean_j * 0.99, mean_j * 1.01, 100, 80, 1500, 5, 0};
  }

  std::optional<double> joules_in(const std::filesystem::path& path) {
    const auto trial = db::find_trial(db::open_for_reading(path), key("a"));
    REQUIRE(trial);
    return trial->outcome.energy ? std::optional(trial->outcome.energy->mean_j) : std::nullopt;
  }

  }  // namespace

  TEST_CASE("a trial's energy outlives measurements that come without one, and a newer one takes its place") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.begin_run(db_test::sample_run());
    store.record(trial_of(100, joules(0.25)));
    CHECK(joules_in(path) == 0.25);
    store.record(trial_of(90, std::nullopt));
    CHECK(joules_in(path) == 0.25);
    CHECK(db::find_trial(store.connection(), key("a"))->outcome.measurement->median_ns == 90);
    store.record(trial_of(95, joules(0.5)));
    CHECK(joules_in(path) == 0.5);
    CHECK(store.known({key("a")}).front().energy_j == 0.5);
    CHECK(store.tried(trial_of(1, {}).problem, trial_of(1, {}).environment, "register_tile")
              .front()
              .result.energy_j == 0.5);
  }

  TEST_CASE("what one database knows of the energy survives a merge with a later time, in either order") {
    const TempFolder folder;
    {
      db::ResultStore early(folder / "early.db");
      early.begin_run(db_test::sample_run());
      early.record(trial_of(100, joules(0.25)));
      db::ResultStore late(folder / "late.db");
      late.begin_run(db_test::sample_run());
      late.record(trial_of(90, std::nullopt));
    }
    for (const auto& [first, second] : {std::pair("early.db", "late.db"), std::pair("late.db", "early.db")}) {
      const auto target = folder / (std::string("to ") + first);
      for (const char* source : {first, second})
        db::merge_database(db::open_database(target), folder / source);
      CHECK(joules_in(target) == 0.25);
      CHECK(db_test::ask(target, "SELECT median_ns FROM trials") == "90.0");
    }
  }

  TEST_CASE("trials of a locked clock are of a case of their own, and others keep their identity") {
    Environment locked = db_test::sample_environment();
    const Digest before = locked.key();
    const std::string text = locked.text();
    locked.clock_mhz = 1200;
    CHECK(locked.key() != before);
    CHECK(locked.text() == text + ", clock 1200 MHz");
    locked.clock_mhz = 0;
    CHECK(locked.key() == before);
  }
}
