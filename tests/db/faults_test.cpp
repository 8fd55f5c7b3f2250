#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "db/pending_results.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/faulty_vfs.hpp"

using db_test::ask;
using db_test::TempFolder;
using test_support::FaultyVfs;
using tuner::model::Error;

namespace {

constexpr int trials_in_session = 3;  // the first brings its kernel and problem, the second finds them

db::OpenOptions over(const std::string& vfs) {
  db::OpenOptions options;
  options.vfs = vfs;
  return options;
}

/// Opens a store, records so many trials and closes it; counts what had been committed when an error ended
/// it.
int record_session(const std::filesystem::path& path, const std::string& vfs, int trials,
                   std::optional<std::string>& error) {
  int committed = 0;
  try {
    db::ResultStore store(path, over(vfs));
    if (trials == 0) return 0;
    store.begin_run(db_test::sample_run());
    for (int i = 0; i < trials; ++i) {
      const auto trial = db_test::full_trial(std::to_string(i));
      store.open_attempt(trial);
      store.record(trial);
      ++committed;
    }
    store.end_run(db_test::key("run"), "done");
  } catch (const Error& failure) {
    error = failure.what();
  }
  return committed;
}

/// What must hold after any fault: a sound database with every trial whose record() returned.
void check_sound(const std::filesystem::path& path, int committed) {
  if (committed == 0 && ask(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'trials'") == "0") return;
  db::ResultStore store(path);  // asked over one connection: each new one reads the schema again
  CHECK(store.connection().text("PRAGMA integrity_check") == "ok");
  CHECK(store.connection().text("PRAGMA foreign_key_check").empty());
  std::vector<tuner::model::Digest> keys;
  for (int i = 0; i < committed; ++i) keys.push_back(db_test::key(std::to_string(i)));
  CHECK(store.known(keys).size() == keys.size());
  for (const auto& key : keys) CHECK(store.find(key)->outcome.measurement->samples_ns.size() == 4);
}

}  // namespace

TEST_SUITE("db") {
  TEST_CASE("the faulty file system uses write-ahead logging as the real one does") {
    const FaultyVfs vfs("faulty");
    const TempFolder folder;
    const db::ResultStore store(folder / "tuner.db", over("faulty"));
    CHECK(store.connection().text("PRAGMA journal_mode") == "wal");
  }

  TEST_CASE("whichever write or sync fails, the error is clear and the database sound") {
    FaultyVfs vfs("faulty");
    const TempFolder made;
    { const db::ResultStore store(made / "tuner.db"); }
    // First while the database is made, then, beginning with one that is, while trials are recorded.
    for (const int trials : {0, trials_in_session}) {
      for (const auto fault :
           {FaultyVfs::Fault::full, FaultyVfs::Fault::write_error, FaultyVfs::Fault::sync_error}) {
        for (const bool for_good : {false, true}) {
          // Writes fail in turn with one error and the other; of syncs there are few.
          const int step = fault == FaultyVfs::Fault::sync_error ? 1 : 2;
          int n = fault == FaultyVfs::Fault::write_error ? 2 : 1;
          for (bool came = true; came; n += step) {
            const TempFolder folder(db_test::memory_folder());
            if (trials > 0) std::filesystem::copy(made / "tuner.db", folder / "tuner.db");
            std::optional<std::string> error;
            vfs.fail(fault, n, for_good);
            const int committed = record_session(folder / "tuner.db", "faulty", trials, error);
            came = vfs.failed();
            vfs.fail(fault, 0, false);
            INFO("operation " << n << " of kind " << static_cast<int>(fault)
                              << (for_good ? " and all that follow" : ""));
            // Without an error nothing may be missing: then the fault struck a checkpoint, which is tried
            // again.
            if (error)
              CHECK(contains(*error, "tuner.db: "));
            else
              CHECK(committed == trials);
            check_sound(folder / "tuner.db", committed);
          }
          MESSAGE("operations: " << n - step);
          CHECK(n > (fault == FaultyVfs::Fault::sync_error ? 4 : 40));
        }
      }
    }
  }

  TEST_CASE("pending results lose nothing to a fault that passes, whichever write it is") {
    FaultyVfs vfs("faulty");
    int n = 1;
    for (bool came = true; came; n += 3) {
      const TempFolder folder(db_test::memory_folder());
      const auto path = folder / "tuner.db";
      db::ResultStore store(path, over("faulty"));
      db::PendingResults results(
          store, [](const std::string&) {}, std::chrono::milliseconds(0));
      results.begin_run(db_test::sample_run());
      vfs.fail(FaultyVfs::Fault::full, n, false);
      for (int i = 0; i < trials_in_session; ++i) results.record(db_test::full_trial(std::to_string(i)));
      CHECK_FALSE(results.finish());
      came = vfs.failed();
      vfs.fail(FaultyVfs::Fault::full, 0, false);
      INFO("write " << n);
      CHECK(ask(path, "SELECT count(*) FROM trials") == std::to_string(trials_in_session));
      CHECK(ask(path, "SELECT measured FROM runs") == std::to_string(trials_in_session));
    }
    CHECK(n > 20);
  }
}
