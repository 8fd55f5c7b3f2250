#include "tuner/measure/inputs_cache.hpp"

#include <doctest/doctest.h>

#include "tests/measure/trial_fixture.hpp"

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

  TEST_CASE_FIXTURE(TrialFixture, "old problems are freed before memory runs out") {
    script.memory_bytes = 80 << 20;
    for (std::int64_t n = 500'000; n < 500'010; ++n)
      CHECK(run(job(n)).status == TrialStatus::ok);  // 24 MB each
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

  TEST_CASE_FIXTURE(TrialFixture, "a workspace that does not fit beside other problems gets their room") {
    script.memory_bytes = 80 << 20;
    CHECK(run(job(1'000'000)).status == TrialStatus::ok);
    CHECK(run(job(1000)).status == TrialStatus::ok);
    CHECK(run(job(1000, 10'000'000)).status == TrialStatus::ok);
    CHECK(script.most_allocated_bytes <= script.memory_bytes);
  }
}
