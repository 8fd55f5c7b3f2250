#include <doctest/doctest.h>
#include <sys/utsname.h>

#include <memory>

#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::TempFolder;

TEST_SUITE("db") {
  namespace {

  RunRecord run_here(const std::string& name) {
    struct utsname host {};
    REQUIRE(uname(&host) == 0);
    RunRecord run = db_test::sample_run();
    run.id = Digest::random();
    run.host = host.nodename;
    run.state = "running";
    run.command_line = name;
    return run;
  }

  std::string state_of(const db::Connection& connection, const std::string& name) {
    for (const RunRecord& run : db::runs(connection))
      if (run.command_line == name) return run.state;
    return "";
  }

  }  // namespace

  TEST_CASE("a run whose process died is told as abandoned, and the next one mends its row") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    const RunRecord first = run_here("first");
    auto killed = std::make_unique<db::ResultStore>(path);
    killed->begin_run(first);
    CHECK_FALSE(db::is_abandoned(first));
    killed.reset();
    CHECK(db::is_abandoned(first));
    db::ResultStore next(path);
    CHECK(state_of(next.connection(), "first") == "running");  // opening changes nothing
    next.begin_run(run_here("second"));
    CHECK(state_of(next.connection(), "first") == "interrupted");
    CHECK(state_of(next.connection(), "second") == "running");
  }

  TEST_CASE("a run that is under way is left alone, in copies of its database too") {
    const TempFolder folder;
    db::ResultStore other(folder / "other.db");
    const RunRecord alive = run_here("alive");
    other.begin_run(alive);
    db::ResultStore store(folder / "tuner.db");
    {
      db::ResultStore copied(folder / "tuner.db");
      copied.begin_run(alive);  // as a merge would have brought it
    }
    store.begin_run(run_here("next"));
    CHECK(state_of(store.connection(), "alive") == "running");
    CHECK_FALSE(db::is_abandoned(alive));
  }

  TEST_CASE("nobody here can tell of a run of another host, and an ended one is not abandoned") {
    RunRecord elsewhere = run_here("elsewhere");
    elsewhere.host += "-2";
    CHECK_FALSE(db::is_abandoned(elsewhere));
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const RunRecord run = run_here("done");
    store.begin_run(run);
    store.end_run(run.id, "done");
    CHECK_FALSE(db::is_abandoned(db::runs(store.connection()).at(0)));
    CHECK(db::is_abandoned(run));  // were its row still as it began
  }
}
