#include "tuner/interchange/recorded_space.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/transfer.hpp"
#include "tests/support/run_program.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"

using namespace tuner::interchange;
using tuner::model::TrialStatus;
using tuner::model::Value;

namespace {

const std::string cache = R"({
"device_name": "GPU", "kernel_name": "k", "problem_size": [64, 32],
"tune_params_keys": ["block_size_x", "layout"],
"tune_params": {"block_size_x": [32, 16, 64], "layout": ["row", "column"]},
"cache": {
"32,row": {"block_size_x": 32, "layout": "row", "time": 1.5, "times": [1.4, 1.6], "compile_time": 100.5},
"16,row": {"block_size_x": 16, "layout": "row", "time": "RuntimeFailedConfig", "compile_time": 90},
"16,column": {"block_size_x": 16, "layout": "column", "time": "CompilationFailedConfig"},)";

std::string refusal(const std::string& text) {
  try {
    parse_recorded_space(text, "file.json");
  } catch (const tuner::model::Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_SUITE("tuner::interchange") {
  TEST_CASE("a cache file that was cut off is read up to its last whole entry") {
    for (const std::string& text : {cache, cache + R"("32,column": {"block_size_x": 32, "lay)",
                                    cache.substr(0, cache.size() - 1) + "}}"}) {
      const RecordedSpace space = parse_recorded_space(text, "file.json");
      CHECK(space.device == "GPU");
      CHECK(space.kernel == "k");
      CHECK(space.problem == std::vector<std::int64_t>{64, 32});
      REQUIRE(space.parameters.size() == 2);
      CHECK(space.parameters[0].values == std::vector<Value>{16, 32});  // those that occur, ascending
      CHECK(space.parameters[1].values ==
            std::vector<Value>{Value(std::string("row")), Value(std::string("column"))});
      REQUIRE(space.entries.size() == 3);
      CHECK(space.entries[0].coordinates == std::vector<std::uint16_t>{1, 0});
      CHECK(space.entries[0].time_ns == 1.5e6);
      CHECK(space.entries[0].compile_ms == 100.5);
      CHECK(space.entries[1].status == TrialStatus::launch_error);
      CHECK_FALSE(space.entries[1].time_ns);
      CHECK(space.entries[2].status == TrialStatus::compile_error);
      CHECK(recorded_kernel(space).steps[0].block.size() == 1);
    }
  }

  TEST_CASE("a recording without block sizes is a kernel of one block") {
    const RecordedSpace space = parse_recorded_space(
        R"({"kernel_name": "Xgemm", "tune_params": {"MWG": [16]}, "cache": {"16": {"MWG": 16, "time": 2.5}}})",
        "gemm.json");
    const tuner::model::KernelSpec spec = recorded_kernel(space);
    REQUIRE(spec.steps[0].block.size() == 1);
    CHECK(spec.steps[0].block[0].text == "1");
    CHECK(tuner::space::validate(spec).empty());
  }

  TEST_CASE("KTT's results are read in their unit of time") {
    const RecordedSpace space =
        parse_recorded_space(R"({"Metadata": {"Device": "GPU", "TimeUnit": "Microseconds"},
"Results": [
{"Configuration": [{"Name": "A", "Value": 2}], "KernelName": "k", "Status": "Ok", "TotalDuration": 1500.5},
{"Configuration": [{"Name": "A", "Value": 4}], "KernelName": "k", "Status": "ComputationFailed"}]})",
                             "ktt.json");
    CHECK(space.device == "GPU");
    CHECK(space.kernel == "k");
    REQUIRE(space.entries.size() == 2);
    CHECK(space.entries[0].time_ns == doctest::Approx(1.5005e6));
    CHECK(space.entries[1].status == TrialStatus::launch_error);
  }

  TEST_CASE("numbers beside words, and words that are no names, are values as they are written") {
    const RecordedSpace space = parse_recorded_space(
        R"({"tune_params": {"A": [1.0, 0.5], "B": ["x-y"]}, "cache": {
"1": {"A": 1.0, "B": "x-y", "time": 2.5}, "2": {"A": 0.5, "B": "a word - longer than a short string", "time": 2}}})",
        "mixed.json");
    CHECK(space.parameters[1].spelled);
    CHECK(space.parameters[0].values ==
          std::vector<Value>{Value(std::string("1")), Value(std::string("0.5"))});
    CHECK(tuner::space::validate(recorded_kernel(space)).empty());
  }

  TEST_CASE("a recording of another objective is searched by a value that grows as it gets worse") {
    const auto space_of = [](const std::string& objective, const std::string& value) {
      return parse_recorded_space(R"({"objective": ")" + objective + R"(", "tune_params": {"A": [1]},
"cache": {"1": {"A": 1, ")" + objective +
                                      R"(": )" + value + R"(, "times": [7]}}})",
                                  "file.json");
    };
    const RecordedSpace score = space_of("score", "-2");
    CHECK(score.instead_of_time == "1 + -2 - score");
    CHECK(score.entries[0].time_ns == 1e6);
    CHECK(score.entries[0].samples_ns.empty());
    CHECK(space_of("GFLOP/s", "4").entries[0].time_ns == 0.25e6);
    CHECK(space_of("GFLOP/s", "4").instead_of_time == "1 / (GFLOP/s)");
    CHECK(space_of("energy", "4").entries[0].time_ns == 4e6);
    CHECK(space_of("GFLOP/s", "0").entries[0].status == TrialStatus::launch_error);
    CHECK(space_of("time", "4").instead_of_time.empty());
    CHECK(refusal(R"({"objective": "fun", "tune_params": {"A": [1]}, "cache": {"1": {"A": 1, "fun": 2}}})") ==
          "file.json is a recording of \"fun\", and it does not say whether less is better");
  }

  TEST_CASE("what old Kernel Tuner files give a time of 1e20 has failed") {
    for (const std::string objective : {"time", "GFLOP/s", "score"}) {
      CAPTURE(objective);
      const RecordedSpace space = parse_recorded_space(
          R"({"objective": ")" + objective + R"(", "tune_params": {"A": [1, 2]}, "cache": {"1": {"A": 1, ")" +
              objective + R"(": 1e20}, "2": {"A": 2, ")" + objective + R"(": 2.5}}})",
          "old.json");
      CHECK_FALSE(space.entries[0].time_ns);
      CHECK(space.entries[0].status == TrialStatus::launch_error);
      CHECK(space.entries[1].status == TrialStatus::ok);
    }
  }

  TEST_CASE("of scores of any size the largest is the best") {
    const RecordedSpace space = parse_recorded_space(
        R"({"objective": "score", "tune_params": {"A": [1, 2, 3]}, "cache": {
"1": {"A": 1, "score": -3000}, "2": {"A": 2, "score": 2000}, "3": {"A": 3, "score": "InvalidConfig"},
"4": {"A": 4, "score": 1000}}})",
        "score.json");
    CHECK(space.entries[0].time_ns == 5001e6);
    CHECK(space.entries[1].time_ns == 1e6);
    CHECK(space.entries[2].status == TrialStatus::unlaunchable);
    CHECK(space.entries[3].time_ns == 1001e6);
  }

  TEST_CASE("scores of files that have other bests do not compete, since their times are of other scales") {
    const auto recorded = [](const std::string& entries) {
      return recorded_trials(parse_recorded_space(
          R"({"objective": "score", "tune_params": {"A": [1, 2]}, "cache": {)" + entries + "}}",
          "file.json"));
    };
    const std::string low = R"("1": {"A": 1, "score": 5})";
    const std::string high = R"("2": {"A": 2, "score": 10.5})";
    const auto environment = [](const RecordedTrials& of) { return of.trials.at(0).environment; };
    CHECK(environment(recorded(low)) == environment(recorded(low)));
    CHECK_FALSE(environment(recorded(low)) == environment(recorded(high)));
    CHECK(environment(recorded(low + ", " + high)) == environment(recorded(high)));
    CHECK(environment(recorded(high)).method == "recorded 1 + 10.5 - score");
  }

  /// What `best` says of these files, imported in this order.
  std::string best_of(const std::vector<std::string>& files) {
    const tuner::test::TemporaryFolder folder;
    const db::Connection own = db::open_in_memory();
    for (const std::string& file : files) {
      tuner::test::write_text(folder / "file.json", file);
      db::import_file(own, folder / "file.json");
    }
    std::string text;
    for (const db::BestAnswer& answer : db::best(own, {}))
      text += fmt::format("{} at {} ns; ", answer.winner.configuration.text(),
                          answer.winner.outcome.measurement->median_ns);
    return text;
  }

  TEST_CASE("of two recordings of one kernel the later one counts, whole, else any in whatever order") {
    const auto recording = [](const std::string& first, const std::string& second) {
      return R"({"device_name": "GPU", "kernel_name": "k", "tune_params": {"A": [1, 2]}, "cache": {"1": {)" +
             first + R"(}, "2": {)" + second + "}}}";
    };
    const std::string of_2023 = R"("timestamp": "2023-01-01 09:00:00+00:00")";
    const std::string of_2024 = R"("timestamp": "2024-01-01 09:00:00+00:00")";
    const std::string early =
        recording(R"("A": 1, "time": 1, )" + of_2023, R"("A": 2, "time": 2, )" + of_2023);
    const std::string late =
        recording(R"("A": 2, "time": 0.5, )" + of_2024, R"("A": 1, "time": 1.5, )" + of_2024);
    for (const auto& files : {std::vector{early, late}, std::vector{late, early}})
      CHECK(best_of(files) == best_of({late}));
    const std::string one = recording(R"("A": 1, "time": 1)", R"("A": 2, "time": 2)");
    const std::string other = recording(R"("A": 2, "time": 0.5)", R"("A": 1, "time": 1.5)");
    const std::string both = best_of({one, other});
    CHECK(both == best_of({other, one}));
    CHECK((both == best_of({one}) || both == best_of({other})));
  }

  TEST_CASE("recordings that name no kernel stay apart, and one that has grown is the same") {
    const auto recording = [](const std::string& rows) { return R"({"results": [)" + rows + "]}"; };
    const auto row = [](int a, double time) {
      return fmt::format(
          R"({{"configuration": {{"A": {}}}, "measurements": [{{"name": "time", "value": {}}}]}})", a, time);
    };
    const std::string first = recording(row(1, 1) + ", " + row(2, 2));
    const std::string second = recording(row(2, 50) + ", " + row(1, 70));
    const std::string both = best_of({first, second});
    CHECK(both.size() == (best_of({first}) + best_of({second})).size());
    CHECK(best_of({first, recording(row(1, 1) + ", " + row(2, 2) + ", " + row(3, 0.5))}) ==
          "A=3 at 500000 ns; ");
  }

  TEST_CASE("an extent is a positive whole number, in quotes too, and else the file is refused") {
    const auto text = [](const std::string& size) {
      return R"({"problem_size": )" + size + R"(, "tune_params": {"A": [1]},
"cache": {"1": {"A": 1, "time": 5}}})";
    };
    for (const char* size : {"0", "-5", "1e300", "[64, 0]", "64.5", "true", "\"0\"", "[{}]"}) {
      CAPTURE(size);
      CHECK(refusal(text(size)).find("file.json: problem_size has ") == 0);
    }
    const auto extents = [&](const std::string& size) {
      return parse_recorded_space(text(size), "file.json").problem;
    };
    CHECK(extents("64") == std::vector<std::int64_t>{64});
    CHECK(extents("64.0") == std::vector<std::int64_t>{64});
    CHECK(extents("\"64\"") == std::vector<std::int64_t>{64});
    CHECK(extents("[\"64\", 32]") == std::vector<std::int64_t>{64, 32});
    CHECK(extents("\"callable\"").empty());  // Kernel Tuner's word for a size that a function says
    CHECK(extents("null").empty());
  }

  TEST_CASE("a name is text that a database takes, and else the file and the name are told") {
    for (const std::string key : {"kernel_name", "device_name"}) {
      const auto text = [&](const std::string& name) {
        return "{\"" + key + "\": " + name + R"(, "tune_params": {"A": [1]},
"cache": {"1": {"A": 1, "time": 5}}})";
      };
      CHECK(refusal(text('"' + std::string(257, 'k') + '"')) ==
            "file.json: " + key + " has more than 256 characters");
      CHECK(refusal(text("5")) == "file.json: " + key + " is 5, a name was expected");
      CHECK(refusal(text("null")) == "accepted");
      std::string wide;
      for (int i = 0; i < 256; ++i) wide += "\u00fc";
      CHECK(refusal(text('"' + wide + '"')) == "accepted");
    }
  }

  TEST_CASE("a failure in a member of its own needs no time beside it") {
    const RecordedSpace space = parse_recorded_space(
        R"({"tune_params": {"A": [1]}, "cache": {"1": {"A": 1, "__error__": "InvalidConfig"}}})",
        "file.json");
    CHECK(space.entries[0].status == TrialStatus::unlaunchable);
  }

  TEST_CASE("numbers that Python writes and JSON has not are no times, and text stays as it is") {
    const RecordedSpace space = parse_recorded_space(
        R"({"tune_params": {"A": ["NaN", "\"", "c"]}, "cache": {
"NaN": {"A": "NaN", "time": 2, "times": [2, NaN], "GFLOP/s": -Infinity},
"quote": {"A": "\"", "time": NaN}, "c": {"A": "c", "time": Infinity}}})",
        "file.json");
    REQUIRE(space.entries.size() == 3);
    CHECK(space.parameters[0].values[0].text() == "NaN");
    CHECK(space.entries[0].time_ns == 2e6);
    CHECK(space.entries[0].samples_ns.size() == 1);
    CHECK(space.entries[1].status == TrialStatus::launch_error);
    CHECK(space.entries[2].status == TrialStatus::launch_error);
  }

  TEST_CASE("samples and the time of day are read, times of T4 in the file's unit") {
    const RecordedSpace space = parse_recorded_space(R"({"metadata": {"timeunit": "seconds"}, "results": [
{"timestamp": "2023-12-22 09:54:05.502007+00:00", "configuration": {"A": 1}, "invalidity": "correct",
 "times": {"compilation": 2, "runtimes": [0.5, 1.5]}, "measurements": [{"name": "time", "value": 1, "unit": ""}]},
{"timestamp": "yesterday", "configuration": {"A": 2}, "invalidity": "correct",
 "times": {"runtimes": []}, "measurements": [{"name": "time", "value": 3, "unit": "ms"}]}]})",
                                                     "file.json");
    CHECK(space.entries[0].time_ns == 1e9);
    CHECK(space.entries[0].compile_ms == 2000);
    CHECK(space.entries[0].samples_ns == std::vector<double>{0.5e9, 1.5e9});
    CHECK(space.entries[0].measured_at == "2023-12-22T09:54:05.502007Z");
    CHECK(space.entries[1].time_ns == 3e6);
    CHECK(space.entries[1].measured_at.empty());
  }

  TEST_CASE("a T4 file is read") {
    const RecordedSpace space = parse_recorded_space(R"({"metadata": {}, "results": [
{"configuration": {"A": 1, "B": true}, "times": {"compilation": 12, "runtimes": [1, 2]}, "invalidity": "correct",
 "measurements": [{"name": "energy", "value": 7}, {"name": "time", "value": 2.5}], "objectives": ["time"]},
{"configuration": {"A": 2, "B": false}, "invalidity": "correctness", "measurements": [], "objectives": ["time"]},
{"configuration": {"A": 1, "B": true}, "invalidity": "correct", "measurements": [{"name": "time", "value": 9}]}]})",
                                                     "file.json");
    REQUIRE(space.entries.size() == 2);  // the second of a configuration is a repetition
    CHECK(space.entries[0].time_ns == 2.5e6);
    CHECK(space.entries[0].compile_ms == 12);
    CHECK(space.entries[0].coordinates == std::vector<std::uint16_t>{0, 1});
    CHECK(space.entries[1].status == TrialStatus::wrong_result);
    CHECK_FALSE(space.entries[1].time_ns);
  }

  TEST_CASE("a word for a failure is its status, and one that nobody knows is a failed launch") {
    const auto status = [](const std::string& word) {
      return parse_recorded_space(
                 R"({"results": [{"configuration": {"A": 1}, "invalidity": ")" + word + R"("}]})",
                 "file.json")
          .entries.at(0)
          .status;
    };
    CHECK(status("timeout") == TrialStatus::timeout);
    CHECK(status("correctness") == TrialStatus::wrong_result);
    CHECK(status("constraints") == TrialStatus::unlaunchable);
    CHECK(status("InvalidConfig") == TrialStatus::unlaunchable);
    CHECK(status("compile") == TrialStatus::compile_error);
    CHECK(status("runtime") == TrialStatus::launch_error);
  }

  TEST_CASE("a parameter with more values than can be numbered is refused, one fewer is not") {
    const auto text = [](int values) {
      std::string rows;
      for (int value = 0; value < values; ++value)
        rows += std::string(rows.empty() ? "" : ",") + R"({"configuration": {"A": )" + std::to_string(value) +
                "}}";
      return R"({"results": [)" + rows + "]}";
    };
    CHECK(refusal(text(65534)) == "accepted");
    CHECK(refusal(text(65535)).find("A has more values than can be searched") != std::string::npos);
  }

  TEST_CASE("reading takes time in proportion to the entries, which keep their order") {
    const auto seconds = [](int entries) {
      std::string rows;
      for (int i = entries; i > 0; --i) {
        const std::string name = std::to_string(i);
        rows += (rows.empty() ? "\"" : ",\"") + name + R"(": {"A": )" + name + R"(, "time": 1})";
      }
      const std::string text = R"({"tune_params": {"A": []}, "cache": {)" + rows + "}}";
      const std::clock_t begin = std::clock();
      const RecordedSpace space = parse_recorded_space(text, "file.json");
      const std::clock_t end = std::clock();
      REQUIRE(space.entries.size() == static_cast<std::size_t>(entries));
      CHECK(space.entries.front().coordinates[0] + 1 == entries);
      return static_cast<double>(end - begin) / CLOCKS_PER_SEC;
    };
    const double few = seconds(4'000);
    CHECK(seconds(32'000) < 24 * few);  // 8 times as many; each with each would be 64 times
  }

  TEST_CASE("what is no recording is refused by its name") {
    CHECK(refusal("").find("file.json") != std::string::npos);
    CHECK(refusal("[1, 2]").find("no JSON object") != std::string::npos);
    CHECK(refusal("{}").find("neither") != std::string::npos);
    CHECK(refusal(R"({"results": []})").find("no configuration") != std::string::npos);
    CHECK(refusal(R"({"tune_params": {"A": [1]}, "cache": {"1": {"B": 1, "time": 1}}})")
              .find("does not follow its format") != std::string::npos);
    CHECK(refusal(R"({"results": [{"configuration": {"A": 1}}, {"configuration": {"B": 1}}]})")
              .find("has no A") != std::string::npos);
    CHECK(refusal(R"({"results": [{"configuration": {"A": 1, "B": 1}}, {"configuration": {"A": 1}}]})")
              .find("has no B") != std::string::npos);
    CHECK_THROWS_AS(read_recorded_space("/nowhere/at/all.json"), tuner::model::Error);
  }
}
