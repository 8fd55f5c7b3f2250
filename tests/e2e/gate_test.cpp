#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "db/result_store.hpp"
#include "reports/text.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::words_of;
using tuner::test::write_text;

TEST_SUITE("tuner command line, a gate") {
  namespace {

  /// 20 samples from `level` ns upwards, each farther by `step` of it.
  tuner::model::TrialRecord sampled(const std::string& name, std::int64_t size, double level,
                                    double step = 0.0002) {
    tuner::model::TrialRecord trial = db_test::timed_trial(name, size, level);
    trial.run = db_test::key("run");
    trial.outcome.measurement->includes_launch_latency = false;
    trial.outcome.measurement->samples_ns.clear();
    for (int i = 0; i < 20; ++i) trial.outcome.measurement->samples_ns.push_back(level * (1 + step * i));
    return trial;
  }

  /// Someone with results of yesterday (`old.db`), their baseline, and results of today (`new.db`): alike at
  /// 512, a tenth slower at 1024, and none at 2048.
  struct Gate : User {
    Gate() {
      record("old.db", {sampled("a", 512, 1e5), sampled("b", 1024, 7e5), sampled("c", 2048, 5e6)});
      record("new.db", {sampled("d", 512, 1.0001e5), sampled("e", 1024, 7.7e5)});
      REQUIRE(types({"baseline", "--db", "old.db"}).exit_code == 0);
    }
    void record(const std::string& database, const std::vector<tuner::model::TrialRecord>& trials) const {
      db::ResultStore store(home / database);
      store.begin_run(db_test::sample_run("run"));
      for (const auto& trial : trials) store.record(trial);
    }
    tuner::test::ProgramResult holds(const std::string& database, std::vector<std::string> more = {}) const {
      std::vector<std::string> command = {"compare", database, "tuner-baseline.json", "--fail-if-slower",
                                          "2%"};
      command.insert(command.end(), more.begin(), more.end());
      return types(command);
    }
  };

  }  // namespace

  TEST_CASE("a baseline is a small file with an entry a line, and today's results are held against it") {
    const Gate user;
    const std::string text = tuner::test::read_text(user.home / "tuner-baseline.json");
    CHECK(std::ranges::count(text, '\n') == 5);
    CHECK(text.size() < 3 * 1500);
    const auto entry = nlohmann::json::parse(text).at("entries").at(0);
    for (const char* field : {"kernel", "configuration", "median_ns", "low_ns", "high_ns", "gpu",
                              "definition", "environment", "sizes", "samples_ns"})
      CHECK(entry.contains(field));
    CHECK(user.holds("old.db").exit_code == 0);
    const auto slower = user.holds("new.db");
    CHECK(slower.exit_code == 5);
    CHECK(has(slower.out, "A is surely more than 2 % slower: matmul 1024"));
    CHECK(has(slower.out, "surely not more than 2 % slower: 1 of 2"));
    CHECK(has(slower.out, "only B: 1 problem"));
    const auto same = user.types({"compare", "tuner-baseline.json", "old.db", "--format", "json"});
    CHECK(same.exit_code == 0);
    for (const auto& one : nlohmann::json::parse(same.out).at("comparisons")) CHECK(one.at("ratio") == 1);
    CHECK_FALSE(has(user.types({"compare", "old.db", "tuner-baseline.json"}).out, "unverified"));
    CHECK(user.types({"baseline", "--db", "old.db", "--kernel", "nobody"}).exit_code == 3);
    CHECK(has(user.types({"baseline", "--db", "old.db", "-o", "my base.json"}).err,
              "tuner compare NEW.db 'my base.json' --fail-if-slower 2%"));
  }

  TEST_CASE("JUnit has a case for each size: failed, passed, or skipped with the reason") {
    const Gate user;
    const auto run = user.holds("new.db", {"--format", "junit"});
    CHECK(run.exit_code == 5);
    CHECK(has(run.out, R"(tests="3" failures="1" errors="0" skipped="1")"));
    CHECK(has(run.out,
              R"(name="1024" time="0.000770000"><failure message="more than 2 % slower: 770.0 µs by 700)"));
    CHECK(has(run.out, R"(name="512" time="0.000100010"><system-out>not more than 2 % slower)"));
    CHECK(has(run.out, R"(name="2048")"));
    CHECK(has(run.out, "not measured by A"));
    const auto refused = user.types({"compare", "new.db", "old.db", "--format", "junit"});
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "add --fail-if-slower"));
  }

  TEST_CASE(
      "cases that only the names of their sizes or their environments tell apart have names of their own") {
    const Gate user;
    std::vector<tuner::model::TrialRecord> trials = {sampled("a", 512, 1e5), sampled("b", 512, 2e5),
                                                     sampled("c", 512, 3e5), sampled("d", 1024, 4e5)};
    trials[1].problem.sizes = {{"ROWS", 512}};
    trials[2].environment.driver = "581.1";
    user.record("alike.db", trials);
    const auto run =
        user.types({"compare", "alike.db", "alike.db", "--fail-if-slower", "2%", "--format", "junit"});
    INFO(run.out, run.err);
    CHECK(has(run.out, "name=\"512 (ROWS)\""));
    CHECK(has(run.out, "name=\"512 (M x N x K), NVIDIA H200, driver 580.159.04"));
    CHECK(has(run.out, "name=\"512 (M x N x K), NVIDIA H200, driver 581.1"));
    CHECK(has(run.out, "name=\"1024\""));
  }

  TEST_CASE("a baseline says which sizes it leaves out, their best having been dropped early") {
    const Gate user;
    std::vector<tuner::model::TrialRecord> trials = {sampled("a", 512, 1e5), sampled("b", 1024, 2e5)};
    trials[1].outcome.status = tuner::model::TrialStatus::dropped;
    user.record("dropped.db", trials);
    const auto run = user.types({"baseline", "--db", "dropped.db"});
    INFO(run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(words_of(run.err), "warning: left out, since the best was dropped early"));
    CHECK(has(words_of(run.err), "holds nothing: matmul 1024 float; `tuner run --db dropped.db` measures"));
  }

  TEST_CASE("GitHub gets errors, warnings and a notice, a line each") {
    const Gate user;
    const auto run = user.holds("new.db", {"--format", "github"});
    CHECK(run.exit_code == 5);
    CHECK(has(run.out, "::error title=matmul 1024::more than 2 %25 slower: 770.0 µs by 700.0 µs"));
    CHECK(has(run.out, "::warning title=matmul 2048::in B, and not measured by A"));
    CHECK(has(run.out, "::notice title=tuner compare::1 of 2 sizes not more than 2 %25 slower"));
    CHECK(std::ranges::count(run.out, '\n') == 3);
  }

  TEST_CASE("a launch that is too small for its noise is not judged, and that is said") {
    const Gate user;
    auto short_one = sampled("f", 1024, 2000);
    short_one.outcome.measurement->includes_launch_latency = true;
    user.record("old2.db", {sampled("a", 512, 1e5, 0.04), short_one});
    const auto written = user.types({"baseline", "--db", "old2.db"});
    REQUIRE(written.exit_code == 0);
    CHECK(has(written.err, "--fail-if-slower 2%\n"));  // the files are named already
    auto longer = sampled("g", 1024, 4000);
    longer.outcome.measurement->includes_launch_latency = true;
    user.record("new2.db", {sampled("d", 512, 1.01e5, 0.04), longer});
    const auto run = user.holds("new2.db");
    CHECK(run.exit_code == 0);
    CHECK(has(run.out, "not judged: matmul 512: samples of 101.0 µs scatter so that less than"));
    CHECK(has(run.out,
              "not judged: matmul 1024: a launch takes 4.000 µs, about as long as the gap between two"));
    CHECK(has(run.out, "surely not more than 2 % slower: 0 of 2"));
    CHECK(has(user.holds("new2.db", {"--format", "junit"}).out, R"(failures="0" errors="0" skipped="2")"));
    const auto json = nlohmann::json::parse(user.holds("new2.db", {"--format", "json"}).out);
    CHECK(json.at("comparisons").at(0).at("limit").contains("not_judged"));

    // What is surely slower in spite of the noise is not let through.
    user.record("new3.db", {sampled("d", 512, 3e5, 0.04)});
    CHECK(user.holds("new3.db").exit_code == 5);
    // Nor what was short and has become long.
    user.record("new4.db", {sampled("h", 1024, 6e4)});
    CHECK(user.holds("new4.db").exit_code == 5);
  }

  TEST_CASE("a report and best say the same gain over the default") {
    const User user;
    const std::string recorded = TUNER_SOURCE_DIR "/docs/results/h200-2026-11-22-examples/examples.jsonl.gz";
    const auto best = user.types({"best", "--db", recorded});
    const auto report = user.types({"report", "--db", recorded, "--format", "json"});
    REQUIRE(report.exit_code == 0);
    std::size_t found = 0;
    const auto look = [&](const auto& self, const nlohmann::json& part) -> void {
      const auto gain = part.is_object() ? part.find("speedup_over_default") : part.end();
      if (gain != part.end() && part.is_object() && gain->is_number()) {
        CHECK(has(best.out, reports::ratio_text(gain->template get<double>())));
        ++found;
      }
      if (part.is_structured())
        for (const nlohmann::json& inner : part) self(self, inner);
    };
    look(look, nlohmann::json::parse(report.out));
    CHECK(found == 10);
  }

  TEST_CASE("a baseline that was damaged is refused with the entry") {
    const Gate user;
    const std::string text = tuner::test::read_text(user.home / "tuner-baseline.json");
    const auto refusal = [&](std::string changed) {
      write_text(user.home / "tuner-baseline.json", changed);
      const auto run = user.holds("new.db");
      CHECK(run.exit_code == 1);
      return run.err;
    };
    CHECK(has(refusal(text.substr(0, text.size() / 2)), "tuner-baseline.json"));
    std::string negative = text;
    negative.replace(negative.find("\"median_ns\":") + 12, 0, "-");
    CHECK(has(refusal(negative), "entry 1"));
    std::string newer = text;
    newer.replace(newer.find("\"version\":1"), 11, "\"version\":2");
    CHECK(has(refusal(newer), "its version is not the one that this program reads"));
  }
}
