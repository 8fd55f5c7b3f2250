#include "tuner/interchange/written_files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/transfer.hpp"
#include "tests/support/run_program.hpp"
#include "tuner/interchange/recorded_space.hpp"
#include "tuner/model/error.hpp"

using namespace tuner::interchange;
using nlohmann::ordered_json;
using tuner::model::TrialRecord;
using tuner::model::TrialStatus;
using tuner::model::Value;

namespace {

TrialRecord trial(std::int64_t tile, const std::string& layout, double median_ns) {
  TrialRecord out;
  out.kernel = "copy tiles";
  out.configuration = tuner::model::Configuration({{"TILE", tile}, {"LAYOUT", Value(layout)}});
  out.problem = {"copy", {{"ROWS", 64}, {"COLUMNS", 32}}, tuner::model::ElementType::float64, 0};
  out.environment = {"GPU",  "580",        "nvrtc 13.0", tuner::model::ElementType::float64,
                     "warm", "standard-3", "spec"};
  out.compile_ms = 80.5;
  out.measured_at = "2026-11-21T12:00:00.250000Z";
  if (median_ns == 0) return out;
  out.outcome.measurement.emplace();
  out.outcome.measurement->median_ns = median_ns;
  out.outcome.measurement->samples_ns = {median_ns, median_ns + 1000, median_ns - 1000};
  out.outcome.measurement->launches_per_sample = 4;
  out.metrics["GB/s"] = 12.5;
  return out;
}

std::vector<TrialRecord> trials() {
  std::vector<TrialRecord> out = {trial(16, "row", 2.5e6), trial(8, "row", 3.25e6), trial(16, "column", 0),
                                  trial(8, "column", 0),   trial(32, "row", 0),     trial(32, "column", 0)};
  out[2].outcome.status = TrialStatus::compile_error;
  out[3].outcome.status = TrialStatus::out_of_bounds;
  out[4].outcome.status = TrialStatus::skipped;
  out[5].outcome.status = TrialStatus::unlaunchable;
  return out;
}

/// What is read again of what was written; statuses become those that the format can tell apart.
void check_read_again(const RecordedSpace& space, TrialStatus wrong) {
  CHECK(space.device == "GPU");
  CHECK(space.kernel == "copy tiles");
  CHECK(space.case_problem() == trials()[0].problem);
  REQUIRE(space.entries.size() == 5);  // the skipped one says nothing
  const RecordedTrials read = recorded_trials(space);
  CHECK(read.trials[0].configuration.json() == R"({"TILE":16,"LAYOUT":"row"})");
  CHECK(read.trials[0].outcome.measurement->median_ns == doctest::Approx(2.5e6));
  CHECK(read.trials[0].outcome.measurement->samples_ns.size() == 3);
  CHECK(read.trials[0].outcome.measurement->samples_ns[2] == doctest::Approx(2.499e6));
  CHECK(read.trials[0].compile_ms == 80.5);
  CHECK(read.trials[0].outcome.measurement->low_ns == read.trials[0].outcome.measurement->median_ns);
  CHECK(read.trials[0].outcome.measurement->high_ns == read.trials[0].outcome.measurement->median_ns);
  CHECK(read.trials[0].run == read.run.id);
  CHECK(read.trials[0].sequence == 1);
  CHECK(read.trials[4].sequence == 5);
  CHECK(read.trials[0].measured_at == "2026-11-21T12:00:00.250000Z");
  CHECK(read.trials[2].outcome.status == TrialStatus::compile_error);
  CHECK(read.trials[3].outcome.status == wrong);
  CHECK(read.trials[4].outcome.status == TrialStatus::unlaunchable);
}

}  // namespace

TEST_SUITE("tuner::interchange") {
  TEST_CASE("a cache file of Kernel Tuner's has what its schema 1.1.0 requires") {
    const ordered_json file = ordered_json::parse(kernel_tuner_cache(trials()));
    CHECK(file.at("schema_version") == "1.1.0");
    CHECK(file.at("device_name") == "GPU");
    CHECK(file.at("problem_size") == ordered_json({64, 32}));
    CHECK(file.at("tune_params_keys") == ordered_json({"TILE", "LAYOUT"}));
    CHECK(file.at("tune_params").at("TILE") == ordered_json({8, 16, 32}));
    CHECK(file.at("objective") == "time");
    REQUIRE(file.at("cache").size() == 5);
    for (const auto& [key, entry] : file.at("cache").items()) {
      CHECK(key == std::to_string(entry.at("TILE").get<int>()) + "," + entry.at("LAYOUT").get<std::string>());
      for (const char* time :
           {"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"})
        CHECK(entry.at(time).is_number());
      CHECK(entry.at("timestamp") == "2026-11-21T12:00:00.250000+00:00");
    }
    const ordered_json& first = file.at("cache").at("16,row");
    CHECK(first.at("time") == 2.5);
    CHECK(first.at("benchmark_time").get<double>() == doctest::Approx(4 * 7.5));
    CHECK(first.at("GB/s") == 12.5);
    CHECK(file.at("cache").at("16,column").at("time") == "CompilationFailedConfig");
    CHECK(file.at("cache").at("8,column").at("time") == "RuntimeFailedConfig");
    CHECK(file.at("cache").at("32,column").at("time") == "InvalidConfig");
  }

  TEST_CASE("a T4 file has what its schema 1.0.0 requires") {
    const ordered_json file = ordered_json::parse(t4_results(trials()));
    CHECK(file.at("schema_version") == "1.0.0");
    CHECK(file.at("metadata").at("timeunit") == "milliseconds");
    REQUIRE(file.at("results").size() == 5);
    std::string invalidities;
    for (const ordered_json& result : file.at("results")) {
      invalidities += result.at("invalidity").get<std::string>() + " ";
      CHECK(result.at("configuration").is_object());
      CHECK(result.at("correctness").is_number());
      CHECK(result.at("times").at("runtimes").is_array());
      CHECK(result.at("objectives") == ordered_json({"time"}));
    }
    CHECK(invalidities == "correct correct compile correctness constraints ");
    CHECK(file.at("results").at(3).at("correctness") == 0);
  }

  TEST_CASE("what failed by its probes has no time, though it was measured") {
    std::vector<TrialRecord> measured = trials();
    measured[0].outcome.status = TrialStatus::wrong_result;
    const ordered_json entry = ordered_json::parse(kernel_tuner_cache(measured)).at("cache").at("16,row");
    CHECK(entry.at("time") == "RuntimeFailedConfig");
    CHECK_FALSE(entry.contains("GB/s"));
    const ordered_json result = ordered_json::parse(t4_results(measured)).at("results").at(0);
    CHECK(result.at("measurements").empty());
    CHECK(result.at("times").at("runtimes").empty());
  }

  TEST_CASE("a metric takes the place of nothing that the formats have") {
    std::vector<TrialRecord> measured = trials();
    for (const char* name : {"time", "times", "TILE", "compile_time"}) measured[0].metrics[name] = 7;
    const ordered_json entry = ordered_json::parse(kernel_tuner_cache(measured)).at("cache").at("16,row");
    CHECK(entry.at("time") == 2.5);
    CHECK(entry.at("times").size() == 3);
    CHECK(entry.at("TILE") == 16);
    CHECK(entry.at("compile_time") == 80.5);
    int times = 0;
    const ordered_json file = ordered_json::parse(t4_results(measured));
    for (const ordered_json& one : file.at("results").at(0).at("measurements"))
      times += one.at("name") == "time" ? 1 : 0;
    CHECK(times == 1);
  }

  TEST_CASE("both are read again as they were written") {
    check_read_again(parse_recorded_space(kernel_tuner_cache(trials()), "k.json"), TrialStatus::launch_error);
    check_read_again(parse_recorded_space(t4_results(trials()), "t.json"), TrialStatus::wrong_result);
    std::vector<TrialRecord> of_another_day = trials();
    for (TrialRecord& trial : of_another_day) trial.measured_at = "2026-11-22T12:00:00.250000Z";
    const auto run_of = [](const std::vector<TrialRecord>& measured) {
      return recorded_trials(parse_recorded_space(kernel_tuner_cache(measured), "k.json")).run.id;
    };
    CHECK(run_of(of_another_day) != run_of(trials()));
    CHECK(run_of(trials()) == run_of(trials()));
    // A cache file is one that Kernel Tuner can go on writing: it takes three characters off.
    std::string open = kernel_tuner_cache(trials());
    open.resize(open.size() - 3);
    CHECK(parse_recorded_space(open + ",", "open.json").entries.size() == 5);
  }

  TEST_CASE("wisdom of kernel_launcher is a header and a line for each problem and device") {
    tuner::model::DeviceInfo gpu;
    gpu.name = "GPU";
    gpu.compute_major = 9;
    const std::string text = kernel_launcher_wisdom("matmul", {trial(16, "row", 2.5e6)}, {gpu});
    const std::size_t end = text.find('\n');
    const ordered_json header = ordered_json::parse(text.substr(0, end));
    CHECK(header.at("version") == "1.0");
    CHECK(header.at("objective") == "time");
    CHECK(header.at("key") == "matmul");
    CHECK(header.at("tunable_parameters") == ordered_json({"TILE", "LAYOUT"}));
    const ordered_json record = ordered_json::parse(text.substr(end + 1));
    CHECK(record.at("config") == ordered_json({16, "row"}));
    CHECK(record.at("problem_size") == ordered_json({64, 32}));
    CHECK(record.at("time") == 2.5);
    CHECK(record.at("environment").at("device_name") == "GPU");
    CHECK(record.at("environment").at("compute_capability") == 90);
    CHECK(in_file_name("copy tiles") == "copy_tiles");
    CHECK(in_file_name("../b.c") == "_._b.c");
  }

  TEST_CASE("what the formats cannot say is refused") {
    auto other = trials();
    other[1].configuration = tuner::model::Configuration({{"TILE", std::int64_t{8}}});
    CHECK_THROWS_WITH_AS(kernel_tuner_cache(other), doctest::Contains("other parameters"),
                         tuner::model::Error);
    CHECK_THROWS_AS(t4_results({trials()[4]}), tuner::model::Error);
    TrialRecord many = trial(16, "row", 1e6);
    for (const char* name : {"X", "Y"}) many.problem.sizes.push_back({name, 1});
    CHECK_THROWS_WITH_AS(kernel_launcher_wisdom("many", {many}, {}), doctest::Contains("has 4 sizes"),
                         tuner::model::Error);
  }

  TEST_CASE("what was recorded in the place of times is not written as a time") {
    for (const auto& [objective, instead] : {std::pair("GFLOP/s", "1 / (GFLOP/s)"),
                                             {"score", "1 + 4 - score"},
                                             {"energy", "energy"},
                                             {"time", ""}}) {
      CAPTURE(objective);
      const RecordedSpace space = parse_recorded_space(
          fmt::format(R"({{"kernel_name": "k", "objective": "{0}", "tune_params": {{"A": [1]}},
"tuner": {{"method": "standard-3"}}, "cache": {{"1": {{"A": 1, "{0}": 4}}}}}})",
                      objective),
          "k.json");
      const std::vector<TrialRecord> recorded = recorded_trials(space).trials;
      CHECK(instead_of_time(recorded[0].environment) == instead);
      tuner::model::Environment replayed;
      replayed.method = "standard-3";
      replayed.toolkit = std::string("recorded ") + instead;
      CHECK(instead_of_time(replayed) == instead);
      const auto wisdom = [](const auto& winners) { return kernel_launcher_wisdom("k", winners, {}); };
      if (*instead == 0) {
        wisdom(recorded);
        continue;
      }
      CHECK_THROWS_WITH_AS(kernel_tuner_cache(recorded), doctest::Contains(instead), tuner::model::Error);
      CHECK_THROWS_WITH_AS(t4_results(recorded), doctest::Contains(instead), tuner::model::Error);
      CHECK_THROWS_WITH_AS(wisdom(recorded), doctest::Contains(instead), tuner::model::Error);
    }
  }

  TEST_CASE("a recording is answered like a database, and taken into one once") {
    const tuner::test::TemporaryFolder folder;
    const std::string path = folder / "cache.json";
    tuner::test::write_text(path, kernel_tuner_cache(trials()));
    const auto answers = db::best(db::open_results(path), {});
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].winner.configuration.text() == "TILE=16 LAYOUT=row");
    CHECK(answers[0].tuning_case.environment.text() ==
          "GPU, driver 580, Kernel Tuner of nvrtc 13.0, double, L2 warm, recorded standard-3");
    CHECK(answers[0].device_kind == "replay");

    const db::Connection own = db::open_in_memory();
    CHECK(db::import_file(own, path).trials == 5);
    const db::Added again = db::import_file(own, path);
    CHECK(again.runs + again.trials + again.measurements == 0);
    tuner::test::write_text(folder / "results.json", t4_results(trials()));
    CHECK(db::import_file(own, folder / "results.json").trials == 5);  // of an environment of its own
  }

  TEST_CASE("files of one configuration in several environments, and with padded rows, stay apart") {
    const tuner::test::TemporaryFolder folder;
    const db::Connection own = db::open_in_memory();
    for (const auto write : {kernel_tuner_cache, t4_results}) {
      std::vector<std::vector<TrialRecord>> files(6, trials());
      for (TrialRecord& trial : files[1]) trial.problem.row_padding = 32;
      for (TrialRecord& trial : files[2]) trial.environment.driver = "600";
      for (TrialRecord& trial : files[3]) trial.environment.l2 = "cold";
      for (TrialRecord& trial : files[4]) trial.environment.execution = "stream";
      for (TrialRecord& trial : files[5]) trial.environment.clock_mhz = 1200;
      for (const auto& file : files) {
        tuner::test::write_text(folder / "file.json", write(file));
        const db::Added added = db::import_file(own, folder / "file.json");
        CHECK(added.runs == 1);
        CHECK(added.trials == 5);
      }
    }
  }
}
