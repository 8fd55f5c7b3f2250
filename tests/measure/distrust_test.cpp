// Kernels that try to look right and fast.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/measure/trial_fixture.hpp"
#include "tests/support/contains.hpp"

using tests::FakeArguments;
using tests::TrialFixture;
using tuner::model::TrialStatus;

namespace {

struct Distrusting : TrialFixture {
  tuner::model::TrialOutcome run_distrusted() {
    auto distrusted = job();
    distrusted.distrusted = true;
    return run(distrusted);
  }
};

}  // namespace

TEST_SUITE("tuner::measure::DeviceTrialRunner distrust") {
  TEST_CASE_FIXTURE(Distrusting,
                    "an honest kernel is ok, though it takes longer on outputs that are not cached") {
    script.time_ns = [](const std::string&, int launch) { return launch % 2 == 0 ? 1e6 : 3e6; };
    CHECK(run_distrusted().status == TrialStatus::ok);
  }

  TEST_CASE_FIXTURE(Distrusting,
                    "a kernel that works where its output is not made yet is found by its times") {
    bool works = true;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      works = std::isnan(arguments.pointer<float>(1)[0]);
      if (works) twice(arguments);
    };
    script.time_ns = [&](const std::string&, int) { return works ? 2e6 : 2e3; };
    CHECK(run().status == TrialStatus::ok);
    const auto outcome = run_distrusted();
    CHECK(outcome.status == TrialStatus::unstable);
    CHECK_FALSE(outcome.measurement);
    CHECK(contains(outcome.detail, "after the timed launches: a run on fresh outputs takes 2000.0 µs"));
    CHECK(contains(outcome.detail, "it does not work each time"));
  }

  TEST_CASE_FIXTURE(Distrusting,
                    "a kernel that other programs slow for a while is asked again before it is refused") {
    int fresh = 0;
    bool is_fresh = false;
    int slowed = 0;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      is_fresh = std::isnan(arguments.pointer<float>(1)[0]);
      fresh += is_fresh ? 1 : 0;
      twice(arguments);
    };
    script.time_ns = [&](const std::string&, int) { return is_fresh && fresh <= slowed ? 9e6 : 1e6; };
    REQUIRE(run_distrusted().status == TrialStatus::ok);
    const int usual = fresh;
    fresh = 0;
    SUBCASE("for a while") {
      slowed = usual + 20;
      CHECK(run_distrusted().status == TrialStatus::ok);
      CHECK(fresh > slowed);
    }
    SUBCASE("for ever") {
      slowed = 1000;
      CHECK(run_distrusted().status == TrialStatus::unstable);
      CHECK(fresh <= usual + 40);
    }
  }

  TEST_CASE_FIXTURE(Distrusting, "a kernel that works in its first launches alone is found by its results") {
    int launches = 0;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      if (++launches < 100) twice(arguments);
    };
    script.time_ns = [](const std::string&, int) { return 1e6; };
    auto many = job();
    many.policy.samples = 100;
    many.policy.time_limit_ns = 1e9;
    CHECK(run(many).status == TrialStatus::ok);  // what it left is right
    launches = 0;
    many.distrusted = true;
    const auto outcome = run(many);
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(contains(outcome.detail, "after the timed launches: on the second input set"));
  }

  TEST_CASE_FIXTURE(Distrusting, "a kernel that is faster in batches than its work can be is found") {
    script.time_ns = [&](const std::string&, int) { return script.repetitions.back() > 1 ? 2e3 : 9e4; };
    CHECK(run().status == TrialStatus::ok);
    const auto outcome = run_distrusted();
    CHECK(outcome.status == TrialStatus::unstable);
    CHECK(contains(outcome.detail, "a timed one 2.0 µs"));
  }
}
