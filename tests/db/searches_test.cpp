#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "db/case_finder.hpp"
#include "db/database.hpp"
#include "db/pending_results.hpp"
#include "db/result_store.hpp"
#include "db/stored_values.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::error_of;
using db_test::sample_search;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db") {
  namespace {

  std::optional<Searched> searched(const db::Connection& db, const std::string& kernel = "") {
    return db::SearchFinder(db).searched(db::case_id(db_test::cube(512), db_test::sample_environment()),
                                         kernel);
  }

  /// A run that tried these configurations of register_tile, and what it then said of the rest.
  void search(const std::filesystem::path& path, const std::string& run,
              const std::vector<std::string>& names, double gain = 0.004) {
    db::ResultStore store(path);
    store.begin_run(db_test::sample_run(run));
    for (const std::string& name : names) {
      TrialRecord trial = timed_trial(name, 512, 100);
      trial.run = db_test::key(run);
      trial.origin = "of " + run;
      store.record(trial);
    }
    SearchRecord record = sample_search();
    record.run = db_test::key(run);
    record.tried = static_cast<std::int64_t>(names.size());
    record.failed = std::min(record.failed, record.tried);
    record.outlook->gain = gain;
    store.record_search(record);
  }

  KernelDeclaration declaration(const std::string& spec) {
    return {"matmul", "register_tile", Role::competitor, db_test::key("definition"), db_test::key(spec), ""};
  }

  db::ForgetQuery run_named(const std::string& run) {
    db::ForgetQuery query;
    query.run = db_test::key(run);
    return query;
  }

  }  // namespace

  TEST_CASE("a search comes back as it was recorded") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    store.begin_run(db_test::sample_run("run"));
    SearchRecord without = sample_search();
    without.problem = db_test::cube(1024);
    without.outlook.reset();
    without.ending = SearchEnding::exhausted;
    without.parts.push_back({"warp_tile", db_test::key("other spec"), 0});
    store.record_search(sample_search());
    store.record_search(without);
    store.record_search(sample_search());
    auto known = db::searches(store.connection());
    REQUIRE(known.size() == 2);
    if (known[0].problem == without.problem) std::swap(known[0], known[1]);
    CHECK(known[0] == sample_search());
    CHECK(known[1] == without);
    CHECK(db::runs(store.connection()).at(0).strategy == "genetic:population=20");
  }

  TEST_CASE("a search that cannot have ended so is refused") {
    const TempFolder folder;
    db::ResultStore store(folder / "tuner.db");
    const auto refused = [&](const std::function<void(SearchRecord&)>& edit) {
      SearchRecord search = sample_search();
      edit(search);
      const std::string what = error_of([&] { store.record_search(search); }).what();
      CHECK(ask(folder / "tuner.db", "SELECT count(*) FROM searches") == "0");
      return what;
    };
    CHECK(contains(refused([](SearchRecord& s) { s.parts.clear(); }), "0 kernels"));
    CHECK(contains(refused([](SearchRecord& s) { s.failed = 3; }), "3 of 2"));
    CHECK(contains(refused([](SearchRecord& s) { s.outlook->high = -1; }), "no expected gain"));
    CHECK(contains(refused([](SearchRecord& s) { s.outlook->gain = NAN; }), "no expected gain"));
    CHECK(contains(refused([](SearchRecord& s) { s.outlook->behind = 1.5; }), "no share"));
    CHECK(contains(refused([](SearchRecord& s) { s.outlook->faster = NAN; }), "no share"));
    CHECK(contains(refused([](SearchRecord& s) { s.outlook->stretch = -1; }), "-1 results"));
  }

  TEST_CASE("what has been tried is counted among the trials, in any database and merged in any order") {
    const TempFolder folder;
    search(folder / "a.db", "first", {"a", "b"}, 0.02);
    search(folder / "b.db", "second", {"b", "c", "d"}, 0.01);
    const auto expected = Searched{100, 4, Outlook{0.01, 0, 0.011, "model", 160, 0.04, 0.2, 0.01}, 3};
    for (const auto& [target, source] : {std::pair("a.db", "b.db"), std::pair("b.db", "a.db")}) {
      const auto merged = folder / ("merged " + std::string(target));
      std::filesystem::copy_file(folder / target, merged);
      const db::Connection db = db::open_database(merged);
      db::merge_database(db, folder / source);
      db::merge_database(db, folder / source);
      CHECK(db::searches(db).size() == 2);
      CHECK(searched(db) == expected);
      CHECK(ask(merged, "PRAGMA foreign_key_check").empty());
    }
  }

  TEST_CASE("a search settles nothing of a kernel whose trials were all superseded, in any copy") {
    const TempFolder folder;
    search(folder / "a.db", "first", {"a", "b"});
    {
      db::ResultStore store(folder / "a.db");
      store.begin_run(db_test::sample_run("second"));
      TrialRecord other = timed_trial("other", 512, 100);
      other.kernel = "other";
      store.record(other);
      for (const char* name : {"x", "y", "z"}) {
        TrialRecord edited = timed_trial(name, 1024, 100);
        edited.definition = db_test::key("edited");
        edited.run = db_test::key("second");
        store.record(edited);
      }
    }
    std::ofstream(folder / "a.jsonl") << db_test::exported(folder / "a.db");
    const db::Connection own = db::open_database(folder / "a.db");
    db::import_file(own, folder / "a.jsonl");  // decides which definition is in force
    REQUIRE(ask(folder / "a.db",
                "SELECT group_concat(superseded) FROM trials WHERE kernel = (SELECT kernel "
                "FROM trials ORDER BY rowid LIMIT 1)") == "1,1,0,0,0");
    const db::Connection copy = db::open_database(folder / "copy.db");
    db::merge_database(copy, folder / "a.db");
    const Digest asked = db::case_id(db_test::cube(512), db_test::sample_environment());
    for (const db::Connection* db : {&own, &copy}) CHECK(db::SearchFinder(*db).settled(asked, "") == 1);
  }

  TEST_CASE("an idea is kept by whichever database knows it") {
    const TempFolder folder;
    search(folder / "a.db", "first", {"a"});
    {
      // The same trial, measured later by somebody who does not say.
      db::ResultStore store(folder / "b.db");
      store.begin_run(db_test::sample_run("second"));
      TrialRecord trial = timed_trial("a", 512, 90);
      trial.run = db_test::key("second");
      trial.origin.clear();
      store.record(trial);
    }
    for (const auto& [target, source] : {std::pair("a.db", "b.db"), std::pair("b.db", "a.db")}) {
      const db::Connection db = db::open_database(folder / target);
      db::merge_database(db, folder / source);
      CHECK(db::find_trial(db, db_test::key("a"))->origin == "of first");
      CHECK(db::find_trial(db, db_test::key("a"))->outcome.measurement->median_ns == 90);
    }
  }

  TEST_CASE("an export has searches and ideas, and one of before is read as it was") {
    const TempFolder folder;
    search(folder / "a.db", "first", {"a", "b"});
    std::ostringstream out;
    db::export_database(db::open_for_reading(folder / "a.db"), {}, out);
    std::ofstream(folder / "a.jsonl") << out.str();
    const db::Connection target = db::open_database(folder / "target.db");
    db::import_file(target, folder / "a.jsonl");
    CHECK(db::searches(target) == db::searches(db::open_for_reading(folder / "a.db")));
    CHECK(searched(target)->tried == 2);
    CHECK(db::find_trial(target, db_test::key("a"))->origin == "of first");
    std::ostringstream again;
    db::export_database(target, {}, again);
    CHECK(again.str() == out.str());

    std::string before = out.str();
    before.replace(before.find("\"version\":6"), 11, "\"version\":2");
    before.erase(before.find("{\"search\""));
    for (std::size_t at = before.find(",\"origin\":\"of first\""); at != std::string::npos;
         at = before.find(",\"origin\":\"of first\""))
      before.erase(at, 20);
    std::ofstream(folder / "before.jsonl") << before;
    const db::Connection old = db::open_database(folder / "old.db");
    CHECK(db::import_file(old, folder / "before.jsonl").trials == 2);
    CHECK_FALSE(searched(old).has_value());
    CHECK(db::find_trial(old, db_test::key("a"))->origin.empty());
  }

  TEST_CASE("an export has the searches of runs that measured nothing new, where it has all") {
    const TempFolder folder;
    search(folder / "a.db", "first", {"a", "b"});
    search(folder / "a.db", "second", {});
    std::ofstream(folder / "a.jsonl") << db_test::exported(folder / "a.db");
    const db::Connection target = db::open_database(folder / "target.db");
    db::import_file(target, folder / "a.jsonl");
    CHECK(db::searches(target).size() == 2);
    CHECK(db::searches(target) == db::searches(db::open_for_reading(folder / "a.db")));
    db::TrialFilter filter;
    filter.kernel = "register_tile";
    std::ofstream(folder / "part.jsonl") << db_test::exported(folder / "a.db", filter);
    const db::Connection part = db::open_database(folder / "part.db");
    db::import_file(part, folder / "part.jsonl");
    CHECK(db::searches(part).size() == 1);
  }

  TEST_CASE("what an edited spec has made of the space is not what was searched; undone, it is again") {
    const TempFolder folder;
    search(folder / "tuner.db", "run", {"a", "b"});
    db::ResultStore store(folder / "tuner.db");
    const auto& db = store.connection();
    store.declare(declaration("spec"), {});
    CHECK(searched(db)->tried == 2);
    store.declare(declaration("edited"), {{db_test::key("a"), true}, {db_test::key("b"), false}});
    CHECK_FALSE(searched(db).has_value());
    SearchRecord after = sample_search();
    after.parts[0] = {"register_tile", db_test::key("edited"), 7};
    after.tried = 1;
    store.record_search(after);
    CHECK(searched(db) == Searched{7, 1, after.outlook, 1});
    store.declare(declaration("spec"), {{db_test::key("a"), true}, {db_test::key("b"), true}});
    CHECK(searched(db) == Searched{100, 2, sample_search().outlook, 2});
  }

  TEST_CASE("what is forgotten is not counted, and no outlook speaks of it") {
    const TempFolder folder;
    search(folder / "tuner.db", "first", {"a", "b"}, 0.02);
    search(folder / "tuner.db", "second", {"c"}, 0.01);
    const db::Connection db = db::open_database(folder / "tuner.db");
    REQUIRE(searched(db)->tried == 3);
    SUBCASE("a trial") {
      db::ForgetQuery query;
      query.trial = db_test::key("b");
      db::forget(db, query, false);
      CHECK(searched(db)->tried == 2);
      CHECK(searched(db)->outlook->gain == 0.02);
      query.trial = db_test::key("c");
      db::forget(db, query, false);
      // Of the two searches only the second was of no more than is still known.
      CHECK(searched(db) == Searched{100, 1, Outlook{0.01, 0, 0.011, "model", 160, 0.04, 0.2, 0.01}, 1});
    }
    SUBCASE("a run") {
      db::forget(db, run_named("first"), false);
      CHECK(searched(db) == Searched{100, 1, Outlook{0.01, 0, 0.011, "model", 160, 0.04, 0.2, 0.01}, 1});
      db::forget(db, run_named("second"), false);
      CHECK_FALSE(searched(db).has_value());
    }
    SUBCASE("a kernel") {
      db::ForgetQuery query;
      query.kernel = "register_tile";
      db::forget(db, query, false);
      CHECK(db::searches(db).empty());
    }
    SUBCASE("all before a day") {
      db::ForgetQuery query;
      query.before = "2999-01-01";
      db::forget(db, query, false);
      CHECK(db::searches(db).empty());
    }
    CHECK(ask(folder / "tuner.db", "PRAGMA foreign_key_check").empty());
  }

  TEST_CASE("an outlook on several kernels is not one on each") {
    const TempFolder folder;
    search(folder / "tuner.db", "run", {"a"});
    db::ResultStore store(folder / "tuner.db");
    SearchRecord both = sample_search();
    both.parts = {{"register_tile", db_test::key("spec"), 100}, {"warp_tile", db_test::key("spec 2"), 50}};
    both.tried = 1;
    both.outlook->gain = 0.5;
    store.record_search(both);
    CHECK(searched(store.connection()) == Searched{150, 1, both.outlook, 1});
    CHECK(searched(store.connection(), "register_tile")->outlook->gain == 0.004);
    CHECK_FALSE(searched(store.connection(), "warp_tile")->outlook.has_value());
  }

  TEST_CASE("one run's own report knows its own searches") {
    const TempFolder folder;
    search(folder / "tuner.db", "first", {"a", "b"});
    search(folder / "tuner.db", "second", {"c"});
    const db::Connection own =
        db::extract_run(db::open_for_reading(folder / "tuner.db"), db_test::key("second"));
    CHECK(db::searches(own).size() == 1);
    CHECK(searched(own)->tried == 1);
  }

  TEST_CASE("a search that had to wait for the database is written when it works again") {
    const TempFolder folder;
    const auto path = folder / "tuner.db";
    db::ResultStore store(path);
    db::PendingResults pending(
        store, [](const std::string&) {}, std::chrono::milliseconds(0));
    pending.begin_run(db_test::sample_run("run"));
    db_test::meddle(path, "ALTER TABLE searches RENAME TO hidden");
    pending.record_search(sample_search());
    db_test::meddle(path, "ALTER TABLE hidden RENAME TO searches");
    CHECK_FALSE(pending.finish().has_value());
    CHECK(db::searches(store.connection()).size() == 1);
  }
}
