#include <doctest/doctest.h>

#include <limits>

#include "tests/measure/trial_fixture.hpp"

using tests::FakeArguments;
using tests::TrialFixture;
using tuner::model::TrialStatus;

namespace {

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("tuner::measure::DeviceTrialRunner faults") {
  TEST_CASE_FIXTURE(TrialFixture, "a kernel that does nothing has a wrong result") {
    const auto outcome = run_kernel([](const FakeArguments&) {});
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.verification.wrong_elements == elements);
    CHECK_FALSE(outcome.measurement);
    CHECK(mentions(outcome.detail, "never written"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "one wrong element at the edge is found, and named") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(1)[elements - 1] *= 1.001F;
    });
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.verification.wrong_elements == 1);
    CHECK(outcome.verification.first_wrong == elements - 1);
    CHECK(mentions(outcome.detail, "1 of the 1003 elements of y are wrong, the first at index 1002"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "a tile never written is found, also when an earlier trial wrote it") {
    CHECK(run().status == TrialStatus::ok);
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < elements; ++i) {
        if (i < 256 || i >= 288) arguments.pointer<float>(1)[i] = 2 * arguments.pointer<float>(0)[i];
      }
    });
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.verification.wrong_elements == 32);
    CHECK(outcome.verification.first_wrong == 256);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a NaN never passes") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(1)[17] = std::numeric_limits<float>::quiet_NaN();
    });
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.verification.first_wrong == 17);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a write past either end is out of bounds") {
    for (const std::int64_t index : {elements, std::int64_t{-1}, elements + 8000}) {
      CAPTURE(index);
      const auto outcome = run_kernel([index](const FakeArguments& arguments) {
        twice(arguments);
        arguments.pointer<float>(1)[index] = 0;
      });
      CHECK(outcome.status == TrialStatus::out_of_bounds);
      CHECK(mentions(outcome.detail, index < 0 ? "before the start of y" : "past the end of y"));
    }
  }

  TEST_CASE_FIXTURE(TrialFixture, "a workspace has fences too") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<int>(2)[16] = 1;
    });
    CHECK(outcome.status == TrialStatus::out_of_bounds);
    CHECK(mentions(outcome.detail, "scratch"));
  }

  TEST_CASE_FIXTURE(TrialFixture, "out of bounds comes before a wrong result that may follow from it") {
    const auto outcome =
        run_kernel([](const FakeArguments& arguments) { arguments.pointer<float>(1)[elements] = 0; });
    CHECK(outcome.status == TrialStatus::out_of_bounds);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a changed input is found, and the next trial gets it as it was") {
    const auto outcome = run_kernel([](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(0)[elements / 2] += 1;
    });
    CHECK(outcome.status == TrialStatus::input_modified);
    CHECK(mentions(outcome.detail, "x is an input"));
    const auto next = run_kernel(twice);
    CHECK(next.status == TrialStatus::ok);
    CHECK(next.verification.error_ratio == 0);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a stray write into what the reference said does not spoil the next trial") {
    double* expected = nullptr;
    script.kernels["reference"] = [&,
                                   original = script.kernels["reference"]](const FakeArguments& arguments) {
      original(arguments);
      expected = arguments.pointer<double>(1);
    };
    run_kernel([&](const FakeArguments& arguments) {
      twice(arguments);
      expected[3] = 1e9;
    });
    CHECK(run_kernel(twice).status == TrialStatus::ok);
  }

  TEST_CASE_FIXTURE(TrialFixture, "two runs that differ within the bound are unstable, unless declared so") {
    int calls = 0;
    const auto wavering = [&](const FakeArguments& arguments) {
      twice(arguments);
      float& y = arguments.pointer<float>(1)[5];
      if (calls++ % 2 == 1) y = std::nextafter(y, 0.0F);
    };
    auto tolerant = job();
    tolerant.plan.verify.rounding_terms = 4;
    script.kernels["kernel"] = wavering;
    tolerant.plan.deterministic = false;
    CHECK(run(tolerant).status == TrialStatus::ok);
    calls = 0;
    tolerant.plan.deterministic = true;
    const auto outcome = run(tolerant);
    CHECK(outcome.status == TrialStatus::unstable);
    CHECK(mentions(outcome.detail, "y"));
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a kernel that goes wrong only when repeated is caught after its timed launches") {
    int calls = 0;
    const auto outcome = run_kernel([&](const FakeArguments& arguments) {
      twice(arguments);
      if (++calls > 60) arguments.pointer<float>(1)[0] = 5;
    });
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(mentions(outcome.detail, "after the timed launches"));
    CHECK_FALSE(outcome.measurement);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a fault while running costs the trial, and when the device is lost all later ones") {
    script.faults = {{"run", 2, TrialStatus::crashed, true}};  // 1 is the reference
    const auto outcome = run();
    CHECK(outcome.status == TrialStatus::crashed);
    CHECK(outcome.device_lost);
    CHECK(mentions(outcome.detail, "planted fault in run"));
    const auto next = run();
    CHECK(next.status == TrialStatus::crashed);
    CHECK(next.device_lost);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a launch error costs the trial alone") {
    script.faults = {{"run", 2, TrialStatus::launch_error, false}};
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
    CHECK(mentions(outcome.detail, "the reference: "));
  }

  TEST_CASE_FIXTURE(TrialFixture, "a reference that says nothing is refused: doing nothing would win") {
    script.kernels["reference"] = [](const FakeArguments&) {};
    const auto outcome = run();
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(mentions(outcome.detail, "the reference accepts y before any kernel has written it"));
    CHECK(script.launches["kernel"] == 0);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a problem that no bound can judge is skipped with the reason") {
    auto hopeless = job();
    hopeless.plan.verify.rounding_terms = 1e8;
    const auto outcome = run(hopeless);
    CHECK(outcome.status == TrialStatus::skipped);
    CHECK(mentions(outcome.detail, "would accept zeros"));
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
    CHECK(mentions(outcome.detail, "the problem needs 0.02 GiB"));
    CHECK(mentions(outcome.detail, "Fake GPU has 0.00 GiB"));
  }
}
