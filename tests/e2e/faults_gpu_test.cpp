#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "config/kernel_file.hpp"
#include "db/database.hpp"
#include "db/queries.hpp"
#include "tests/e2e/user.hpp"
#include "tests/support/expectation.hpp"
#include "tests/support/orphans.hpp"
#include "tuner/model/error.hpp"

// What tests/sweep/fault_sweep_test.cpp shows of scripted children, and interrupt_test.cpp of the CPU, with
// the real program on a real GPU.

using namespace tuner;
using namespace std::chrono_literals;
using model::TrialStatus;
using test::has;

namespace {

const std::filesystem::path faulty_folder = TUNER_SOURCE_DIR "/tests/faulty";

/// Someone whose machine has a GPU.
class GpuUser : public test::User {
 public:
  std::vector<std::string> sweep(const std::vector<std::string>& kernels,
                                 const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"run", "--device", "cuda:0", "--ceilings", "off", "--kernel"};
    words.insert(words.end(), kernels.begin(), kernels.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// Runs a sweep to its end and returns what the database then has, by trial.
  std::map<model::Digest, model::TrialRecord> swept(const std::vector<std::string>& kernels,
                                                    const std::vector<std::string>& more,
                                                    int exit_code = 0) const {
    const test::ProgramResult result = types(sweep(kernels, more));
    INFO(result.err);
    CHECK(result.exit_code == exit_code);
    std::map<model::Digest, model::TrialRecord> trials;
    for (model::TrialRecord& trial : db::trials(database(), {})) trials.emplace(trial.key, std::move(trial));
    return trials;
  }
  test::BackgroundProgram begins(std::vector<std::string> words) const {
    words.insert(words.begin(), TUNER_BINARY);
    return {words, environment, home.path()};
  }
  std::int64_t count(const std::string& rows) const {
    try {
      return database().integer("SELECT count(*) FROM " + rows);
    } catch (const model::Error&) {  // not made yet
      return 0;
    }
  }
  db::Connection database() const { return db::open_for_reading(home / ".local/share/tuner/tuner.db"); }
};

/// By kernel, what the specs of tests/faulty/ expect.
std::map<std::string, std::vector<TrialStatus>> expectations() {
  std::map<std::string, std::vector<TrialStatus>> expected;
  for (const model::KernelSpec& kernel : config::load_kernel_folder(faulty_folder).kernels)
    expected[kernel.name] = test::expected_statuses(kernel.description);
  // What no device can launch is no part of any space.
  std::erase_if(expected, [](const auto& kernel) { return kernel.second.empty(); });
  return expected;
}

const std::vector<TrialStatus> good = {TrialStatus::ok};
/// Two seconds are enough for all that ends, on a GPU without other users.
const std::vector<std::string> hasty = {"--sizes",         "4099", "--measure",           "complete",
                                        "--run-timeout-s", "2",    "--compile-timeout-s", "15"};

/// tests/faulty/thirty_seconds, of six seconds.
std::string write_six_seconds(const test::User& user) {
  for (const char* file : {"thirty_seconds.toml", "thirty_seconds.cu", "reference.cu"}) {
    std::string text = test::read_text(faulty_folder / file);
    if (const std::size_t at = text.find("30'000"); at != std::string::npos) text.replace(at, 2, "6");
    test::write_text(user.home / file, text);
  }
  REQUIRE(has(test::read_text(user.home / "thirty_seconds.cu"), "6'000'000'000"));
  return user.home / "thirty_seconds.toml";
}

}  // namespace

TEST_SUITE("tuner command line on a GPU") {
  TEST_CASE("among all that misbehave every good configuration gets the result it gets alone") {
    test::adopt_orphans();
    const auto expected = expectations();
    const GpuUser user;
    const auto all = user.swept({faulty_folder}, hasty);
    CHECK(test::every_child_ends());
    std::map<std::string, int> kernels;
    for (const auto& [key, trial] : all) {
      CAPTURE(trial.kernel);
      CAPTURE(trial.configuration.text());
      CAPTURE(trial.outcome.detail);
      CAPTURE(model::to_string(trial.outcome.status));
      ++kernels[trial.kernel];
      const std::vector<TrialStatus>& allowed = expected.at(trial.kernel);
      CHECK(std::find(allowed.begin(), allowed.end(), trial.outcome.status) != allowed.end());
      if (allowed != good) CHECK_FALSE((trial.outcome.detail + trial.compile_log).empty());
    }
    CHECK(kernels.size() == expected.size());

    std::vector<std::string> good_kernels;
    for (const auto& [name, statuses] : expected) {
      if (statuses == good) good_kernels.push_back(faulty_folder / (name + ".toml"));
    }
    const auto alone = GpuUser().swept(good_kernels, hasty);
    CHECK(alone.size() >= 4);
    for (const auto& [key, trial] : alone) {
      CAPTURE(trial.kernel);
      REQUIRE(all.contains(key));
      const model::TrialOutcome& among_faults = all.at(key).outcome;
      CHECK(among_faults.status == trial.outcome.status);
      CHECK(among_faults.verification.error_ratio == trial.outcome.verification.error_ratio);
      REQUIRE(among_faults.measurement);
      if (trial.kernel == "printf_flood") continue;  // takes what taking its text off the GPU takes
      CHECK(among_faults.measurement->median_ns ==
            doctest::Approx(trial.outcome.measurement->median_ns).epsilon(0.25));
    }

    const test::ProgramResult again = user.types(user.sweep({faulty_folder}, hasty));
    CHECK(again.exit_code == 0);
    CHECK(user.count("trials") == static_cast<std::int64_t>(all.size()));
    CHECK(user.count("attempts WHERE closed_at IS NULL") == 0);
    CHECK(user.database().text("PRAGMA integrity_check") == "ok");
  }

  TEST_CASE("a long kernel is stopped at its deadline, and ok where the deadline allows it") {
    const auto outcome_under = [](const std::string& seconds, int exit_code) {
      const GpuUser user;
      const auto trials =
          user.swept({write_six_seconds(user)}, {"--sizes", "1000", "--run-timeout-s", seconds}, exit_code);
      REQUIRE(trials.size() == 1);
      return trials.begin()->second.outcome;
    };
    const model::TrialOutcome stopped = outcome_under("3", 1);
    CHECK_MESSAGE(stopped.status == TrialStatus::timeout, stopped.detail);
    const model::TrialOutcome allowed = outcome_under("12", 0);
    CHECK_MESSAGE(allowed.status == TrialStatus::ok, allowed.detail);
  }

  TEST_CASE("while a sweep has the GPU another is refused; Ctrl-C ends it, and what it prints resumes it") {
    test::adopt_orphans();
    const GpuUser user;
    test::BackgroundProgram sweep =
        user.begins(user.sweep({"register_tile"}, {"--sizes", "1024", "--measure", "complete"}));
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (user.count("trials") < 20) {
      REQUIRE_MESSAGE(std::chrono::steady_clock::now() < deadline, sweep.err());
      std::this_thread::sleep_for(5ms);
    }
    const GpuUser other;
    const test::ProgramResult refused = other.types(other.sweep({"naive"}, {"--sizes", "512"}));
    CHECK(refused.exit_code != 0);
    CHECK(has(refused.err, "is in use by another tuner, process"));

    sweep.signal(SIGINT);
    const test::ProgramResult ended = sweep.wait();
    INFO(ended.err);
    CHECK(ended.exit_code == 130);
    CHECK(has(ended.out, "register_tile"));
    CHECK(test::every_child_ends());
    const std::int64_t kept = user.count("trials");
    CHECK(user.count("attempts WHERE closed_at IS NULL") == 0);

    const test::ProgramResult resumed = user.types(test::resume_command(ended.err));
    INFO(resumed.err);
    CHECK(resumed.exit_code == 0);
    CHECK(has(resumed.err, std::to_string(kept) + " of them known already"));
    CHECK(user.count("trials") > kept);
    CHECK(user.count("measurements") ==
          user.count("trials WHERE measurement IS NOT NULL") + user.count("final_entries"));
  }

  TEST_CASE("Ctrl-C while ceilings are measured ends the run, and what it prints measures the rest") {
    test::adopt_orphans();
    const GpuUser user;
    test::BackgroundProgram run =
        user.begins({"run", "--device", "cuda:0", "--kernel", "naive", "--sizes", "512"});
    const auto deadline = std::chrono::steady_clock::now() + 120s;
    while (!has(run.err(), "measuring what ")) {
      REQUIRE_MESSAGE(std::chrono::steady_clock::now() < deadline, run.err());
      std::this_thread::sleep_for(5ms);
    }
    run.signal(SIGINT);
    const test::ProgramResult ended = run.wait();
    INFO(ended.err);
    CHECK(ended.exit_code == 130);
    CHECK(has(ended.out, "naive"));
    CHECK(test::every_child_ends());
    CHECK(user.count("ceilings") == 0);
    CHECK(user.count("attempts WHERE closed_at IS NULL") == 0);

    const test::ProgramResult resumed = user.types(test::resume_command(ended.err));
    INFO(resumed.err);
    CHECK(resumed.exit_code == 0);
    CHECK(user.count("ceilings") >= 4);
  }
}
