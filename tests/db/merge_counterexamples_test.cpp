// What a merge that is nearly right would bring along, leave behind or not notice.
#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <string>

#include "db/database.hpp"
#include "db/finals.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace db_test;
using tuner::model::Configuration;
using tuner::model::TrialRecord;
using tuner::model::TrialStatus;
using tuner::model::Value;

TEST_SUITE("db::merge") {
  namespace {

  /// Two databases, of which `source` has four trials and is closed.
  struct Pair {
    explicit Pair(const std::function<void(db::ResultStore&)>& fill = {}) {
      {
        db::ResultStore store(source);
        store.begin_run(sample_run());
        for (const char* name : {"a", "b", "c", "d"}) store.record(timed_trial(name, 512, 100));
        if (fill) fill(store);
      }
      meddle(source, "PRAGMA journal_mode = delete");
    }

    std::string refusal() const {
      const db::Connection db = db::open_database(target);
      std::string what = error_of([&] { db::merge_database(db, source); }).what();
      CHECK(ask(target, "SELECT count(*) FROM trials") == "0");
      return what;
    }
    db::Added merge() const { return db::merge_database(db::open_database(target), source); }

    TempFolder folder;
    std::filesystem::path source = folder / "source.db";
    std::filesystem::path target = folder / "target.db";
  };

  }  // namespace

  TEST_CASE("a database with a trigger of its own is not merged, wherever its name puts it") {
    for (const std::string name : {"aardvark", "zebra"}) {
      const Pair pair;
      meddle(pair.source, "CREATE TRIGGER " + name + " AFTER INSERT ON trials BEGIN SELECT 1; END");
      CHECK_FALSE(pair.refusal().empty());
    }
  }

  TEST_CASE("a database whose tables have our names and other columns is not merged") {
    const Pair pair;
    meddle(pair.source, "ALTER TABLE runs ADD COLUMN remark TEXT");
    CHECK(contains(pair.refusal(), "has no table 'runs'"));
  }

  TEST_CASE("a table whose rows are out of their order is damaged, though each can be read") {
    const Pair pair;
    const std::int64_t root =
        std::stoll(ask(pair.source, "SELECT rootpage FROM sqlite_schema WHERE name = 'trials'"));
    const std::int64_t page_bytes = std::stoll(ask(pair.source, "PRAGMA page_size"));
    // Behind the 8 bytes of a leaf's head are the places of its rows, 2 bytes each, by row number.
    std::fstream file(pair.source, std::ios::in | std::ios::out | std::ios::binary);
    char head[12] = {};
    file.seekg((root - 1) * page_bytes);
    file.read(head, sizeof head);
    REQUIRE(head[0] == 13);
    std::swap(head[8], head[10]);
    std::swap(head[9], head[11]);
    file.seekp((root - 1) * page_bytes);
    file.write(head, sizeof head);
    file.close();
    REQUIRE(ask(pair.source, "SELECT count(DISTINCT sequence) FROM trials NOT INDEXED") == "4");
    CHECK(contains(pair.refusal(), "damaged in table 'trials'"));
  }

  TEST_CASE("a merge brings finals along, and what they chose is the best here") {
    const Pair pair([](db::ResultStore& store) { store.record_final(sample_final(), {}); });
    CHECK(pair.merge().trials == 4);
    CHECK(ask(pair.target, "SELECT count(*) FROM finals") == "1");
    CHECK(ask(pair.target, "SELECT configuration FROM best") == R"({"NAME":"b"})");
  }

  TEST_CASE("what a run measured is exported as it measured it, though a later run measured it again") {
    const Pair pair([](db::ResultStore& store) {
      store.begin_run(sample_run("later"));
      TrialRecord again = timed_trial("a", 512, 50);
      again.run = key("later");
      store.record(again);
    });
    const db::Connection all = db::open_for_reading(pair.source);
    const auto median_of = [&](const char* run) {
      return db::find_trial(db::extract_run(all, key(run)), key("a"))->outcome.measurement->median_ns;
    };
    CHECK(median_of("run") == 100);
    CHECK(median_of("later") == 50);
  }

  TEST_CASE("a run has the finals that it held, and no other's") {
    const Pair pair([](db::ResultStore& store) {
      store.record_final(sample_final(), {});
      store.begin_run(sample_run("later"));
    });
    const db::Connection all = db::open_for_reading(pair.source);
    CHECK(db::finals(db::extract_run(all, key("run"))).size() == 1);
    CHECK(db::finals(db::extract_run(all, key("later"))).empty());
  }

  TEST_CASE("words that another program wrote otherwise are merged as this one writes them, each by itself") {
    for (const std::string edit :
         {"occupancy_limited_by = replace(occupancy_limited_by, ',', ' , ')",
          "macros = replace(macros, ':', ' : ')", "metrics = replace(metrics, ':', ' : ')"}) {
      CAPTURE(edit);
      const Pair pair;
      meddle(pair.source, "UPDATE trials SET " + edit);
      CHECK(pair.merge().trials == 4);
      CHECK(ask(pair.target,
                "SELECT count(*) FROM trials WHERE instr(occupancy_limited_by || macros || metrics, ' : ') "
                "+ instr(occupancy_limited_by || macros || metrics, ' , ') > 0") == "0");
    }
  }

  TEST_CASE("a trial whose configuration lacks a parameter of its kernel is refused") {
    const Pair pair([](db::ResultStore& store) {
      TrialRecord other = timed_trial("other", 512, 100);
      other.configuration = Configuration({{"OTHER", Value(std::string("other"))}});
      store.record(other);
    });
    meddle(pair.source, "UPDATE trials SET kernel = (SELECT kernel FROM trials ORDER BY rowid LIMIT 1)");
    REQUIRE(ask(pair.source, "SELECT count(DISTINCT kernel) FROM trials") == "1");
    CHECK(contains(pair.refusal(), "{\"OTHER\":\"other\"} has no NAME"));
  }

  TEST_CASE("figures that a trial repeats otherwise than its measurement has them are the measurement's") {
    for (const std::string figure : {"median_ns", "low_ns", "high_ns"}) {
      CAPTURE(figure);
      const Pair pair;
      meddle(pair.source, "UPDATE trials SET " + figure + " = 7");
      CHECK(pair.merge().trials == 4);
      CHECK(ask(pair.target, "SELECT count(*) FROM trials WHERE " + figure + " = 7") == "0");
    }
  }

  TEST_CASE("a measurement that no clock can have taken is refused") {
    for (const std::string time : {"9e999", "0", "-3"}) {
      CAPTURE(time);
      const Pair pair;
      meddle(pair.source, "UPDATE measurements SET median_ns = " + time + ", status = 'dropped'");
      CHECK(contains(pair.refusal(), "a measurement takes "));
    }
  }

  TEST_CASE("kernels of one family with the same parameters stay apart in an import") {
    const Pair pair([](db::ResultStore& store) {
      TrialRecord other = timed_trial("other", 512, 100);
      other.kernel = "naive";
      store.record(other);
    });
    {
      std::ofstream out(pair.folder / "all.jsonl");
      db::export_database(db::open_for_reading(pair.source), {}, out);
    }
    const db::Connection target = db::open_database(pair.target);
    db::import_file(target, pair.folder / "all.jsonl");
    CHECK(db::find_trial(target, key("other"))->kernel == "naive");
    CHECK(db::find_trial(target, key("a"))->kernel == "register_tile");
  }

  TEST_CASE("what a run saw fail is exported as it saw it, though a later run measured it") {
    TrialRecord failed = failed_trial("again", 512, TrialStatus::wrong_result);
    failed.outcome.verification = {true, 3.5, 9, 12, 4095, "C", "equal"};
    const Pair pair([&](db::ResultStore& store) {
      store.record(failed);
      store.begin_run(sample_run("later"));
      TrialRecord measured = timed_trial("again", 512, 50);
      measured.run = key("later");
      store.record(measured);
    });
    const db::Connection all = db::open_for_reading(pair.source);
    const auto then = db::find_trial(db::extract_run(all, key("run")), key("again"));
    REQUIRE(then);
    CHECK(then->outcome == failed.outcome);
    CHECK(then->metrics.empty());
    CHECK(then->run == key("run"));
    const auto later = db::find_trial(db::extract_run(all, key("later")), key("again"));
    REQUIRE(later);
    CHECK(later->outcome.measurement->median_ns == 50);
    CHECK_FALSE(db::find_trial(db::extract_run(all, key("later")), key("a")));
  }
}
