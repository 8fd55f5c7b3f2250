#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using db_test::ask;
using db_test::key;
using db_test::TempFolder;
using tuner::model::Counter;

TEST_SUITE("db counters") {
  namespace {

  const Counter read_bytes{"dram__bytes_read.sum", 4096, "byte"};
  const Counter stalled{"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 0.125,
                        "instruction"};

  /// A database with one trial, counted once a list.
  std::filesystem::path counted(const std::filesystem::path& path,
                                const std::vector<std::vector<Counter>>& counts) {
    db::ResultStore store(path);
    store.begin_run(db_test::sample_run());
    store.record(db_test::timed_trial("a", 512, 1000));
    for (const std::vector<Counter>& counters : counts) store.record_counters(key("a"), counters);
    return path;
  }

  double read_bytes_in(const std::filesystem::path& path) {
    const db::Connection database = db::open_for_reading(path);
    for (const db::StoredCounter& stored : db::counters(database, key("a")))
      if (stored.counter.metric == read_bytes.metric) return stored.counter.value;
    return -1;
  }

  void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << text;
  }

  Counter of_bytes(double value) {
    return {read_bytes.metric, value, read_bytes.unit};
  }

  }  // namespace

  TEST_CASE("what was counted last of a metric is kept, and metrics that were not counted again stay") {
    const TempFolder folder;
    const db::Connection database =
        db::open_for_reading(counted(folder / "a.db", {{read_bytes, stalled}, {of_bytes(8192)}}));
    const auto found = db::counters(database, key("a"));
    REQUIRE(found.size() == 2);
    CHECK(found[0].counter == of_bytes(8192));
    CHECK(found[0].generation == 2);
    CHECK(found[1].counter == stalled);
    CHECK(found[1].generation == 1);
    CHECK(db::counters(database, key("another")).empty());
    CHECK(db::counters(database).size() == 2);
  }

  TEST_CASE("counters go where their trials go: by export, by merge, and out with what is forgotten") {
    const TempFolder folder;
    const auto path = counted(folder / "a.db", {{read_bytes, stalled}});
    std::stringstream text;
    db::export_database(db::open_for_reading(path), {}, text);
    CHECK(contains(text.str(), R"({"counter":{"trial":")"));
    write(folder / "a.jsonl", text.str());
    {
      const db::Connection imported = db::open_database(folder / "imported.db");
      db::import_file(imported, folder / "a.jsonl");
      CHECK(db::counters(imported) == db::counters(db::open_for_reading(path)));
    }
    const db::Connection merged = db::open_database(folder / "merged.db");
    db::merge_database(merged, path);
    CHECK(db::counters(merged) == db::counters(db::open_for_reading(path)));
    CHECK(db::counters(db::extract_run(merged, db_test::sample_run().id)).size() == 2);
    db::ForgetQuery query;
    query.trial = key("a");
    db::forget(merged, query, false);
    CHECK(db::counters(merged).empty());
  }

  TEST_CASE("databases that counted the same trial merge to the same, in any order") {
    const TempFolder folder;
    const auto once = counted(folder / "once.db", {{of_bytes(1)}});
    const auto twice = counted(folder / "twice.db", {{of_bytes(2)}, {of_bytes(3)}});
    const auto other = counted(folder / "other.db", {{of_bytes(9)}});
    for (const auto& order : {std::vector{once, twice, other}, {other, twice, once}, {twice, other, once}}) {
      const auto path = folder / ("merged" + order.front().stem().string() + ".db");
      db::merge_databases(db::open_database(path), order, {});
      CHECK(read_bytes_in(path) == 3);
    }
    for (const auto& order : {std::vector{once, other}, {other, once}}) {
      const auto path = folder / ("two" + order.front().stem().string() + ".db");
      db::merge_databases(db::open_database(path), order, {});
      CHECK(read_bytes_in(path) == read_bytes_in(folder / "twoonce.db"));
    }
  }

  TEST_CASE("a counter of a stranger's export that cannot be is refused, one of no trial is left out") {
    const TempFolder folder;
    const auto import = [&](const std::string& counter) {
      write(folder / "strange.jsonl",
            "{\"format\":\"tuner-export\",\"version\":6}\n{\"counter\":" + counter + "}\n");
      const db::Connection target = db::open_in_memory();
      db::import_file(target, folder / "strange.jsonl");
      return db::counters(target).size();
    };
    const std::string trial = key("a").hex();
    const auto counter = [&](const std::string& metric, const std::string& value) {
      return "{\"trial\":\"" + trial + "\",\"metric\":\"" + metric + "\",\"value\":" + value +
             ",\"unit\":\"byte\",\"generation\":1,\"counted_at\":\"2026-11-24T00:00:00Z\"}";
    };
    CHECK(import(counter("dram__bytes_read.sum", "1")) == 0);
    CHECK(contains(db_test::error_of([&] { import(counter("", "1")); }).what(), "metric"));
    CHECK(contains(db_test::error_of([&] { import(counter(std::string(300, 'm'), "1")); }).what(), "metric"));
    CHECK(contains(db_test::error_of([&] { import(counter("m", "\"many\"")); }).what(), "value"));
  }

  TEST_CASE("a database of before has no counters, and takes them from then on") {
    const TempFolder folder;
    const auto path = folder / "a.db";
    db_test::make_before(path, counted(folder / "today.db", {{read_bytes}}), 10);
    const auto merged = folder / "merged.db";
    CHECK(db::merge_database(db::open_database(merged), path).trials == 1);
    db::ResultStore store(path);
    CHECK(db::counters(store.connection()).empty());
    store.record_counters(key("a"), {read_bytes});
    CHECK(db::counters(store.connection()).size() == 1);
    CHECK(ask(path, "SELECT count(*) FROM trials") == "1");
  }
}
