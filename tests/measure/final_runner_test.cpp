#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/measure/trial_fixture.hpp"

using tests::FakeArguments;
using tests::TrialFixture;
using tuner::model::FinalJob;
using tuner::model::FinalOutcome;
using tuner::model::TrialPhase;
using tuner::model::TrialStatus;

namespace {

/// Three configurations of one problem, `slow`, `fast` and `middle`, all right; their names are their
/// symbols.
class FinalFixture : public TrialFixture {
 public:
  FinalFixture() {
    for (const std::string name : {"slow", "fast", "middle"}) {
      auto trial = job();
      trial.kernels[0].symbol = name;
      script.kernels[name] = twice;
      final_job.trials.push_back(trial);
    }
    script.time_ns = [](const std::string& symbol, int) {
      return symbol == "fast" ? 1e6 : symbol == "middle" ? 1.02e6 : 1.05e6;
    };
  }

  FinalOutcome run_final() { return runner().run_final(final_job); }

  FinalJob final_job;
};

}  // namespace

TEST_SUITE("tuner::measure::DeviceTrialRunner finals") {
  TEST_CASE_FIXTURE(FinalFixture, "the fastest is found, with figures of its own and of the GPU") {
    const FinalOutcome outcome = run_final();
    CHECK(outcome.failure.detail.empty());
    REQUIRE(outcome.complete());
    CHECK(outcome.standings.size() == 3);
    CHECK(outcome.fastest == 1);
    CHECK_FALSE(outcome.culprit);
    CHECK(outcome.standings[1].measurement.median_ns == doctest::Approx(1e6));
    CHECK(outcome.standings[1].measurement.samples_ns.size() == 10);
    CHECK(outcome.standings[1].measurement.temperature_c == 51);
    CHECK(outcome.standings[1].measurement.power_w == 333);
    CHECK(outcome.standings[0].ratio == doctest::Approx(1.05));
    CHECK_FALSE(outcome.standings[0].tied);
    CHECK(script.launches["reference"] == 2);  // inputs are shared
  }

  TEST_CASE_FIXTURE(FinalFixture, "every round enters the timing phase, so that a deadline starts anew") {
    std::vector<TrialPhase> phases;
    runner().report_phases_to([&](TrialPhase phase) { phases.push_back(phase); });
    const FinalOutcome outcome = run_final();
    CHECK(phases.front() == TrialPhase::preparing);
    CHECK(std::count(phases.begin(), phases.end(), TrialPhase::verifying) == 3 + 1);  // and to warm up
    CHECK(std::count(phases.begin(), phases.end(), TrialPhase::timing) == outcome.rounds);
  }

  TEST_CASE_FIXTURE(FinalFixture, "each contestant has a batch of its own") {
    script.time_ns = [](const std::string& symbol, int) { return symbol == "fast" ? 10e3 : 20e3; };
    const FinalOutcome outcome = run_final();
    CHECK(outcome.fastest == 1);
    CHECK(outcome.standings[1].measurement.launches_per_sample == 200);
    CHECK(outcome.standings[1].measurement.median_ns == doctest::Approx(10e3));
    CHECK(outcome.standings[0].measurement.launches_per_sample == 100);
    CHECK(outcome.standings[0].ratio == doctest::Approx(2));
  }

  TEST_CASE_FIXTURE(FinalFixture,
                    "near where races begin to batch, contestants of a final are batched alike") {
    script.time_ns = [](const std::string& symbol, int) { return symbol == "fast" ? 99e3 : 101e3; };
    const FinalOutcome outcome = run_final();
    CHECK(outcome.standings[1].measurement.launches_per_sample == 21);
    CHECK(outcome.standings[0].measurement.launches_per_sample == 20);
  }

  TEST_CASE_FIXTURE(FinalFixture, "with a cold cache there is a flush before every sample") {
    for (auto& trial : final_job.trials) trial.policy.flush_l2 = true;
    run_final();
    CHECK(script.count("flush_l2") == 10 * 3 + 10);
  }

  TEST_CASE_FIXTURE(FinalFixture, "throttled rounds are taken again") {
    runner();
    int sampled = 0;
    script.sm_clock_mhz = [&](int) { return ++sampled % 20 == 0 ? 900.0 : 1900.0; };
    const FinalOutcome outcome = run_final();
    CHECK(outcome.throttled_rounds > 0);
    CHECK(outcome.rounds == 20);
    CHECK(outcome.standings[1].measurement.sm_clock_mhz == 1900);
  }

  TEST_CASE_FIXTURE(FinalFixture, "who is no longer right is named, and nobody is timed") {
    script.kernels["middle"] = [](const FakeArguments&) {};
    const FinalOutcome outcome = run_final();
    CHECK_FALSE(outcome.complete());
    CHECK(outcome.failure.status == TrialStatus::wrong_result);
    REQUIRE(outcome.culprit);
    CHECK(*outcome.culprit == 2);
    CHECK_FALSE(outcome.failure.device_lost);
    script.kernels["middle"] = twice;
    CHECK(run_final().complete());
  }

  TEST_CASE_FIXTURE(FinalFixture, "who faults in a round is named, and a lost device stays lost") {
    int launches = 0;
    script.kernels["fast"] = [&](const FakeArguments& arguments) {
      twice(arguments);
      if (++launches > 20) throw tuner::device::DeviceFault(TrialStatus::crashed, true, "illegal address");
    };
    const FinalOutcome outcome = run_final();
    CHECK_FALSE(outcome.complete());
    CHECK(outcome.failure.status == TrialStatus::crashed);
    CHECK(outcome.failure.detail == "illegal address");
    CHECK(outcome.failure.device_lost);
    REQUIRE(outcome.culprit);
    CHECK(*outcome.culprit == 1);
    const FinalOutcome next = run_final();
    CHECK_FALSE(next.complete());
    CHECK(next.failure.device_lost);
    CHECK_FALSE(next.culprit);
  }

  TEST_CASE_FIXTURE(FinalFixture, "inputs changed between the rounds void the final, whoever it was") {
    int launches = 0;
    script.kernels["slow"] = [&](const FakeArguments& arguments) {
      twice(arguments);
      if (++launches == 70) arguments.pointer<float>(0)[3] = 9;
    };
    const FinalOutcome outcome = run_final();
    CHECK_FALSE(outcome.complete());
    CHECK(outcome.failure.status == TrialStatus::input_modified);
    CHECK(outcome.failure.detail == "after a final: x is an input and was changed");
    CHECK_FALSE(outcome.culprit);
    CHECK(run().status == TrialStatus::ok);  // on inputs made again
  }

  TEST_CASE_FIXTURE(FinalFixture, "contestants whose inputs do not fit together are no final") {
    script.memory_bytes = 12 << 20;
    final_job.trials = {job(200'000), job(200'001)};
    const FinalOutcome outcome = run_final();
    CHECK_FALSE(outcome.complete());
    CHECK(outcome.failure.status == TrialStatus::launch_error);
    CHECK_FALSE(outcome.culprit);
    final_job.trials.pop_back();
    CHECK(run_final().complete());
  }
}
