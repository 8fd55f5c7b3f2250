#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::full_trial;
using db_test::meddle;
using db_test::TempFolder;

TEST_SUITE("db") {
  TEST_CASE("deaths that were observed count, results do not") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const TrialRecord trial = full_trial();
    store.open_attempt(trial);
    store.record(trial);
    CHECK(store.deaths(trial.key) == 0);
    store.open_attempt(trial);
    store.close_attempt(trial, TrialStatus::crashed, "illegal address");
    CHECK(store.deaths(trial.key) == 1);
    store.close_attempt(trial, TrialStatus::crashed, "a compiler's: no attempt was open");
    CHECK(store.deaths(trial.key) == 2);
    store.open_attempt(trial);
    store.close_attempt(trial, TrialStatus::timeout, "no answer");
    TrialRecord timeout = trial;
    timeout.outcome = {};
    timeout.outcome.status = TrialStatus::timeout;
    store.record(timeout);
    CHECK(store.deaths(trial.key) == 3);
    store.open_attempt(trial);
    store.close_attempt(trial, TrialStatus::skipped, "its inputs could not be made");
    CHECK(db::open_attempts(store.connection()).empty());
    CHECK(store.deaths(trial.key) == 3);
    CHECK(store.deaths(full_trial("another").key) == 0);
  }

  TEST_CASE("an attempt names its culprit before anything is known of the trial") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.open_attempt(full_trial());
    CHECK(ask(path, "SELECT configuration FROM open_attempt") ==
          R"({"AHEAD":-1,"PARTITION":"row","TILE":32})");
    const auto open = db::open_attempts(store.connection());
    REQUIRE(open.size() == 1);
    CHECK(open[0].configuration == full_trial().configuration);
    CHECK(open[0].kernel == "register_tile");
    CHECK(open[0].pid == getpid());
    CHECK(open[0].this_boot);
    CHECK(store.known({full_trial().key}).empty());
  }

  TEST_CASE("an attempt left open counts where this machine went down, and only there") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    const TrialRecord trial = full_trial();
    store.open_attempt(trial);
    CHECK(store.deaths(trial.key) == 0);
    meddle(path, "UPDATE attempts SET boot = 'the one before'");
    CHECK(store.deaths(trial.key) == 1);
    CHECK_FALSE(db::open_attempts(store.connection()).at(0).this_boot);
    meddle(path, "UPDATE attempts SET machine = 'another'");
    CHECK(store.deaths(trial.key) == 0);
  }

  TEST_CASE("a killed tuner is nobody's fault, after the next boot either") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    { db::ResultStore store(path); }
    const TrialRecord trial = full_trial();
    CHECK(db_test::in_child([&] {
            db::ResultStore store(path);
            store.open_attempt(trial);
            return 0;
          }) == 0);
    db::ResultStore store(path);
    CHECK(store.deaths(trial.key) == 0);
    store.begin_run(db_test::sample_run());
    CHECK(ask(path, "SELECT outcome FROM attempts") == "abandoned");
    meddle(path, "UPDATE attempts SET boot = 'the one before'");
    CHECK(store.deaths(trial.key) == 0);
  }

  TEST_CASE("a killed tuner whose parent did not ask about it yet is dead") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.open_attempt(full_trial());
    CHECK(db::open_attempts(store.connection()).at(0).is_alive);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(0);
    siginfo_t ended{};
    REQUIRE(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
    meddle(path, fmt::format("UPDATE attempts SET pid = {}", child));
    CHECK_FALSE(db::open_attempts(store.connection()).at(0).is_alive);
    store.begin_run(db_test::sample_run());
    CHECK(ask(path, "SELECT outcome FROM attempts") == "abandoned");
    REQUIRE(waitpid(child, nullptr, 0) == child);
  }

  TEST_CASE("beginning a run leaves the attempts of living processes alone") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.open_attempt(full_trial());
    store.begin_run(db_test::sample_run());
    CHECK(ask(path, "SELECT count(*) FROM attempts WHERE closed_at IS NULL") == "1");
  }

  TEST_CASE("a result closes the attempt of its own process and leaves another process's open") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    const TrialRecord trial = full_trial();
    store.open_attempt(trial);
    meddle(path, "UPDATE attempts SET pid = pid + 1");
    store.open_attempt(trial);
    store.record(trial);
    CHECK(ask(path, "SELECT group_concat(pid) FROM attempts WHERE closed_at IS NULL") ==
          std::to_string(getpid() + 1));
  }
}
