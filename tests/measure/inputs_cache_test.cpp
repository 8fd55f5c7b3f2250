#include <doctest/doctest.h>

#include "tests/measure/trial_fixture.hpp"
#include "tuner/measure/inputs.hpp"

using tests::FakeArguments;
using tests::TrialFixture;
using tuner::measure::inputs_key;
using tuner::model::TrialStatus;

TEST_SUITE("tuner::measure::InputsCache") {
  TEST_CASE(
      "inputs are the same for other launches and workspaces, and differ for other sizes, seeds and "
      "references") {
    const auto key = inputs_key(TrialFixture::job());
    auto other = TrialFixture::job(TrialFixture::elements, 4096);
    other.plan.steps[0].block.x = 64;
    CHECK(inputs_key(other) == key);
    CHECK(inputs_key(TrialFixture::job(12)) != key);
    other = TrialFixture::job();
    other.seed = 99;
    CHECK(inputs_key(other) != key);
    other = TrialFixture::job();
    other.plan.buffers[0].second_init = {tuner::model::Init::Kind::constant, 1, 0};
    CHECK(inputs_key(other) != key);
    other = TrialFixture::job();
    other.reference_key = tuner::model::DigestBuilder().add("another").finish();
    CHECK(inputs_key(other) != key);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "inputs are shared, and each bound must refuse what no kernel has written") {
    const auto nothing = [](const FakeArguments&) {};
    auto lax = job();
    lax.plan.buffers[1].access = tuner::model::Access::inout;
    lax.plan.buffers[1].init = {tuner::model::Init::Kind::constant, 1, 0};
    auto strict = lax;
    lax.plan.verify.tolerance.absolute = 1e9;
    SUBCASE("behind a sharper one") {
      CHECK(run(strict).status == TrialStatus::ok);
    }
    SUBCASE("before a sharper one") {}
    script.kernels["kernel"] = nothing;
    const auto refused = run(lax);
    CHECK(refused.status == TrialStatus::wrong_result);
    CHECK(refused.detail.find("before any kernel has written it") != std::string::npos);
    CHECK(refused.subject == tuner::model::Subject::problem);
    script.kernels["kernel"] = twice;
    CHECK(run(strict).status == TrialStatus::ok);
    CHECK(script.launches["reference"] == 2);
  }

  TEST_CASE_FIXTURE(TrialFixture, "old problems are freed before memory runs out") {
    script.memory_bytes = 9 << 20;
    for (std::int64_t n = 50'000; n < 50'010; ++n) CHECK(run(job(n)).status == TrialStatus::ok);  // 3 MB each
    CHECK(script.most_allocated_bytes <= script.memory_bytes);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "when an allocation fails all other problems are freed and it is tried again") {
    run(job(1000));
    script.faults = {{"allocate", script.count("allocate") + 2, TrialStatus::launch_error, false}};
    CHECK(run(job(2000)).status == TrialStatus::ok);
    run(job(1000));
    CHECK(script.launches["reference"] == 6);  // the first problem had been freed
  }

  TEST_CASE_FIXTURE(
      TrialFixture,
      "what a failed trial did to another problem's inputs is found before they are used again") {
    float* of_other = nullptr;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      twice(arguments);
      of_other = arguments.pointer<float>(0);
    };
    CHECK(run(job(1000)).status == TrialStatus::ok);
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      twice(arguments);
      of_other[3] = 9;
      arguments.pointer<float>(1)[0] = 77;
    };
    CHECK(run(job(2000)).status == TrialStatus::wrong_result);
    script.kernels["kernel"] = twice;
    SUBCASE("at once") {}
    SUBCASE("after trials of the problem that failed, which are trusted again") {
      CHECK(run(job(2000)).status == TrialStatus::ok);
      CHECK(run(job(2000)).status == TrialStatus::ok);
    }
    SUBCASE("after a problem that is new") {
      CHECK(run(job(3000)).status == TrialStatus::ok);
    }
    CHECK(run(job(1000)).status == TrialStatus::ok);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "inputs of a trial that failed are looked at before the next of the same problem") {
    script.kernels["kernel"] = [](const FakeArguments& arguments) {
      twice(arguments);
      arguments.pointer<float>(0)[3] = 9;
    };
    CHECK(run(job(1000)).status == TrialStatus::input_modified);
    script.kernels["kernel"] = twice;
    CHECK(run(job(1000)).status == TrialStatus::ok);
    CHECK(script.launches["reference"] == 4);  // made again
    CHECK(run(job(1000)).status == TrialStatus::ok);
    CHECK(script.launches["reference"] == 4);  // and kept
  }

  TEST_CASE_FIXTURE(TrialFixture, "the problem used longest ago is freed first") {
    script.memory_bytes = 9 << 20;
    CHECK(run(job(50'000)).status == TrialStatus::ok);  // 3 MB each
    CHECK(run(job(50'001)).status == TrialStatus::ok);
    CHECK(run(job(50'000)).status == TrialStatus::ok);
    CHECK(script.launches["reference"] == 4);
    CHECK(run(job(50'002)).status == TrialStatus::ok);  // in place of the second
    CHECK(run(job(50'000)).status == TrialStatus::ok);
    CHECK(script.launches["reference"] == 6);
    CHECK(run(job(50'001)).status == TrialStatus::ok);
    CHECK(script.launches["reference"] == 8);
  }

  TEST_CASE_FIXTURE(TrialFixture, "memory that others have is not counted on") {
    script.memory_bytes = 20 << 20;
    script.free_memory_bytes = 5 << 20;
    for (std::int64_t n = 50'000; n < 50'004; ++n) CHECK(run(job(n)).status == TrialStatus::ok);
    CHECK(script.most_allocated_bytes <= script.free_memory_bytes);
  }

  TEST_CASE_FIXTURE(TrialFixture, "nothing is allocated again on a device that was lost") {
    run(job(1000));
    const int before = script.count("allocate");
    script.faults = {{"allocate", before + 2, TrialStatus::crashed, true}};
    const auto outcome = run(job(2000));
    CHECK(outcome.status == TrialStatus::crashed);
    CHECK(outcome.device_lost);
    CHECK(script.count("allocate") == before + 2);
  }

  TEST_CASE_FIXTURE(TrialFixture, "a workspace that does not fit beside other problems gets their room") {
    script.memory_bytes = 9 << 20;
    CHECK(run(job(100'000)).status == TrialStatus::ok);
    CHECK(run(job(1000)).status == TrialStatus::ok);
    CHECK(run(job(1000, 1'000'000)).status == TrialStatus::ok);
    CHECK(script.most_allocated_bytes <= script.memory_bytes);
  }
}
