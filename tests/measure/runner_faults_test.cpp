// What a device, a probe or a reference that fails does to a trial.
#include <doctest/doctest.h>

#include <string>

#include "tests/measure/trial_fixture.hpp"
#include "tests/support/contains.hpp"

using tests::FakeArguments;
using tests::TrialFixture;
using tuner::model::TrialStatus;

TEST_SUITE("tuner::measure::DeviceTrialRunner faults") {
  TEST_CASE_FIXTURE(TrialFixture, "a probe that fails gives the trial its status, and is named") {
    script.kernels["kernel"] = [](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < arguments.integer(3) / 32 * 32; ++i)  // whole tiles alone
        arguments.pointer<float>(1)[i] = 2 * arguments.pointer<float>(0)[i];
    };
    auto probed = job(1024);
    CHECK(run(probed).status == TrialStatus::ok);
    probed.probes = {job(64).plan, job(71).plan};
    probed.probes.back().problem = "71 float pad 3";
    const auto outcome = run(probed);
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.detail.starts_with(
        "on a probe of 71 float pad 3, with buffers x of 71, y of 71, scratch of 16: on the second "
        "input set: 7 of the 71 elements of y are wrong, the first at index "
        "64"));
    CHECK(outcome.verification.wrong_elements == 7);
    CHECK_FALSE(outcome.measurement);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a fault in a probe is told with the probe") {
    auto probed = job();
    probed.probes = {job(33).plan};
    script.faults = {{"run", 3, TrialStatus::crashed, true}};  // 1 and 2 are the reference
    const auto outcome = run(probed);
    CHECK(outcome.status == TrialStatus::crashed);
    CHECK(outcome.device_lost);
    CHECK(
        outcome.detail.starts_with("on a probe with buffers x of 33, y of 33, scratch of 16: planted fault"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "a probe that no bound can judge is left out") {
    auto probed = job();
    probed.probes = {job(33).plan};
    probed.probes[0].verify.rounding_terms = 1e8;
    CHECK(run(probed).status == TrialStatus::ok);
    CHECK(script.launches["reference"] == 2);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a kernel that goes wrong only when repeated is caught after its timed launches") {
    CHECK(run().status == TrialStatus::ok);  // the clocks are warm
    int calls = 0;
    const auto outcome = run_kernel([&](const FakeArguments& arguments) {
      twice(arguments);
      if (++calls > 2) arguments.pointer<float>(1)[0] = 5;
    });
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(contains(outcome.detail, "after the timed launches"));
    CHECK_FALSE(outcome.measurement);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a fault while running costs the trial, and when the device is lost all later ones") {
    script.faults = {{"run", 3, TrialStatus::crashed, true}};  // 1 and 2 are the reference
    const auto outcome = run();
    CHECK(outcome.status == TrialStatus::crashed);
    CHECK(outcome.device_lost);
    CHECK(contains(outcome.detail, "planted fault in run"));
    const auto next = run();
    CHECK(next.status == TrialStatus::crashed);
    CHECK(next.device_lost);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a device that itself failed is to blame, whatever it was working on") {
    script.faults = {{"run", 3, TrialStatus::crashed, true, true}};
    CHECK(run().subject == tuner::model::Subject::device);
    TrialFixture other;
    other.script.faults = {{"run", 3, TrialStatus::crashed, true}};
    CHECK(other.run().subject == tuner::model::Subject::trial);
    TrialFixture unprepared;
    unprepared.script.faults = {{"run", 2, TrialStatus::launch_error, false}};  // the reference's
    CHECK(unprepared.run().subject == tuner::model::Subject::problem);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a launch error costs the trial alone") {
    script.faults = {{"run", 3, TrialStatus::launch_error, false}};
    const auto outcome = run();
    CHECK(outcome.status == TrialStatus::launch_error);
    CHECK_FALSE(outcome.device_lost);
    CHECK(run().status == TrialStatus::ok);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a fault in the timed launches leaves no measurement") {
    script.faults = {{"run", 60, TrialStatus::crashed, true}};
    const auto outcome = run();
    CHECK(outcome.status == TrialStatus::crashed);
    CHECK_FALSE(outcome.measurement);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a reference that fails is named as the culprit") {
    script.faults = {{"run", 1, TrialStatus::crashed, true}};
    const auto outcome = run();
    CHECK(outcome.status == TrialStatus::crashed);
    CHECK(contains(outcome.detail, "the reference: "));
  }

  TEST_CASE_FIXTURE(TrialFixture, "a reference that says nothing is refused: doing nothing would win") {
    script.kernels["reference"] = [](const FakeArguments&) {};
    const auto outcome = run();
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(contains(outcome.detail, "the reference accepts y before any kernel has written it"));
    CHECK(script.launches["kernel"] == 0);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a problem that no bound can judge is skipped with the reason") {
    auto hopeless = job();
    hopeless.plan.verify.rounding_terms = 1e8;
    const auto outcome = run(hopeless);
    CHECK(outcome.status == TrialStatus::skipped);
    CHECK(contains(outcome.detail, "would accept zeros"));
    CHECK(script.calls.empty());
  }

  TEST_CASE_FIXTURE(TrialFixture, "a configuration of which the driver holds no block is not launched") {
    script.blocks_per_multiprocessor = 0;
    CHECK(run().status == TrialStatus::unlaunchable);
    CHECK(script.launches["kernel"] == 0);
  }

  TEST_CASE_FIXTURE(TrialFixture, "too little memory is a launch error that tells both sizes") {
    script.memory_bytes = 1 << 20;
    const auto outcome = run(job(1 << 20));
    CHECK(outcome.status == TrialStatus::launch_error);
    CHECK_FALSE(outcome.device_lost);
    CHECK(contains(outcome.detail, "the problem needs 0.05 GiB"));
    CHECK(contains(outcome.detail, "Fake GPU has 0.00 GiB"));
  }
}
