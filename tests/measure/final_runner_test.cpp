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

  TEST_CASE_FIXTURE(FinalFixture, "each finalist has a batch of its own") {
    script.time_ns = [](const std::string& symbol, int) { return symbol == "fast" ? 10e3 : 20e3; };
    const FinalOutcome outcome = run_final();
    CHECK(outcome.fastest == 1);
    CHECK(outcome.standings[1].measurement.launches_per_sample == 200);
    CHECK(outcome.standings[1].measurement.median_ns == doctest::Approx(10e3));
    CHECK(outcome.standings[0].measurement.launches_per_sample == 100);
    CHECK(outcome.standings[0].ratio == doctest::Approx(2));
  }

  TEST_CASE_FIXTURE(FinalFixture,
                    "a finalist whose first runs other work slowed has the batch that it needs") {
    for (auto& trial : final_job.trials) trial.best_ns = 10e3;
    int looks_at_slow = 0;
    script.time_ns = [&](const std::string& symbol, int) {
      const int runs = script.repetitions.back();
      if (symbol == "middle" && runs == 1) return 3e6;
      if (symbol == "slow" && runs == 8 && ++looks_at_slow <= 8) return 3e5;
      return 10e3;
    };
    const FinalOutcome outcome = run_final();
    for (const auto& standing : outcome.standings) CHECK(standing.measurement.launches_per_sample == 200);
  }

  TEST_CASE_FIXTURE(FinalFixture, "near where races begin to batch, finalists of a final are batched alike") {
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
      if (++launches == 90) arguments.pointer<float>(0)[3] = 9;
    };
    const FinalOutcome outcome = run_final();
    CHECK_FALSE(outcome.complete());
    CHECK(outcome.failure.status == TrialStatus::input_modified);
    CHECK(outcome.failure.detail == "after a final: x is an input and was changed");
    CHECK_FALSE(outcome.culprit);
    CHECK(run().status == TrialStatus::ok);  // on inputs made again
  }

  TEST_CASE_FIXTURE(FinalFixture, "a round that writes into the second input set voids the final") {
    float* second = nullptr;
    script.kernels["reference"] = [&,
                                   original = script.kernels["reference"]](const FakeArguments& arguments) {
      original(arguments);
      second = arguments.pointer<float>(0);  // of the input set that is made last
    };
    int launches = 0;
    script.kernels["slow"] = [&](const FakeArguments& arguments) {
      twice(arguments);
      REQUIRE(second != arguments.pointer<float>(0));
      if (++launches == 90) second[3] = 9;
    };
    const FinalOutcome outcome = run_final();
    CHECK_FALSE(outcome.complete());
    CHECK(outcome.failure.status == TrialStatus::input_modified);
    CHECK(outcome.failure.detail == "after a final: x is an input and was changed");
    script.kernels["slow"] = twice;
    CHECK(run_final().complete());  // on inputs made again
  }

  TEST_CASE_FIXTURE(FinalFixture, "finalists of two problems are each verified on their own inputs") {
    final_job.trials[0] = job(500);
    final_job.trials[0].kernels[0].symbol = "slow";
    const FinalOutcome outcome = run_final();
    CHECK(outcome.failure.detail.empty());
    CHECK(outcome.complete());
  }

  TEST_CASE_FIXTURE(FinalFixture, "a baseline is measured with the others and is not the fastest") {
    final_job.trials[1].role = tuner::model::Role::baseline;
    const FinalOutcome outcome = run_final();
    CHECK(outcome.fastest == 2);
    CHECK(outcome.standings[1].ratio < 1);
    CHECK_FALSE(outcome.standings[1].tied);
  }

  TEST_CASE_FIXTURE(FinalFixture, "finalists are sampled in the way that their class says") {
    for (auto& trial : final_job.trials) trial.policy.execution = tuner::model::Execution::stream;
    const FinalOutcome outcome = run_final();
    const auto sampled = std::ranges::count(script.executions, tuner::model::Execution::stream);
    CHECK(sampled >= outcome.rounds);
  }

  TEST_CASE_FIXTURE(FinalFixture,
                    "below a millisecond an unmeasured run goes ahead of each sample, warm L2 alone") {
    double time_ns = 0;
    bool flush = false;
    int runs_a_round = 0;
    SUBCASE("short") {
      time_ns = 0.9e6;
      runs_a_round = 3 + 1;
    }
    SUBCASE("long") {
      time_ns = 2.1e6;
      runs_a_round = 1;
    }
    SUBCASE("short behind a flush") {
      time_ns = 0.9e6;
      flush = true;
      runs_a_round = 1;
    }
    script.time_ns = [&](const std::string&, int) { return time_ns; };
    for (auto& trial : final_job.trials) {
      trial.policy.flush_l2 = flush;
      trial.policy.final.choosing_rounds = 0;
    }
    run_final();  // warms the device
    const auto launches = [&] { return script.launches["slow"]; };
    const int before = launches();
    for (auto& trial : final_job.trials) trial.policy.final.confirming_rounds = 10;
    run_final();
    const int with_10 = launches() - before;
    for (auto& trial : final_job.trials) trial.policy.final.confirming_rounds = 20;
    run_final();
    CHECK(launches() - before - 2 * with_10 == 10 * runs_a_round);
  }

  TEST_CASE_FIXTURE(FinalFixture, "a batch is run once before the rounds, which makes its graph") {
    script.time_ns = [](const std::string&, int) { return 1e5; };
    final_job.trials.resize(1);
    const FinalOutcome outcome = run_final();
    CHECK(outcome.standings[0].measurement.launches_per_sample == 20);
    CHECK(std::count(script.repetitions.begin(), script.repetitions.end(), 20) == outcome.rounds + 1);
  }

  TEST_CASE_FIXTURE(FinalFixture,
                    "a buffer that is restored is so before each run of a final, none of them in a batch") {
    script.time_ns = [](const std::string&, int) { return 1e5; };
    int dirty = 0;
    for (auto& trial : final_job.trials) {
      trial.plan.buffers[2].init = {tuner::model::Init::Kind::constant, 9, 0};
      trial.plan.buffers[2].restored = true;
      script.kernels[trial.kernels[0].symbol] = [&](const FakeArguments& arguments) {
        twice(arguments);
        dirty += arguments.pointer<int>(2)[5] != 9 ? 1 : 0;
        arguments.pointer<int>(2)[5] = 1;
      };
    }
    const FinalOutcome outcome = run_final();
    CHECK(outcome.failure.detail.empty());
    CHECK(outcome.standings.at(0).measurement.launches_per_sample == 1);
    CHECK(dirty == 0);
  }

  TEST_CASE_FIXTURE(FinalFixture,
                    "a final warms a device that was idle, and keeps it warm for what comes next") {
    const auto runs_of_final = [&] {
      const int before = script.count("run");
      CHECK(run_final().complete());
      return script.count("run") - before;
    };
    runs_of_final();
    const int warm = runs_of_final();
    script.clock_ns += 2e9;
    CHECK(runs_of_final() > warm + 40);
    script.clock_ns += 0.3e9;
    CHECK(runs_of_final() == warm);
    script.clock_ns += 0.3e9;
    CHECK(runs_of_final() == warm);
  }

  TEST_CASE_FIXTURE(FinalFixture, "another seed gives the rounds another order, the same seed the same") {
    std::vector<std::string> order;
    script.time_ns = [&](const std::string& symbol, int) {
      order.push_back(symbol);
      return 3e6;
    };
    const auto order_with = [&](std::uint64_t seed) {
      order.clear();
      final_job.seed = seed;
      CHECK(run_final().complete());
      return order;
    };
    order_with(1);  // warms the device
    const auto first = order_with(1);
    CHECK(order_with(1) == first);
    CHECK(order_with(2) != first);
  }

  TEST_CASE_FIXTURE(FinalFixture,
                    "times of several kernels in a row must be that much longer to be their own") {
    script.time_ns = [](const std::string&, int) { return 4e3; };
    final_job.trials = {job(10)};
    CHECK(run_final().standings.at(0).measurement.includes_launch_latency);
    script.time_ns = [](const std::string&, int) { return 6e3; };
    CHECK_FALSE(run_final().standings.at(0).measurement.includes_launch_latency);
    final_job.trials[0].plan.steps.push_back(final_job.trials[0].plan.steps[0]);
    script.time_ns = [](const std::string&, int) { return 4e3; };  // two of them: 8 µs
    CHECK(run_final().standings.at(0).measurement.includes_launch_latency);
  }

  TEST_CASE_FIXTURE(FinalFixture, "who cannot be loaded is named") {
    script.faults = {{"load", 2 + 2, TrialStatus::launch_error, false}};  // the reference's come first
    const FinalOutcome outcome = run_final();
    CHECK_FALSE(outcome.complete());
    REQUIRE(outcome.culprit);
    CHECK(*outcome.culprit == 1);
  }

  TEST_CASE_FIXTURE(FinalFixture, "finalists whose inputs do not fit together are no final") {
    script.memory_bytes = 12 << 20;
    final_job.trials = {job(200'000), job(200'001)};
    const FinalOutcome outcome = run_final();
    CHECK_FALSE(outcome.complete());
    CHECK(outcome.failure.status == TrialStatus::launch_error);
    CHECK(outcome.failure.subject == tuner::model::Subject::problem);
    CHECK_FALSE(outcome.culprit);
    final_job.trials.pop_back();
    CHECK(run_final().complete());
  }
}
