#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "db/database.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"

using db_test::ask;
using db_test::TempFolder;

namespace {

/// Starts children that all do their work at once; the number of those that failed.
int failures_of(int children, const std::function<void(int child)>& work) {
  std::vector<pid_t> pids;
  for (int child = 0; child < children; ++child) {
    const pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      try {
        work(child);
      } catch (...) {
        _exit(1);
      }
      _exit(0);
    }
    pids.push_back(pid);
  }
  int failed = 0;
  for (const pid_t pid : pids) {
    int status = 0;
    REQUIRE(waitpid(pid, &status, 0) == pid);
    failed += status == 0 ? 0 : 1;
  }
  return failed;
}

}  // namespace

TEST_SUITE("db") {
  TEST_CASE("two processes record 200 trials each in a database that neither of them found") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    CHECK(failures_of(2, [&](int child) {
            db::ResultStore store(path);
            store.begin_run(db_test::sample_run("run of " + std::to_string(child)));
            for (int i = 0; i < 200; ++i) {
              auto trial =
                  db_test::timed_trial(std::to_string(child) + '/' + std::to_string(i), 512, 100 + i);
              store.open_attempt(trial);
              store.record(trial);
            }
          }) == 0);
    CHECK(ask(path, "SELECT count(*) FROM trials") == "400");
    CHECK(ask(path, "SELECT sum(trials) FROM tallies") == "400");
    CHECK(ask(path, "SELECT count(*) FROM attempts WHERE outcome = 'ok'") == "400");
    CHECK(ask(path, "PRAGMA integrity_check") == "ok");
    CHECK(ask(path, "PRAGMA foreign_key_check").empty());
  }

  TEST_CASE("many processes may create one database at once") {
    const TempFolder folder;
    for (int round = 0; round < 5; ++round) {
      const auto path = folder / (std::to_string(round) + ".db");
      CHECK(failures_of(8, [&](int) { db::ResultStore store(path); }) == 0);
      CHECK(ask(path, "PRAGMA journal_mode") == "wal");
    }
  }

  TEST_CASE("a reader is not held up by a transaction that writes") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    store.record(db_test::full_trial());
    const db::Connection writer = db::open_database(path);
    writer.execute("BEGIN IMMEDIATE; DELETE FROM measurements WHERE 0;");
    const db::Connection reader = db::open_for_reading(path);
    CHECK(reader.integer("SELECT count(*) FROM trials") == 1);
    writer.execute("ROLLBACK");
  }
}
