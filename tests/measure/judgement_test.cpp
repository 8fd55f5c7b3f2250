// What is right by a comparison of the user's, or by an output's own tolerance.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/measure/trial_fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;
using tests::FakeArguments;
using tests::TrialFixture;

namespace {

constexpr std::int64_t judged = 40;

/// y may differ from what is expected by less than a half; the comparison writes twice the difference.
TrialJob compared() {
  TrialJob job = TrialFixture::job(judged);
  Step step;
  step.entry = "compare";
  step.operands = {TrialFixture::buffer(1), TrialFixture::buffer(1, Operand::Kind::expected),
                   TrialFixture::buffer(1, Operand::Kind::error), TrialFixture::number(judged)};
  job.plan.verify.comparison = {step};
  job.plan.verify.rounding_terms = 0;
  job.reference_kernels.push_back(TrialFixture::named("compare"));
  return job;
}

void twice_the_difference(const FakeArguments& arguments) {
  for (std::int64_t i = 0; i < arguments.integer(3); ++i) {
    arguments.pointer<double>(2)[i] =
        2 * std::fabs(static_cast<double>(arguments.pointer<float>(0)[i]) - arguments.pointer<double>(1)[i]);
  }
}

/// What a kernel is said to be whose results are `off` too large.
TrialOutcome outcome_of(const TrialJob& job, float off, std::int64_t wrong_from = judged) {
  TrialFixture fixture;
  fixture.script.kernels["compare"] = twice_the_difference;
  fixture.script.kernels["kernel"] = [=](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < judged; ++i)
      arguments.pointer<float>(1)[i] = 2 * arguments.pointer<float>(0)[i] + off + (i < wrong_from ? 0 : 1);
  };
  return fixture.run(job);
}

}  // namespace

TEST_SUITE_BEGIN("tuner::measure judgement");

TEST_CASE("a comparison says what is right, and by that rule a result passed") {
  const TrialOutcome good = outcome_of(compared(), 0.4F);
  CAPTURE(good.detail);
  CHECK(good.status == TrialStatus::ok);
  CHECK(good.verification.rule == "a comparison of its own");
  CHECK(good.verification.error_ratio == doctest::Approx(0.8).epsilon(1e-5));
  const TrialOutcome bad = outcome_of(compared(), 0.1F, 37);
  CHECK(bad.status == TrialStatus::wrong_result);
  CHECK(contains(bad.detail,
                 "3 of the 40 elements of y are wrong, the first at index 37: the largest error "
                 "is 2.2 times its bound"));
}

TEST_CASE("what a comparison leaves alone is wrong") {
  TrialFixture fixture;
  fixture.script.kernels["compare"] = [](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i + 1 < judged; ++i)
      arguments.pointer<double>(2)[i] = std::isnan(arguments.pointer<float>(0)[i]) ? 2 : 0;
  };
  const TrialOutcome outcome = fixture.run(compared());
  CHECK(outcome.status == TrialStatus::wrong_result);
  CHECK(contains(outcome.detail, "1 of the 40 elements of y are wrong, the first at index 39"));
}

TEST_CASE("a comparison that accepts what nobody wrote judges nothing") {
  TrialFixture fixture;
  fixture.script.kernels["compare"] = [](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < judged; ++i) arguments.pointer<double>(2)[i] = 0;
  };
  const TrialOutcome outcome = fixture.run(compared());
  CHECK(outcome.status == TrialStatus::wrong_result);
  CHECK(contains(outcome.detail, "accepts y before any kernel has written it"));
}

TEST_CASE("a comparison needs no reference") {
  TrialJob job = compared();
  job.plan.verify.reference.clear();
  TrialFixture fixture;
  fixture.script.kernels["compare"] = [](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < judged; ++i)
      arguments.pointer<double>(2)[i] = std::fabs(arguments.pointer<float>(0)[i]) <= 2 ? 0 : 2;
  };
  CHECK(fixture.run(job).status == TrialStatus::ok);
  fixture.script.kernels["kernel"] = [](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < judged; ++i) arguments.pointer<float>(1)[i] = 3;
  };
  CHECK(fixture.run(job).status == TrialStatus::wrong_result);
}

TEST_CASE("an exact input set is compared bit for bit, whatever a comparison would say") {
  TrialJob job = compared();
  job.plan.verify.second_is_exact = true;
  CHECK(outcome_of(job, 0).status == TrialStatus::ok);
  const TrialOutcome near = outcome_of(job, 0.25F);
  CHECK(near.status == TrialStatus::wrong_result);
  CHECK(contains(near.detail, "on the second input set (exact)"));
}

TEST_CASE("a share of what a comparison calls wrong may be allowed") {
  TrialJob job = compared();
  job.plan.buffers[1].tolerance = Tolerance{0, 0, 0, 0.1};
  CHECK(outcome_of(job, 0, 36).status == TrialStatus::ok);
  CHECK(outcome_of(job, 0, 35).status == TrialStatus::wrong_result);
}

TEST_CASE("a share of what a comparison calls wrong must be written, unless the comparison accepts it") {
  TrialFixture fixture;
  TrialJob job = compared();
  job.plan.buffers[1].tolerance = Tolerance{0, 0, 0, 0.1};
  fixture.script.kernels["compare"] = [](const FakeArguments& arguments) {
    twice_the_difference(arguments);
    for (std::int64_t i = 0; i < judged; ++i) {
      double& error = arguments.pointer<double>(2)[i];
      if (std::isnan(error)) error = i == 7 ? 0 : 2;
    }
  };
  const auto leave_out = [&](std::int64_t left_out) {
    fixture.script.kernels["kernel"] = [=](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < judged; ++i)
        if (i != left_out) arguments.pointer<float>(1)[i] = 2 * arguments.pointer<float>(0)[i];
    };
    return fixture.run(job);
  };
  CHECK(leave_out(7).status == TrialStatus::ok);
  const TrialOutcome outcome = leave_out(3);
  CHECK(outcome.status == TrialStatus::wrong_result);
  CHECK(contains(outcome.detail, "nan, which no share excuses"));
  job.plan.buffers[1].ignores_unwritten = true;
  CHECK(leave_out(3).status == TrialStatus::wrong_result);  // the reference writes it
}

TEST_CASE("an output's own tolerance counts instead of the plan's") {
  TrialJob job = TrialFixture::job(judged);
  job.plan.verify.tolerance.absolute = 0.5;
  CHECK(outcome_of(job, 0.4F).status == TrialStatus::ok);
  job.plan.buffers[1].tolerance = Tolerance{0.01, 0, 0, 0};
  CHECK(outcome_of(job, 0.4F).status == TrialStatus::wrong_result);
  const TrialOutcome near = outcome_of(job, 0.005F);
  CHECK(near.status == TrialStatus::ok);
  CHECK(near.verification.rule == "rounding bound of 1 term + absolute 0.01");
}

TEST_CASE("a relative tolerance of all outputs leaves integers equal, and one of their own does not") {
  TrialFixture fixture;
  fixture.script.kernels["reference"] = [](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < judged; ++i)
      arguments.pointer<double>(1)[i] = arguments.pointer<double>(2)[i] = 1e6;
  };
  fixture.script.kernels["kernel"] = [](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < judged; ++i) arguments.pointer<int>(1)[i] = 1000050;
  };
  TrialJob job = TrialFixture::job(judged);
  job.plan.buffers[1].type = ElementType::int32;
  job.plan.verify.tolerance.relative = 1e-4;
  const TrialOutcome outcome = fixture.run(job);
  CHECK(outcome.status == TrialStatus::wrong_result);
  CHECK(outcome.verification.rule == "equal");
  job.plan.buffers[1].tolerance = Tolerance{0, 1e-4, 0, 0};
  CHECK(fixture.run(job).status == TrialStatus::ok);
}

TEST_SUITE_END();

TEST_CASE("of vectors it is told which number of which is wrong") {
  TrialJob job = TrialFixture::job(5);
  for (BufferPlan* buffer : {&job.plan.buffers[0], &job.plan.buffers[1]}) buffer->type = ElementType::float4;
  for (auto* steps : {&job.plan.steps, &job.plan.verify.reference})
    steps->front().operands[3] = TrialFixture::number(20);
  TrialFixture fixture;
  CHECK(fixture.run(job).status == TrialStatus::ok);
  fixture.script.kernels["kernel"] = [](const FakeArguments& arguments) {
    TrialFixture::twice(arguments);
    arguments.pointer<float>(1)[7] = 5;
  };
  const TrialOutcome outcome = fixture.run(job);
  CHECK(outcome.status == TrialStatus::wrong_result);
  CHECK(contains(outcome.detail, "1 of the 20 numbers in the float4s of y are wrong, the first at index 7"));
  CHECK(contains(outcome.detail, "y[1].w = 5, expected "));
}

TEST_CASE("two numbers that differ are told with as many digits as that takes") {
  TrialJob job = TrialFixture::job(judged);
  job.plan.buffers[1].type = ElementType::float64;
  job.plan.verify.rounding_terms = 0;
  const double sum = 0.1 + 0.2;
  for (const auto& [is, text] : {std::pair(0.3, "y[0] = 0.29999999999999999, expected 0.30000000000000004"),
                                 std::pair(0.30004, "y[0] = 0.30004, expected 0.3 exactly"),
                                 std::pair(7.0, "y[0] = 7, expected 0.3 exactly")}) {
    CAPTURE(is);
    TrialFixture fixture;
    fixture.script.kernels["reference"] = [&](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < judged; ++i)
        arguments.pointer<double>(1)[i] = arguments.pointer<double>(2)[i] = sum;
    };
    fixture.script.kernels["kernel"] = [&, is = is](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < judged; ++i) arguments.pointer<double>(1)[i] = is;
    };
    const TrialOutcome outcome = fixture.run(job);
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK_MESSAGE(contains(outcome.detail, text), outcome.detail);
  }
}
