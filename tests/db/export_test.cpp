#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/gzipped.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::error_of;
using db_test::failed_trial;
using db_test::full_trial;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db") {
  namespace {

  std::string exported(const std::filesystem::path& path, const db::TrialFilter& filter = {}) {
    std::ostringstream out;
    db::export_database(db::open_for_reading(path), filter, out);
    return out.str();
  }

  void fill(const std::filesystem::path& path) {
    db::ResultStore store(path);
    store.begin_run(db_test::sample_run());
    store.record(full_trial());
    store.record(timed_trial("again", 512, 100));
    store.record(timed_trial("again", 512, 90));
    store.record(failed_trial("bad", 1024, TrialStatus::compile_error));
    store.end_run(db_test::key("run"), "done");
  }

  /// What reading `text` as an export complains about.
  std::string complaint(const std::string& text) {
    return error_of([&] {
             std::istringstream in(text);
             db::parse_export(in, "x.jsonl");
           })
        .what();
  }

  }  // namespace

  TEST_CASE("an exported database imports into an equal one") {
    const TempFolder folder;
    fill(folder / "a.db");
    const std::string text = exported(folder / "a.db");
    std::ofstream(folder / "a.jsonl") << text;
    {
      const db::Connection target = db::open_database(folder / "b.db");
      const db::Added added = db::import_file(target, folder / "a.jsonl");
      CHECK(added.runs == 1);
      CHECK(added.trials == 3);
      CHECK(added.measurements == 3);
      const db::Added again = db::import_file(target, folder / "a.jsonl");
      CHECK(again.trials == 0);
      CHECK(again.measurements == 0);
    }
    CHECK(exported(folder / "b.db") == text);
    CHECK(ask(folder / "b.db", "SELECT sum(trials) FROM tallies") == "3");
  }

  TEST_CASE("an export is read without a database, each field as it was") {
    const TempFolder folder;
    fill(folder / "a.db");
    std::istringstream in(exported(folder / "a.db"));
    const db::Export parsed = db::parse_export(in, "a");
    REQUIRE(parsed.trials.size() == 3);
    REQUIRE(parsed.runs.size() == 1);
    CHECK(parsed.runs[0].seed == db_test::sample_run().seed);
    CHECK(parsed.runs[0].state == "done");
    CHECK(parsed.earlier.at(db_test::key("again")).at(0).measurement.median_ns == 100);
    const auto found = std::find_if(parsed.trials.begin(), parsed.trials.end(),
                                    [](const TrialRecord& trial) { return trial.key == full_trial().key; });
    REQUIRE(found != parsed.trials.end());
    TrialRecord expected = full_trial();
    expected.measured_at = found->measured_at;
    expected.sequence = found->sequence;
    expected.outcome.energy->sequence = found->sequence;
    CHECK(found->sequence > 0);
    CHECK(*found == expected);
    CHECK(db::export_line(db::StoredTrial{*found}) == db::export_line(db::StoredTrial{expected}));
  }

  TEST_CASE("an export has what probes said of its trials, each field of it, and of no others") {
    const TempFolder folder;
    const auto record = [](db::ResultStore& store, const std::string& name, std::int64_t size) {
      store.record(timed_trial(name, size, 1));
      ProbeVerdict verdict;
      verdict.probe = timed_trial(name, size, 1).probe_key;
      verdict.trial = db_test::key(name);
      verdict.status = TrialStatus::wrong_result;
      verdict.detail = "y[3] is wrong";
      verdict.deaths = 1;
      verdict.run = db_test::key("run");
      store.record_verdict(verdict);
    };
    {
      db::ResultStore store(folder / "a.db");
      store.begin_run(db_test::sample_run());
      record(store, "a", 64);
      record(store, "b", 128);
    }
    db::TrialFilter filter;
    filter.problem = db_test::cube(64);
    std::istringstream in(exported(folder / "a.db", filter));
    const db::Export parsed = db::parse_export(in, "a");
    REQUIRE(parsed.verdicts.size() == 1);
    const auto known = db::verdicts(db::open_for_reading(folder / "a.db"));
    const auto of_a = std::find_if(known.begin(), known.end(), [](const ProbeVerdict& verdict) {
      return verdict.trial == db_test::key("a");
    });
    REQUIRE(of_a != known.end());
    CHECK(of_a->measured_at.size() == 27);
    CHECK(parsed.verdicts[0] == *of_a);
  }

  TEST_CASE("an export of a part names only the runs of that part") {
    const TempFolder folder;
    fill(folder / "a.db");
    {
      db::ResultStore store(folder / "a.db");
      store.begin_run(db_test::sample_run("second"));
      TrialRecord trial = timed_trial("late", 64, 1);
      trial.run = db_test::key("second");
      store.record(trial);
    }
    db::TrialFilter filter;
    filter.problem = db_test::cube(64);
    const std::string text = exported(folder / "a.db", filter);
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
    CHECK(contains(text, "# second"));
    CHECK_FALSE(contains(text, "# run"));
  }

  TEST_CASE("newer figures of an import become current, older ones are only added") {
    const TempFolder folder;
    const db::Connection target = db::open_database(folder / "a.db");
    const auto import = [&](const std::string& when, double median_ns) {
      TrialRecord trial = timed_trial("a", 512, median_ns);
      trial.measured_at = when;
      std::ofstream(folder / "x.jsonl") << db::header_line() << db::export_line(db::StoredTrial{trial});
      db::import_file(target, folder / "x.jsonl");
      return db::find_trial(target, trial.key)->outcome.measurement->median_ns;
    };
    CHECK(import("2025-05-01T00:00:00.000Z", 100) == 100);
    CHECK(import("2025-04-01T00:00:00.000Z", 50) == 100);
    CHECK(import("2025-06-01T00:00:00.000Z", 70) == 70);
    CHECK(db::measurements(target, db_test::key("a")).size() == 3);
  }

  TEST_CASE("a bad line is named by its number and nothing is imported") {
    const TempFolder folder;
    const std::string good = db::export_line(db::StoredTrial{full_trial()});
    std::ofstream(folder / "x.jsonl") << db::header_line() << good << good.substr(0, 100) << '\n';
    const db::Connection target = db::open_database(folder / "a.db");
    CHECK(contains(error_of([&] { db::import_file(target, folder / "x.jsonl"); }).what(), "x.jsonl:3: "));
    CHECK(ask(folder / "a.db", "SELECT count(*) FROM trials") == "0");
    CHECK(error_of([&] { db::import_file(target, folder / "none"); }).code() == ExitCode::nothing_found);
    CHECK(contains(error_of([&] { db::import_file(target, folder.path()); }).what(), "folder"));
  }

  TEST_CASE("lines are visited in their order, and a mistake in a late one names it") {
    std::string text = db::header_line();
    for (int i = 0; i < 1000; ++i) {
      RunRecord run = db_test::sample_run();
      run.id = db_test::key(std::to_string(i));
      text += db::export_line(run);
    }
    const std::string cut = text.substr(0, text.size() - 20);
    const auto visited = [](const std::string& lines, int refused) {
      std::istringstream in(lines);
      int count = 0;
      std::string error;
      try {
        db::stream_export(in, "x", [&](db::ExportRecord&& record) {
          if (std::get<RunRecord>(record).id != db_test::key(std::to_string(count)) || count == refused)
            throw Error("not this one");
          ++count;
        });
      } catch (const Error& refusal) {
        error = refusal.what();
      }
      return std::pair(count, error);
    };
    CHECK(visited(text, -1) == std::pair(1000, std::string()));
    CHECK(visited(text, 700) == std::pair(700, std::string("x:702: not this one")));
    CHECK(visited(cut, -1).first == 999);
    CHECK(contains(visited(cut, -1).second, "x:1001: no valid JSON"));
    CHECK(visited(cut, 998) == std::pair(998, std::string("x:1000: not this one")));
  }

  TEST_CASE("a gzipped export is read as it is; one that is cut off is refused whole") {
    const TempFolder folder;
    fill(folder / "a.db");
    std::ostringstream text;
    db::export_database(db::open_for_reading(folder / "a.db"), {}, text);
    const std::filesystem::path packed = folder / "x.jsonl.gz";
    tuner::test::write_gzipped(packed, text.str());
    const db::Connection target = db::open_database(folder / "b.db");
    db::import_file(target, packed);
    std::ostringstream again;
    db::export_database(target, {}, again);
    CHECK(again.str() == text.str());
    CHECK(db::parse_export(packed).trials.size() == db::trials(target, {}).size());

    std::filesystem::resize_file(packed, std::filesystem::file_size(packed) - 20);
    const db::Connection other = db::open_database(folder / "c.db");
    CHECK(contains(error_of([&] { db::import_file(other, packed); }).what(), "x.jsonl.gz is damaged"));
    CHECK(ask(folder / "c.db", "SELECT count(*) FROM trials") == "0");
  }

  TEST_CASE("an export that another program wrote anew is read in place of a database, blanks and all") {
    const TempFolder folder;
    std::ofstream(folder / "theirs.jsonl") << R"({"format": "tuner-export", "version": 6})" << '\n';
    CHECK(db::trials(db::open_results(folder / "theirs.jsonl"), {}).empty());
  }

  TEST_CASE("what is not an export, or is out of bounds, is refused with the field and what was found") {
    const std::string header = db::header_line();
    CHECK(contains(complaint(""), "empty"));
    CHECK(contains(complaint("hello\n"), "x.jsonl:1: no valid JSON at character 1"));
    CHECK(contains(complaint("{\"format\":\"other\",\"version\":1}\n"), "format is \"other\""));
    CHECK(contains(complaint("{\"format\":\"tuner-export\",\"version\":9}\n"), "newer"));
    CHECK(contains(complaint(header + std::string(100'000, '[') + '\n'), "deeper"));
    const std::string good = db::export_line(db::StoredTrial{full_trial()});
    const auto replaced = [&](const std::string& part, const std::string& by) {
      std::string text = good;
      REQUIRE(contains(text, part));
      return header + text.replace(text.find(part), part.size(), by);
    };
    CHECK(contains(complaint(replaced("\"status\":\"ok\"", "\"status\":\"fine\"")), "status is \"fine\""));
    CHECK(contains(complaint(replaced("\"M\":512", "\"M\":-512")), "positive size"));
    CHECK(contains(complaint(replaced("\"registers\":96", "\"registers\":1e99")), "resources.registers"));
    CHECK(contains(complaint(replaced("\"type\":\"float\"", "\"type\":\"quaternion\"")), "element type"));
    for (const std::string figure : {"-1.0", "0.0", "\"inf\"", "\"nan\""}) {
      CAPTURE(figure);
      CHECK(contains(complaint(replaced("\"median_ns\":100.25", "\"median_ns\":" + figure)),
                     "x.jsonl:2: measurement.median_ns is " + figure + ", a positive number"));
    }
    CHECK(
        contains(complaint(replaced("\"low_ns\":99.5", "\"low_ns\":100.5")), "measurement.low_ns is 100.5"));
    CHECK(contains(complaint(replaced("\"high_ns\":101.25", "\"high_ns\":\"inf\"")), "high_ns is \"inf\""));
    CHECK(contains(complaint(replaced("\"high_ns\":101.25", "\"high_ns\":99.75")), "high_ns is 99.75"));
    CHECK(contains(complaint(replaced("\"min_ns\":99.875", "\"min_ns\":\"nan\"")), "min_ns is \"nan\""));
    CHECK(contains(complaint(replaced("\"samples_ns\":[", "\"samples_ns\":[-5,")), "samples_ns is -5"));
    CHECK(contains(complaint(replaced("\"compile_ms\":155.25", "\"compile_ms\":-1.0")), "compile_ms is -1"));
    CHECK(contains(complaint(replaced("\"mean_ns\":100.5", "\"mean_ns\":-1")), "energy.mean_ns is -1"));
    CHECK(contains(complaint(replaced("\"low_j\":0.125", "\"low_j\":\"inf\"")), "energy is \"inf\""));
    std::istringstream noisy(replaced("\"low_j\":0.125", "\"low_j\":-0.125"));  // an interval may reach there
    CHECK_NOTHROW(db::parse_export(noisy, "x.jsonl"));
    CHECK(contains(complaint(replaced(full_trial().key.hex(), "12")), "identifier"));
    CHECK(contains(complaint(replaced("\"samples_ns\":[", "\"samples_ns\":[null,")), "samples_ns"));
    CHECK(contains(complaint(replaced("\"grid\":[8,16,2]", "\"grid\":[8,16]")), "three whole numbers"));
    CHECK(contains(complaint(replaced("\"grid\":[8,16,2]", "\"grid\":[8,16,2,1]")), "three whole numbers"));
    CHECK(contains(complaint(replaced("\"kernel\":\"register_tile\"",
                                      "\"kernel\":\"" + std::string(100'000, 'k') + "\"")),
                   "kernel is"));
    CHECK(contains(complaint(replaced("\"operations\":", "\"operations\":-")), "operations is -"));
    CHECK(contains(complaint(replaced("\"bytes\":", "\"bytes\":-")), "bytes is -"));
    CHECK(contains(complaint(header + "[1,2]\n"), "an object was expected"));
    std::string run = db::export_line(db_test::sample_run());
    const std::string state = "\"state\":\"running\"";
    REQUIRE(contains(run, state));
    run.replace(run.find(state), state.size(), "\"state\":\"asleep\"");
    CHECK(contains(complaint(header + run), "running, done, interrupted or failed"));
  }

  TEST_CASE("a class and a problem arrive with all that tells them from others") {
    TrialRecord trial = full_trial();
    trial.environment = {"Fake GPU", "1.2", "nvrtc 9.9", ElementType::float64, "cold", "quick-7", "named"};
    trial.problem.type = ElementType::float64;
    std::istringstream in(db::header_line() + db::export_line(db::StoredTrial{trial}));
    const TrialRecord arrived = db::parse_export(in, "x").trials.at(0);
    CHECK(arrived.environment == trial.environment);
    CHECK(arrived.problem == trial.problem);
  }

  TEST_CASE("an export that its disk does not take is an error") {
    const TempFolder folder;
    fill(folder / "a.db");
    std::ofstream full("/dev/full");
    CHECK(contains(
        error_of([&] { db::export_database(db::open_for_reading(folder / "a.db"), {}, full); }).what(),
        "could not be written"));
  }

  TEST_CASE("a log that is not UTF-8 is exported all the same") {
    TrialRecord trial = full_trial();
    trial.compile_log = "bad \xFF byte";
    std::istringstream in(db::header_line() + db::export_line(db::StoredTrial{trial}));
    CHECK(db::parse_export(in, "x").trials.at(0).compile_log == "bad \xEF\xBF\xBD byte");
  }
}
