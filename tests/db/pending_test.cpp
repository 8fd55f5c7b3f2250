#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <csignal>
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
      trials[1].environment.l2 = std::string(2'000'000, 'x');
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

  TEST_CASE("what probes said, and how attempts ended, wait out a lock with the results") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path, impatient());
    Ear ear;
    db::PendingResults results(store, ear.say(), std::chrono::milliseconds(0));
    results.begin_run(db_test::sample_run());
    results.open_attempt(full_trial("first"));
    const db::Connection other = db::open_database(path);
    other.execute("BEGIN IMMEDIATE");
    ProbeVerdict verdict;
    verdict.probe = full_trial("first").probe_key;
    verdict.trial = full_trial("first").key;
    verdict.run = db_test::key("run");
    verdict.status = TrialStatus::crashed;
    verdict.deaths = 2;
    results.record_verdict(verdict);
    results.close_attempt(full_trial("first"), TrialStatus::crashed, "signal 11");
    CHECK(ask(path, "SELECT count(*) FROM verdicts") == "0");
    other.execute("COMMIT");
    results.record(full_trial("second"));
    CHECK(results.pending() == 0);
    CHECK(ask(path, "SELECT outcome || ': ' || detail FROM attempts") == "crashed: signal 11");
    REQUIRE(store.verdict(verdict.probe));
    CHECK(store.verdict(verdict.probe)->deaths == 2);
    CHECK(store.verdict(verdict.probe)->status == TrialStatus::crashed);
  }

  TEST_CASE("what probes said is in the file that a deleted database leaves, and import takes it") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    Ear ear;
    db::PendingResults results(store, ear.say());
    results.begin_run(db_test::sample_run());
    std::filesystem::remove(folder / "tuner.db");
    ProbeVerdict verdict;
    verdict.probe = full_trial().probe_key;
    verdict.trial = full_trial().key;
    verdict.run = db_test::key("run");
    verdict.status = TrialStatus::wrong_result;
    results.record_verdict(verdict);
    results.record(full_trial());
    const auto leftover = results.finish();
    REQUIRE(leftover);
    const db::Export parsed = db::parse_export(leftover->file);
    REQUIRE(parsed.verdicts.size() == 1);
    CHECK(parsed.verdicts[0].measured_at.size() == 27);
    const db::Connection fresh = db::open_database(folder / "fresh.db");
    db::import_file(fresh, leftover->file);
    // Its probes failed, so that it did.
    CHECK(db::find_trial(fresh, full_trial().key)->outcome.status == TrialStatus::wrong_result);
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

  TEST_CASE("lines that a disk has no room for go to the next folder, with those before them") {
    const TempFolder folder;
    CHECK(db_test::in_child([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit most = {100, 100};  // bytes of a file: as a disk that is nearly full
            if (::setrlimit(RLIMIT_FSIZE, &most) != 0) return 1;
            db::SpillFile spill(folder / "tuner.db", "pending");
            const std::string line(59, 'x');
            if (!spill.append(line + "\n") || spill.path().parent_path() != folder.path()) return 2;
            if (spill.append(line + "\n")) return 3;  // there is no folder with more room
            if (spill.path().parent_path() != std::filesystem::temp_directory_path()) return 4;
            if (files_like(folder, "pending") != 0) return 5;
            std::ifstream in(spill.path());
            const std::string text(std::istreambuf_iterator<char>(in), {});
            std::filesystem::remove(spill.path());
            return text.substr(0, 60) == line + "\n" ? 0 : 6;
          }) == 0);
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
