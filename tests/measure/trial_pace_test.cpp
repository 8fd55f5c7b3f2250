// How long a trial goes on, and in which state it finds its device.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/measure/trial_fixture.hpp"

using tests::FakeArguments;
using tests::TrialFixture;
using tuner::model::TrialStatus;

TEST_SUITE("tuner::measure::DeviceTrialRunner") {
  TEST_CASE_FIXTURE(TrialFixture,
                    "a long kernel far behind the best is dropped, verified, after a single run") {
    auto hopeless = job();
    hopeless.best_ns = 1e6 / 3.5;
    const auto launches = [this] { return script.launches["kernel"]; };
    run();
    const int before = launches();
    SUBCASE("one run") {
      const auto outcome = run(hopeless);
      CHECK(outcome.status == TrialStatus::dropped);
      CHECK(outcome.verification.checked);
      CHECK(outcome.measurement->samples_ns == std::vector<double>{1e6});
      CHECK(launches() == before + 1);
    }
    SUBCASE("it is still found to be wrong") {
      script.kernels["kernel"] = [](const FakeArguments&) {};
      CHECK(run(hopeless).status == TrialStatus::wrong_result);
    }
    SUBCASE("not within the first cut") {
      hopeless.best_ns = 1e6 / 1.6;  // by less than a cold run may take longer
      CHECK(run(hopeless).status == TrialStatus::dropped);
      CHECK(launches() > before + 1);
    }
    SUBCASE("not a short one, whose cold run says little") {
      script.time_ns = [](const std::string&, int) { return 5e4; };
      hopeless.best_ns = 1e4;
      run(hopeless);
      CHECK(launches() > before + 2);
    }
    SUBCASE("not where nothing is dropped") {
      hopeless.policy.cuts.clear();
      CHECK(run(hopeless).status == TrialStatus::ok);
    }
    SUBCASE("not where nothing is known") {
      hopeless.best_ns = 0;
      CHECK(run(hopeless).status == TrialStatus::ok);
    }
    SUBCASE("not where only several samples drop one") {
      hopeless.policy.cuts = {{3, 1.15}};
      CHECK(run(hopeless).status == TrialStatus::dropped);
      CHECK(launches() > before + 2);
    }
    SUBCASE("not behind a flush") {
      hopeless.policy.flush_l2 = true;
      CHECK(run(hopeless).status == TrialStatus::dropped);
      CHECK(script.count("flush_l2") == 1);
    }
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "nothing is dropped on a first run of a device that may have lowered its clocks") {
    auto hopeless = job();
    hopeless.best_ns = 1e6 / 3.5;
    CHECK(run(hopeless).status == TrialStatus::dropped);
    // 50 ms from the first launch, the reference's, to the one on the first input set
    CHECK(script.launches["reference"] + script.launches["kernel"] == 50 + 1);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "the more kernels there are in a run the longer it must be to be their own") {
    auto two = job();
    two.plan.steps.push_back(two.plan.steps[0]);
    two.policy.flush_l2 = true;  // so that samples are single runs
    script.time_ns = [](const std::string&, int) { return 15e3; };
    CHECK(run(two).measurement->includes_launch_latency);
    script.time_ns = [](const std::string&, int) { return 21e3; };
    CHECK_FALSE(run(two).measurement->includes_launch_latency);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a trial clearly slower than the best is dropped and keeps its few samples") {
    auto slow = job();
    slow.best_ns = 0.8e6;
    const auto outcome = run(slow);
    CHECK(outcome.status == TrialStatus::dropped);
    REQUIRE(outcome.measurement);
    CHECK(outcome.measurement->samples_ns.size() == 3);
    CHECK(outcome.verification.checked);
    slow.best_ns = 0.9e6;
    CHECK(run(slow).status == TrialStatus::ok);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a device is as warm after a long trial as when it began") {
    script.time_ns = [](const std::string&, int) { return 0.3e9; };
    auto brief = job();
    brief.policy.cuts.clear();
    brief.policy.samples = 3;
    run(brief);
    for (int i = 0; i < 2; ++i) {
      const int before = script.launches["kernel"];
      CHECK(run(brief).status == TrialStatus::ok);
      CHECK(script.launches["kernel"] - before == 2 + 3);
    }
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "clocks are warmed before the first trial and after idling, not in between") {
    run();
    const int runs_when_cold = script.count("run");
    run();
    const int runs_when_warm = script.count("run") - runs_when_cold;
    CHECK(runs_when_cold ==
          runs_when_warm + 49);  // 50 ms of launches of 1 ms, the first verified one among them
    script.clock_ns += 2e9;
    run();
    CHECK(script.count("run") - runs_when_cold - runs_when_warm == runs_when_warm + 49);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a reference that takes long warms the clocks by itself") {
    script.time_ns = [](const std::string& name, int) { return name == "reference" ? 30e6 : 1e6; };
    run();  // the reference runs on two input sets
    const int runs_when_cold = script.count("run") - script.launches["reference"];
    run();
    CHECK(script.count("run") - script.launches["reference"] == 2 * runs_when_cold);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a cold L2 cache is made before every sample") {
    auto cold = job();
    cold.policy.flush_l2 = true;
    cold.policy.samples = 6;
    CHECK(run(cold).status == TrialStatus::ok);
    CHECK(script.count("flush_l2") == 6);
  }

  TEST_CASE_FIXTURE(TrialFixture, "samples alone are launched in another way than a graph's") {
    auto eager = job();
    eager.policy.execution = tuner::model::Execution::eager;
    eager.policy.samples = 6;
    CHECK(run(eager).status == TrialStatus::ok);
    CHECK(std::ranges::count(script.executions, tuner::model::Execution::eager) == 6);
    CHECK(std::ranges::count(script.executions, tuner::model::Execution::graph) > 2);
  }
}
