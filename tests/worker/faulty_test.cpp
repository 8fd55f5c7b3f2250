#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/support/expectation.hpp"
#include "tests/support/scripted_runner.hpp"
#include "tests/worker/processes.hpp"
#include "tests/worker/samples.hpp"

using namespace tuner;
using namespace std::chrono_literals;
using model::TrialStatus;

TEST_SUITE("tests/faulty") {
  namespace {

  struct Spec {
    std::string description;
    std::string entry;
  };

  /// The text of the first `key = "…"` line.
  std::string text_of(const std::string& file, const std::string& key) {
    const std::string head = "\n" + key + " = \"";
    const std::size_t begin = file.find(head);
    if (begin == std::string::npos) return "";
    const std::size_t start = begin + head.size();
    return file.substr(start, file.find('"', start) - start);
  }

  /// The specs of tests/faulty/ by name; config has tests of its own for reading them properly.
  std::map<std::string, Spec> specs() {
    std::map<std::string, Spec> found;
    for (const auto& entry : std::filesystem::directory_iterator(TUNER_SOURCE_DIR "/tests/faulty")) {
      if (entry.path().extension() != ".toml") continue;
      std::ifstream file(entry.path());
      std::stringstream text;
      text << file.rdbuf();
      found[entry.path().stem()] = {text_of(text.str(), "description"), text_of(text.str(), "entry")};
    }
    return found;
  }

  bool among(TrialStatus status, const std::vector<TrialStatus>& statuses) {
    return std::find(statuses.begin(), statuses.end(), status) != statuses.end();
  }

  }  // namespace

  TEST_CASE("every kind of fault has a kernel, and every kernel says what is expected of it") {
    const auto all = specs();
    for (const char* name :
         {"syntax_error",           "static_assert",      "slow_compile",     "too_much_shared",
          "too_much_static_shared", "too_many_registers", "illegal_address",  "misaligned_address",
          "device_assert",          "device_malloc_null", "infinite_loop",    "thirty_seconds",
          "printf_flood",           "wrong_edge",         "unwritten_tile",   "does_nothing",
          "half_of_bytes",          "touches_rest",       "write_past_end",   "write_before_start",
          "overwrites_input",       "missing_barrier",    "stale_output",     "whole_tiles_only",
          "tf32_product",           "half_accumulation",  "trusts_workspace", "order_of_arrival",
          "good_one_each",          "good_strided",       "good_shared"}) {
      CAPTURE(name);
      REQUIRE(all.contains(name));
      const std::string& description = all.at(name).description;
      const bool is_never_tried = description.starts_with("never tried");
      CHECK(is_never_tried == test::expected_statuses(description).empty());
    }
  }

  TEST_CASE("an expectation names one status or several") {
    CHECK(test::expected_statuses("expected: crashed") == std::vector{TrialStatus::crashed});
    CHECK(test::expected_statuses("expected: unstable or wrong_result") ==
          std::vector{TrialStatus::unstable, TrialStatus::wrong_result});
    CHECK(test::expected_statuses("expected: bliss").empty());
    CHECK(test::expected_statuses("a fine kernel").empty());
  }

  TEST_CASE("scripted workers give each of them the status it is expected to get") {
    worker::RemoteCompilerSettings compiling;
    compiling.deadline = 1s;
    worker::RemoteCompiler compiler(test::child("compile"), compiling);
    worker::RemoteRunnerSettings running;
    running.run_deadline = 1s;
    worker::RemoteRunner runner(test::child("measure"), running);
    for (const auto& [name, spec] : specs()) {
      CAPTURE(name);
      // Found by the occupancy calculation, between compiling and running; and before anything is compiled.
      if (name == "too_many_registers" || name == "too_much_shared") continue;
      TrialStatus status = compiler.compile(test::compile_job(spec.entry)).status;
      if (status == TrialStatus::ok) {
        status = runner.run(test::trial_job(spec.entry)).status;
      }
      CHECK(among(status, test::expected_statuses(spec.description)));
    }
  }
}
