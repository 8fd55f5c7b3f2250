// Finals and ceilings in exports, imports and merges.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "db/case_finder.hpp"
#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/finals.hpp"
#include "db/result_store.hpp"
#include "db/statement.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::error_of;
using db_test::exported;
using db_test::key;
using db_test::race_and_hold_final;
using db_test::sample_final;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db") {
  TEST_CASE("finals and ceilings travel by export, import and merge, and arriving twice are kept once") {
    const TempFolder folder;
    {
      db::ResultStore store(folder / "a.db");
      race_and_hold_final(store);
      store.record_ceiling(
          {"NVIDIA H200", "arithmetic", ElementType::float32, 65.3e12, "GFLOP/s", key("a"), ""});
      store.record_ceiling({"NVIDIA A100", "memory", ElementType::float32, 1.4e12, "GB/s", {}, ""});
    }
    const std::string text = exported(folder / "a.db");
    std::ofstream(folder / "a.jsonl") << text;
    {
      const db::Connection target = db::open_database(folder / "b.db");
      db::import_file(target, folder / "a.jsonl");
      db::import_file(target, folder / "a.jsonl");
      CHECK(db::finals(target).size() == 1);
      // The other device has no trial here.
      CHECK(db::ceilings(target).size() == 1);
      CHECK(db::ceilings(target, "NVIDIA H200").at(0).value == 65.3e12);
      db::merge_database(target, folder / "a.db");
      db::merge_database(target, folder / "a.db");
      CHECK(db::finals(target).size() == 1);
      CHECK(db::ceilings(target).size() == 2);
    }
    CHECK(exported(folder / "b.db") == text);
    std::istringstream in(text);
    const db::Export parsed = db::parse_export(in, "a");
    REQUIRE(parsed.finals.size() == 1);
    CHECK(parsed.finals[0].entries.at(1).ratio == 1.002);
    const FinalRecord kept = db::finals(db::open_for_reading(folder / "a.db")).at(0);
    REQUIRE(!kept.coverage.empty());
    CHECK(parsed.finals[0].coverage == kept.coverage);
    CHECK(db::finals(db::open_for_reading(folder / "b.db")).at(0).coverage == kept.coverage);
    CHECK(parsed.ceilings.at(0).unit == "GFLOP/s");
  }

  TEST_CASE("a final of which a finalist was forgotten stays the same final, and the whole one is kept") {
    for (const std::string gone : {"a", "c"}) {
      CAPTURE(gone);
      const TempFolder folder;
      {
        db::ResultStore store(folder / "whole.db");
        race_and_hold_final(store);
      }
      std::filesystem::copy_file(folder / "whole.db", folder / "part.db");
      db::ForgetQuery query;
      query.trial = key(gone);
      db::forget(db::open_database(folder / "part.db"), query, false);
      for (const std::string name : {"whole", "part"})
        std::ofstream(folder / (name + ".jsonl")) << exported(folder / (name + ".db"));
      const auto check_in = [](const db::Connection& of) {
        const auto ids = db::Statement(of, "SELECT tuning_case, id FROM finals").all([](auto& row) {
          return std::pair{row.digest(), row.digest()};
        });
        REQUIRE(ids.size() == 1);
        return db::FinalChecker(of).check(ids[0].first, ids[0].second,
                                          db::CaseFinder(of).final(ids[0].second));
      };
      const db::FinalCheck here = check_in(db::open_for_reading(folder / "part.db"));
      const db::FinalCheck there = check_in(db::open_results(folder / "part.jsonl"));
      CHECK(here.final_ns > 0);
      CHECK_FALSE(here.is_off_clock());
      CHECK(here.final_ns == there.final_ns);
      CHECK(here.in_turn_ns == there.in_turn_ns);
      int made = 0;
      const auto together = [&](const std::string& first, const std::string& second) {
        const auto path = folder / std::to_string(++made);
        const db::Connection target = db::open_database(path);
        for (const std::string& name : {first, second}) {
          if (name.ends_with(".db"))
            db::merge_database(target, folder / name);
          else
            db::import_file(target, folder / name);
        }
        return exported(path);
      };
      const std::string whole = exported(folder / "whole.db");
      for (const char* one : {"whole.db", "whole.jsonl"}) {
        for (const char* other : {"part.db", "part.jsonl"}) {
          CHECK((together(one, other) == whole));  // in brackets, since exports are long
          CHECK((together(other, one) == whole));
        }
      }
      db::merge_database(db::open_database(folder / "part.db"), folder / "whole.db");
      CHECK((exported(folder / "part.db") == whole));
    }
  }

  TEST_CASE("an export of a part leaves out finals that were also between others") {
    const TempFolder folder;
    {
      db::ResultStore store(folder / "a.db");
      race_and_hold_final(store);
      TrialRecord other = timed_trial("c", 512, 105);
      other.kernel = "shared";
      store.record(other);
    }
    CHECK(contains(exported(folder / "a.db"), "{\"final\":"));
    db::TrialFilter filter;
    filter.kernel = "shared";
    CHECK_FALSE(contains(exported(folder / "a.db", filter), "{\"final\":"));
  }

  TEST_CASE("a final or ceiling that no tuner wrote is refused with the field and what was found") {
    const TempFolder folder;
    const db::Connection target = db::open_database(folder / "a.db");
    FinalRecord final = sample_final();
    final.measured_at = "2025-01-02T03:04:05.678Z";
    const Ceiling ceiling{"GPU",  "memory", ElementType::float32,      1e12,
                          "GB/s", {},       "2025-01-02T03:04:05.678Z"};
    const auto complaint = [&](std::string text, const std::string& part, const std::string& by) {
      REQUIRE(contains(text, part));
      text.replace(text.find(part), part.size(), by);
      std::ofstream(folder / "x.jsonl") << db::header_line() << text;
      return std::string(error_of([&] { db::import_file(target, folder / "x.jsonl"); }).what());
    };
    const std::string line = db::export_line(final);
    CHECK(contains(complaint(line, "\"ratio\":1.002", "\"ratio\":-1"), "final.entries.ratio is -1"));
    CHECK(contains(complaint(line, "\"rounds\":60", "\"rounds\":-60"), "final.rounds is -60"));
    CHECK(contains(complaint(line, key("b").hex(), ""), "final.chosen"));
    CHECK(contains(complaint(line, "\"tied\":true", "\"tied\":1"), "final.entries.tied"));
    CHECK(contains(complaint(line, "\"rounds\":60", "\"rounds\":61"), "no trial of that problem"));
    const std::string other = db::export_line(ceiling);
    CHECK(contains(complaint(other, "\"memory\"", "\"hope\""), "ceiling.kind is \"hope\""));
    CHECK(contains(complaint(other, "1000000000000.0", "0"), "ceiling.value is 0"));
    CHECK(ask(folder / "a.db", "SELECT count(*) FROM ceilings") == "0");
  }

  TEST_CASE("an export written before finals and temperatures imports, the new fields unknown") {
    const TempFolder folder;
    std::string line = db::export_line(db::StoredTrial{db_test::full_trial()});
    const auto cut = [&](const std::string& from, const std::string& to) {
      const std::size_t begin = line.find(from);
      REQUIRE(begin != std::string::npos);
      line.erase(begin, line.find(to, begin) - begin);
    };
    cut("\"throttled_samples\"", "\"includes_launch_latency\"");
    cut("\"workload\"", "\"gpu\"");
    std::istringstream in(db::header_line() + line);
    const TrialRecord trial = db::parse_export(in, "x").trials.at(0);
    CHECK(trial.outcome.measurement->temperature_c == 0);
    CHECK(trial.workload == Workload{});
  }
}
