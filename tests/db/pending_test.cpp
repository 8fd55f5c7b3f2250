#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/pending_results.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::full_trial;
using db_test::TempFolder;

namespace {

db::OpenOptions impatient() {
  db::OpenOptions options;
  options.busy_timeout = std::chrono::milliseconds(1);
  return options;
}

/// Everything said so far, a line each.
struct Ear {
  std::string heard;
  db::PendingResults::Say say() {
    return [this](const std::string& sentence) { heard += sentence + '\n'; };
  }
};

std::size_t files_like(const TempFolder& folder, const std::string& part) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (contains(entry.path().filename().string(), part)) ++count;
  }
  return count;
}

}  // namespace

TEST_SUITE("db") {
  TEST_CASE("results and the attempts after them are one commit, and one refused row costs itself alone") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    Ear ear;
    db::PendingResults results(store, ear.say());
    results.begin_run(db_test::sample_run());
    std::vector<TrialRecord> trials(4, full_trial());
    for (std::size_t i = 0; i < trials.size(); ++i)
      trials[i].key = db_test::key("trial " + std::to_string(i));
    SUBCASE("all are taken") {
      results.turn_over({&trials[0], &trials[1]}, {&trials[2], &trials[3]});
      CHECK(ask(path, "SELECT count(*) FROM trials") == "2");
    }
    SUBCASE("one is refused") {
      trials[1].comparison_class.l2 = std::string(100, 'x');
      results.turn_over({&trials[0], &trials[1]}, {&trials[2], &trials[3]});
      CHECK(ask(path, "SELECT count(*) FROM trials") == "1");
      CHECK(contains(ear.heard, "a result was refused"));
    }
    CHECK(ask(path, "SELECT count(*) FROM attempts WHERE outcome IS NULL") == "2");
    CHECK(ask(path, "SELECT measured FROM runs") == ask(path, "SELECT count(*) FROM trials"));
  }

  TEST_CASE("a store that works is written through at once") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    Ear ear;
    db::PendingResults results(store, ear.say());
    results.begin_run(db_test::sample_run());
    results.open_attempt(full_trial());
    results.record(full_trial());
    results.end_run(db_test::key("run"), "done");
    CHECK(ask(path, "SELECT state || measured FROM runs") == "done1");
    CHECK(ask(path, "SELECT outcome FROM attempts") == "ok");
    CHECK_FALSE(results.finish());
    CHECK(ear.heard.empty());
    CHECK(files_like(folder, "pending") == 0);
  }

  TEST_CASE("results wait out a lock, in a file meanwhile, and are all written after it") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path, impatient());
    Ear ear;
    db::PendingResults results(store, ear.say(), std::chrono::milliseconds(0));
    results.begin_run(db_test::sample_run());
    const db::Connection other = db::open_database(path);
    other.execute("BEGIN IMMEDIATE");
    results.open_attempt(full_trial("first"));
    results.record(full_trial("first"));
    results.record(full_trial("second"));
    CHECK(results.pending() == 2);
    CHECK(contains(ear.heard, "locked by another process"));
    CHECK(files_like(folder, "pending") == 1);
    other.execute("COMMIT");
    results.record(full_trial("third"));
    CHECK(results.pending() == 0);
    CHECK(contains(ear.heard, "takes results again: wrote the 2"));
    CHECK(ask(path, "SELECT count(*) FROM trials") == "3");
    CHECK(ask(path, "SELECT measured FROM runs") == "3");
    CHECK(files_like(folder, "pending") == 0);
    CHECK_FALSE(results.finish());
  }

  TEST_CASE("what a deleted database cannot take is left in a file that import takes") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    Ear ear;
    db::PendingResults results(store, ear.say());
    results.begin_run(db_test::sample_run());
    results.record(full_trial("first"));
    std::filesystem::remove(path);
    results.record(full_trial("second"));
    results.record(full_trial("third"));
    results.end_run(db_test::key("run"), "done");
    const auto leftover = results.finish();
    REQUIRE(leftover);
    CHECK(leftover->trials == 2);
    CHECK(contains(leftover->reason, "deleted or moved"));
    CHECK(contains(ear.heard, leftover->file.string()));
    CHECK(db::parse_export(leftover->file).runs.at(0).id == db_test::key("run"));
    const db::Connection fresh = db::open_database(folder / "fresh.db");
    CHECK(db::import_file(fresh, leftover->file).trials == 2);
    CHECK(db::find_trial(fresh, db_test::key("third"))->run == db_test::key("run"));
  }

  TEST_CASE("a row that the store refuses for what it says is put aside, and the rows after it are written") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    Ear ear;
    db::PendingResults results(store, ear.say());
    results.begin_run(db_test::sample_run());
    results.record(full_trial("first"));
    TrialRecord absurd = full_trial("absurd");
    absurd.outcome.measurement->median_ns = 0;
    results.record(absurd);
    results.record(full_trial("second"));
    CHECK(results.pending() == 0);
    CHECK(ask(path, "SELECT count(*) FROM trials") == "2");
    CHECK(contains(ear.heard, "a result was refused"));
    const auto leftover = results.finish();
    REQUIRE(leftover);
    CHECK(leftover->refused == 1);
    CHECK(leftover->trials == 0);
    std::ifstream file(leftover->refused_file);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    CHECK(contains(text, absurd.key.hex()));
  }

  TEST_CASE("a store that failed is not asked again before its time") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path, impatient());
    Ear ear;
    db::PendingResults results(store, ear.say(), std::chrono::hours(1));
    results.begin_run(db_test::sample_run());
    {
      const db::Connection other = db::open_database(path);
      other.execute("BEGIN IMMEDIATE");
      results.record(full_trial("first"));
      other.execute("COMMIT");
    }
    results.record(full_trial("second"));
    CHECK(results.pending() == 2);
    CHECK_FALSE(results.finish());
    CHECK(ask(path, "SELECT count(*) FROM trials") == "2");
  }

  TEST_CASE("a folder that takes no file passes the lines on to the next") {
    const TempFolder folder;
    db::SpillFile spill(folder / "no such folder/tuner.db", "pending");
    spill.set_preamble("head\n");
    REQUIRE(spill.append("one\n"));
    CHECK(spill.path().parent_path() == std::filesystem::temp_directory_path());
    REQUIRE(spill.append("two\n"));
    CHECK(std::filesystem::file_size(spill.path()) == 13);
    const auto path = spill.path();
    spill.discard();
    CHECK_FALSE(std::filesystem::exists(path));
    REQUIRE(spill.append("three\n"));
    CHECK(spill.path().parent_path() == std::filesystem::temp_directory_path());
    CHECK(std::filesystem::file_size(spill.path()) == 11);
    spill.discard();
  }
}
