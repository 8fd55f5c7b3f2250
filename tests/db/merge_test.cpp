#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/statement.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::error_of;
using db_test::key;
using db_test::meddle;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db") {
  namespace {

  std::string exported(const std::filesystem::path& path) {
    std::ostringstream out;
    db::export_database(db::open_for_reading(path), {}, out);
    return out.str();
  }

  void fill(const std::filesystem::path& path, const std::string& run, const std::vector<std::string>& names,
            double median_ns) {
    db::ResultStore store(path);
    store.begin_run(db_test::sample_run(run));
    for (const std::string& name : names) {
      TrialRecord trial = timed_trial(name, 512, median_ns);
      trial.run = db_test::key(run);
      store.open_attempt(trial);
      store.record(trial);
    }
  }

  std::string refusal(const std::filesystem::path& target, const std::filesystem::path& source) {
    const db::Connection db = db::open_database(target);
    const std::string what = error_of([&] { db::merge_database(db, source); }).what();
    CHECK(ask(target, "SELECT count(*) FROM trials") == "0");
    return what;
  }

  }  // namespace

  TEST_CASE("merging adds what is new, keeps all measurements and lets the newer figures stand") {
    const TempFolder folder;
    fill(folder / "a.db", "first", {"only a", "both"}, 100);
    fill(folder / "b.db", "second", {"both", "only b"}, 90);
    {
      const db::Connection target = db::open_database(folder / "a.db");
      const db::Added added = db::merge_database(target, folder / "b.db");
      CHECK(added.runs == 1);
      CHECK(added.trials == 1);
      CHECK(added.measurements == 2);
      CHECK(db::find_trial(target, db_test::key("both"))->outcome.measurement->median_ns == 90);
      CHECK(db::measurements(target, db_test::key("both")).size() == 2);
      CHECK(db::merge_database(target, folder / "b.db").measurements == 0);
    }
    CHECK(ask(folder / "a.db", "SELECT sum(trials) FROM tallies") == "3");
    CHECK(ask(folder / "a.db", "PRAGMA foreign_key_check").empty());
    // The other way round the result is the same.
    const db::Connection other = db::open_database(folder / "b.db");
    CHECK(db::merge_database(other, folder / "a.db").trials == 1);
    CHECK(exported(folder / "a.db") == exported(folder / "b.db"));
  }

  TEST_CASE("what cannot be merged is refused before anything is read from it") {
    const TempFolder folder;
    const auto target = folder / "target.db";
    CHECK(contains(refusal(target, folder / "none.db"), "there is no such file"));
    CHECK(contains(refusal(target, target), "merge into"));
    std::ofstream(folder / "text.db") << std::string(200, 'x');
    CHECK(contains(refusal(target, folder / "text.db"), "not an SQLite database"));
    std::ofstream(folder / "empty.db") << "";
    CHECK(contains(refusal(target, folder / "empty.db"), "the file is empty"));
    std::ofstream(folder / "export.jsonl") << db::header_line();
    CHECK(contains(refusal(target, folder / "export.jsonl"), "begins as an export does"));
    meddle(folder / "other.db", "CREATE TABLE t (x)");
    CHECK(contains(refusal(target, folder / "other.db"), "another program"));
    fill(folder / "newer.db", "run", {"a"}, 1);
    meddle(folder / "newer.db", "PRAGMA user_version = 900");
    CHECK(contains(refusal(target, folder / "newer.db"), "version 900"));
    meddle(folder / "newer.db", "PRAGMA user_version = 8");
    CHECK(contains(refusal(target, folder / "newer.db"), "not those of version 8"));
  }

  TEST_CASE("a table that is not as we make it is not read") {
    const TempFolder folder;
    const auto source = folder / "source.db";
    fill(source, "run", {"a"}, 1);
    meddle(source,
           "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON;"
           "ALTER TABLE kernels RENAME TO hidden;"
           "CREATE VIEW kernels AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i "
           "FROM n;");
    CHECK(contains(refusal(folder / "target.db", source), "no table"));
  }

  TEST_CASE("a row that is none of ours is refused and nothing is merged") {
    const TempFolder folder;
    const auto source = folder / "source.db";
    fill(source, "run", {"a", "b"}, 1);
    const auto refused_after = [&](const std::string& sql) {
      std::filesystem::copy_file(source, folder / "bad.db",
                                 std::filesystem::copy_options::overwrite_existing);
      meddle(folder / "bad.db", sql);
      return refusal(folder / "target.db", folder / "bad.db");
    };
    CHECK(contains(refused_after("UPDATE configurations SET json = '[]'"), "object of parameters"));
    CHECK(contains(refused_after("UPDATE problems SET sizes = '{\"M\":0}'"), "positive size"));
    CHECK(contains(refused_after("UPDATE measurements SET samples_ns = x'0102'"), "samples"));
    CHECK(contains(refused_after("UPDATE problems SET type = 'quaternion'"), "element type"));
    CHECK(contains(refused_after("PRAGMA ignore_check_constraints = 1; UPDATE trials SET status = 'fine'"),
                   "fine"));
  }

  TEST_CASE("a foreign contest cannot bring its trials into another") {
    const TempFolder folder;
    fill(folder / "target.db", "first", {"honest"}, 100);
    fill(folder / "source.db", "second", {"liar"}, 1);
    // Their rows say another driver under the identifiers of ours.
    meddle(folder / "source.db", "UPDATE environments SET driver = 'another'");
    const db::Connection target = db::open_database(folder / "target.db");
    db::merge_database(target, folder / "source.db");
    CHECK(ask(folder / "target.db", "SELECT count(*) FROM cases") == "2");
    CHECK(ask(folder / "target.db", "SELECT configuration FROM best WHERE driver = '580.159.04'") ==
          R"({"NAME":"honest"})");
  }

  TEST_CASE("what another program would have written otherwise is merged as this one writes it") {
    const TempFolder folder;
    fill(folder / "source.db", "run", {"a", "b"}, 1);
    const auto merged = [&](const std::string& sql) {
      std::filesystem::copy_file(folder / "source.db", folder / "other.db",
                                 std::filesystem::copy_options::overwrite_existing);
      meddle(folder / "other.db", "PRAGMA foreign_keys = OFF;" + sql);
      const auto path = folder / "target.db";
      std::filesystem::remove(path);
      const db::Connection target = db::open_database(path);
      CHECK(db::merge_database(target, folder / "other.db").trials == 2);
      // The same rows with the ids and words that are theirs are nothing new.
      CHECK(db::merge_database(target, folder / "source.db").measurements == 0);
      return exported(path) +
             ask(path, "SELECT group_concat(json) FROM (SELECT json FROM configurations ORDER BY json)") +
             ask(path, "SELECT group_concat(hex(id)) FROM (SELECT id FROM measurements ORDER BY id)") +
             ask(path,
                 "SELECT group_concat(metrics || occupancy_limited_by || coalesce(verification_first_wrong, "
                 "'-')) FROM trials");
    };
    meddle(folder / "source.db", "PRAGMA wal_checkpoint(TRUNCATE)");
    const std::string plain = merged("");
    CHECK(merged("UPDATE configurations SET json = replace(json, ':', ': ')") == plain);
    CHECK(merged("UPDATE measurements SET id = randomblob(16); UPDATE trials SET measurement = "
                 "(SELECT m.id FROM measurements AS m WHERE m.trial = trials.id)") == plain);
    CHECK(merged("UPDATE configurations SET id = CAST(substr(id, 2) || x'00' AS BLOB); UPDATE trials SET "
                 "configuration = "
                 "CAST(substr(configuration, 2) || x'00' AS BLOB)") == plain);
    CHECK(merged("UPDATE trials SET metrics = replace(metrics, ':', ' : '); UPDATE measurements SET "
                 "metrics = replace(metrics, ':', ' : ')") == plain);
    CHECK(merged("UPDATE trials SET occupancy_limited_by = replace(occupancy_limited_by, ',', ', '), "
                 "verification_first_wrong = -5") == plain);
  }

  TEST_CASE("a damaged database is refused") {
    const TempFolder folder;
    const auto source = folder / "source.db";
    fill(source, "run", {"a"}, 1);
    meddle(source, "PRAGMA journal_mode = delete");
    std::fstream file(source, std::ios::in | std::ios::out | std::ios::binary);
    const std::int64_t root =
        std::stoll(ask(source, "SELECT rootpage FROM sqlite_schema WHERE name = 'trials'"));
    file.seekp((root - 1) * 4096 + 8);
    file << std::string(64, '\xA5');
    file.close();
    CHECK_FALSE(refusal(folder / "target.db", source).empty());
  }

  TEST_CASE("a shard in a folder that machines share is merged without a lock on it") {
    const TempFolder folder;
    const auto shard = folder / "shard.db";
    fill(shard, "run", {"a"}, 1);
    db::OpenOptions shared;
    shared.file_system = [](const std::filesystem::path&) {
      return std::optional(db::SharedFileSystem{"NFS", true});
    };
    const db::Connection target = db::open_database(folder / "target.db");
    CHECK(db::merge_database(target, shard, shared).trials == 1);
    CHECK_FALSE(std::filesystem::exists(shard.string() + "-shm"));
  }

  TEST_CASE("what its probes failed does not become right where an export lacks what they said") {
    const TempFolder folder;
    fill(folder / "source.db", "run", {"a"}, 1);
    db::ResultStore(folder / "source.db")
        .record_verdict({key("a probes"), TrialStatus::wrong_result, "at 17", 0, key("a"), key("run"),
                         "2026-01-02T03:04:05Z"});
    const std::string whole = exported(folder / "source.db");
    std::istringstream lines(whole);
    std::ofstream cut(folder / "cut.jsonl");
    for (std::string line; std::getline(lines, line);)
      if (!contains(line, "\"verdict\"")) cut << line << '\n';
    cut.close();
    std::ofstream(folder / "whole.jsonl") << whole;
    const db::Connection target = db::open_database(folder / "target.db");
    const auto held = [&] {
      return ask(folder / "target.db", "SELECT status || detail || (measurement IS NULL) FROM trials");
    };
    db::import_file(target, folder / "cut.jsonl");
    CHECK(held() == "wrong_resultat 171");
    CHECK(ask(folder / "target.db", "SELECT count(*) FROM measurements") == "0");
    for (const char* file : {"whole.jsonl", "cut.jsonl"}) {
      db::import_file(target, folder / file);
      CHECK(held() == "wrong_resultat 170");
      CHECK(ask(folder / "target.db", "SELECT count(*) FROM earlier_failures") == "0");
    }
  }

  TEST_CASE("what was measured, and then failed by its probes, is merged and imported as that") {
    const TempFolder folder;
    fill(folder / "source.db", "run", {"a"}, 1);
    {
      db::ResultStore store(folder / "source.db");
      store.record_verdict({key("a probes"), TrialStatus::wrong_result, "at 17", 0, key("a"), key("run"),
                            "2026-01-02T03:04:05Z"});
    }
    std::ofstream(folder / "source.jsonl") << exported(folder / "source.db");
    const auto held = [](const std::filesystem::path& path) {
      return ask(path,
                 "SELECT t.status || ' ' || t.detail || ' ' || m.status FROM trials AS t "
                 "JOIN measurements AS m ON m.id = t.measurement AND m.trial = t.id");
    };
    CHECK(held(folder / "source.db") == "wrong_result at 17 ok");
    const auto added = [&](const std::string& name, const auto& how) {
      const db::Connection target = db::open_database(folder / name);
      how(target);
      CHECK(how(target).measurements == 0);
      return held(folder / name);
    };
    CHECK(added("merged.db", [&](const auto& db) { return db::merge_database(db, folder / "source.db"); }) ==
          held(folder / "source.db"));
    CHECK(added("imported.db", [&](const auto& db) {
            return db::import_file(db, folder / "source.jsonl");
          }) == held(folder / "source.db"));
    const db::Connection own = db::extract_run(db::open_for_reading(folder / "source.db"), key("run"));
    CHECK(own.text("SELECT status FROM trials") == "wrong_result");
  }

  TEST_CASE("of several databases all are merged or none, and no index is lost") {
    const TempFolder folder(db_test::memory_folder());
    fill(folder / "target.db", "first", {"here"}, 100);
    fill(folder / "1.db", "second", {"a", "b"}, 90);
    fill(folder / "2.db", "third", {"b", "c"}, 80);
    fill(folder / "bad.db", "fourth", {"d"}, 70);
    meddle(folder / "bad.db", "UPDATE configurations SET json = '[]'");
    constexpr const char* schema =
        "SELECT group_concat(line, x'0A') FROM (SELECT type || name || coalesce(sql, '') AS line FROM "
        "sqlite_schema ORDER BY line)";
    const std::string made = ask(folder / "target.db", schema);
    const std::string before = exported(folder / "target.db");
    const auto check_whole = [&] {
      CHECK(ask(folder / "target.db", schema) == made);
      CHECK(ask(folder / "target.db", "PRAGMA integrity_check") == "ok");
    };
    const db::Connection target = db::open_database(folder / "target.db");
    const auto told = error_of([&] {
      db::merge_databases(target, {folder / "1.db", folder / "bad.db", folder / "2.db"});
    });
    CHECK(contains(told.what(), "bad.db"));
    CHECK(exported(folder / "target.db") == before);
    check_whole();
    // A file that is not there is told before the others are read.
    std::size_t read = 0;
    db::MergeOptions counting;
    counting.progress = [&](const std::filesystem::path&, const db::Added&) { ++read; };
    const auto missing = error_of([&] {
      db::merge_databases(target, {folder / "1.db", folder / "none.db"}, counting);
    });
    CHECK(contains(missing.what(), "none.db"));
    CHECK(read == 0);
    const auto added = db::merge_databases(target, {folder / "1.db", folder / "2.db"}, counting);
    REQUIRE(added.size() == 2);
    CHECK(read == 2);
    CHECK(added[0].trials == 2);
    CHECK(added[1].trials == 1);
    CHECK(added[1].measurements == 2);
    CHECK(ask(folder / "target.db", "SELECT sum(trials) FROM tallies") == "4");
    check_whole();
  }

  TEST_CASE("a merge sorts indexes anew for as much as there is, and leaves them as they are for a little") {
    const TempFolder folder(db_test::memory_folder());
    std::vector<std::string> many;
    for (int i = 0; i < 500; ++i) many.push_back("trial " + std::to_string(i));
    fill(folder / "large.db", "first", many, 100);
    fill(folder / "small.db", "second", {"a"}, 90);
    constexpr const char* place = "SELECT rootpage FROM sqlite_schema WHERE name = 'trials_fastest'";
    const auto merge = [&](const char* into, const char* from) {
      db::merge_database(db::open_database(folder / into), folder / from);
      return ask(folder / into, place);
    };
    const std::string of_large = ask(folder / "large.db", place);
    CHECK(merge("large.db", "small.db") == of_large);
    const std::string of_small = ask(folder / "small.db", place);
    CHECK(merge("small.db", "large.db") != of_small);
    CHECK(exported(folder / "small.db") == exported(folder / "large.db"));
    // So does an import, and both are heard of as they write.
    std::ofstream(folder / "all.jsonl") << exported(folder / "large.db");
    fill(folder / "third.db", "third", {"b"}, 80);
    const std::string of_third = ask(folder / "third.db", place);
    {
      const db::Connection target = db::open_database(folder / "third.db");
      std::int64_t most = 0;
      const db::Watch watch(target, [&](std::int64_t rows) { most = std::max(most, rows); });
      db::import_file(target, folder / "all.jsonl");
      CHECK(most >= 500);
    }
    CHECK(ask(folder / "third.db", place) != of_third);
    CHECK(ask(folder / "third.db", "PRAGMA foreign_key_check") == "");
  }

  TEST_CASE(
      "a trial whose probes fail anywhere comes out of a merge failed, from either side and in any order") {
    constexpr const char* ok = "";
    // What each of two databases says of the trial's probes, and whether it has the trial.
    struct Side {
      bool has_trial;
      const char* verdict;
    };
    const Side sides[] = {{true, ok}, {true, "at 1"}, {true, "at 2"}, {false, "at 1"}, {false, "at 2"}};
    const auto write = [](const std::filesystem::path& path, const std::string& run, const Side& side) {
      fill(path, run, {"bystander of " + run}, 100);
      if (side.has_trial) fill(path, run, {"a"}, 100);
      if (side.verdict == ok) return;
      db::ResultStore(path).record_verdict({key("a probes"), TrialStatus::wrong_result, side.verdict, 0,
                                            key("a"), key(run), "2026-01-02T03:04:05Z"});
    };
    for (const Side& first : sides) {
      for (const Side& second : sides) {
        if (!first.has_trial && !second.has_trial) continue;
        const TempFolder folder(db_test::memory_folder());
        write(folder / "1.db", "one", first);
        write(folder / "2.db", "two", second);
        const std::string expected = std::max<std::string>(first.verdict, second.verdict);
        {
          for (const bool at_once : {false, true}) {
            for (const bool turned : {false, true}) {
              CAPTURE(first.has_trial);
              CAPTURE(first.verdict);
              CAPTURE(second.has_trial);
              CAPTURE(second.verdict);
              CAPTURE(at_once);
              CAPTURE(turned);
              std::vector<std::filesystem::path> paths = {folder / "1.db", folder / "2.db"};
              if (turned) std::swap(paths[0], paths[1]);
              const auto path = folder / "target.db";
              std::filesystem::remove(path);
              {
                const db::Connection target = db::open_database(path);
                db::MergeOptions options;
                if (at_once) {
                  db::merge_databases(target, paths, options);
                } else {
                  for (const auto& one : paths) db::merge_databases(target, {one}, options);
                }
              }
              CHECK(ask(path,
                        "SELECT t.status || ' ' || t.detail FROM trials AS t JOIN configurations AS f ON "
                        "f.id = "
                        "t.configuration WHERE f.json = '{\"NAME\":\"a\"}'") ==
                    (expected.empty() ? "ok " : "wrong_result " + expected));
              CHECK(ask(path, "SELECT sum(trials) FROM tallies") == "3");
            }
          }
        }
      }
    }
  }

  TEST_CASE("a run that was copied while it was under way is merged as it ended, whichever comes first") {
    const TempFolder folder;
    fill(folder / "later.db", "run", {"a"}, 1);
    meddle(folder / "later.db", "PRAGMA wal_checkpoint(TRUNCATE)");
    std::filesystem::copy_file(folder / "later.db", folder / "earlier.db");
    fill(folder / "later.db", "run", {"b"}, 1);
    db::ResultStore(folder / "later.db").end_run(key("run"), "done");
    for (const bool later_first : {false, true}) {
      const auto path = folder / (later_first ? "1.db" : "2.db");
      const db::Connection target = db::open_database(path);
      db::merge_database(target, folder / (later_first ? "later.db" : "earlier.db"));
      db::merge_database(target, folder / (later_first ? "earlier.db" : "later.db"));
      CHECK(ask(path, "SELECT state || ' ' || measured FROM runs") == "done 2");
    }
  }

  TEST_CASE("a database of version 8 is merged as what it would be brought up to, and stays what it is") {
    const TempFolder folder;
    std::ifstream in(TUNER_SOURCE_DIR "/tests/db/version_8.sql");
    meddle(folder / "old.db", std::string(std::istreambuf_iterator<char>(in), {}) +
                                  "PRAGMA user_version = 8; PRAGMA application_id = 1953853029;");
    const std::string trials = ask(folder / "old.db", "SELECT count(*) FROM trials");
    CHECK(trials != "0");
    {
      const db::Connection target = db::open_database(folder / "target.db");
      CHECK(std::to_string(db::merge_database(target, folder / "old.db").trials) == trials);
      CHECK(db::merge_database(target, folder / "old.db").trials == 0);
    }
    CHECK(ask(folder / "old.db", "PRAGMA user_version") == "8");
    std::filesystem::copy_file(folder / "old.db", folder / "migrated.db");
    { const db::ResultStore migrated(folder / "migrated.db"); }
    constexpr const char* winners =
        "SELECT group_concat(hex(trial)) FROM (SELECT trial FROM winner ORDER BY trial)";
    CHECK(ask(folder / "target.db", winners) == ask(folder / "migrated.db", winners));
  }
}
