// Buffers that are variables of the kernel's binary.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/measure/trial_fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;
using tests::FakeArguments;
using tests::TrialFixture;

namespace {

constexpr std::int64_t held = 40;
constexpr std::size_t room = 3;  ///< elements that a variable has more than its buffer

/// y = 2x as ever, with buffer `index` in the variable `variable`.
TrialJob with_variable(int index) {
  TrialJob job = TrialFixture::job(held);
  job.plan.buffers[static_cast<std::size_t>(index)].symbol = "space::v";
  job.kernels.push_back(TrialFixture::named("variable"));
  job.kernels.back().entry = "&space::v";
  return job;
}

struct VariableFixture : TrialFixture {
  VariableFixture() { script.variables["variable"].resize((held + room) * sizeof(float)); }
  float* variable() { return reinterpret_cast<float*>(script.variables["variable"].data()); }
};

}  // namespace

TEST_SUITE_BEGIN("tuner::measure variables");

TEST_CASE("an input in a variable is there on each input set, for the binary that runs") {
  VariableFixture fixture;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    CHECK(arguments.pointer<float>(0) == fixture.variable());
    for (std::int64_t i = 0; i < held; ++i) arguments.pointer<float>(1)[i] = 2 * fixture.variable()[i];
  };
  const TrialOutcome outcome = fixture.run(with_variable(0));
  CAPTURE(outcome.detail);
  CHECK(outcome.status == TrialStatus::ok);
  CHECK(outcome.verification.checked);
}

TEST_CASE("no run sees a variable of another input set than its buffers'") {
  VariableFixture fixture;
  TrialJob job = with_variable(0);
  job.plan.buffers[0].init = {Init::Kind::constant, 1, 0};
  job.plan.buffers[0].second_init = {Init::Kind::constant, 2, 0};
  job.plan.buffers[2] = {"same",     ElementType::float32,     held,
                         Access::in, job.plan.buffers[0].init, job.plan.buffers[0].second_init};
  int runs = 0;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    ++runs;
    CHECK(fixture.variable()[0] == arguments.pointer<float>(2)[0]);
    for (std::int64_t i = 0; i < held; ++i) arguments.pointer<float>(1)[i] = 2 * fixture.variable()[i];
  };
  CHECK(fixture.run(job).status == TrialStatus::ok);
  CHECK(runs > 10);  // on both input sets, those that warm the device up, and those that are timed
}

TEST_CASE("an output in a variable is compared like any other") {
  VariableFixture fixture;
  bool works = true;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    for (std::int64_t i = 0; works && i < held; ++i)
      fixture.variable()[i] = 2 * arguments.pointer<float>(0)[i];
  };
  CHECK(fixture.run(with_variable(1)).status == TrialStatus::ok);
  works = false;  // what an earlier run left is not taken for its own
  const TrialOutcome lazy = fixture.run(with_variable(1));
  CHECK(lazy.status == TrialStatus::wrong_result);
  CHECK(contains(lazy.detail, "40 of the 40 elements of y are wrong"));
}

TEST_CASE("what a variable has behind its elements is a fence") {
  VariableFixture fixture;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i <= held; ++i)
      fixture.variable()[i] = i < held ? 2 * arguments.pointer<float>(0)[i] : 0;
  };
  const TrialOutcome outcome = fixture.run(with_variable(1));
  CHECK(outcome.status == TrialStatus::out_of_bounds);
  CHECK(contains(outcome.detail, "past the end of y (40 elements) in the variable space::v"));
}

TEST_CASE("an input in a variable must stay as it is") {
  VariableFixture fixture;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < held; ++i) arguments.pointer<float>(1)[i] = 2 * fixture.variable()[i];
    fixture.variable()[7] = 0;
  };
  const TrialOutcome outcome = fixture.run(with_variable(0));
  CHECK(outcome.status == TrialStatus::input_modified);
  CHECK(contains(outcome.detail, "x is an input and was changed"));
  fixture.script.kernels["kernel"] = TrialFixture::twice;
  CHECK(fixture.run(with_variable(0)).status == TrialStatus::ok);  // the inputs were made again
}

TEST_CASE("a variable that is too small, or not there, is told") {
  VariableFixture fixture;
  fixture.script.variables["variable"].resize(held * sizeof(float) - 1);
  const TrialOutcome small = fixture.run(with_variable(0));
  CHECK(small.status == TrialStatus::launch_error);
  CHECK(small.detail == "the variable space::v has 159 bytes, and x needs 160");
  fixture.script.variables.clear();
  CHECK(fixture.run(with_variable(0)).detail == "the binary has no variable variable");
}

TEST_CASE("an uploaded variable is poison until its upload") {
  VariableFixture fixture;
  TrialJob job = with_variable(0);
  Step upload;
  upload.kind = Step::Kind::upload;
  upload.buffer = 0;
  upload.count = held;
  job.plan.steps.insert(job.plan.steps.begin(), upload);
  CHECK(fixture.run(job).status == TrialStatus::ok);
  std::swap(job.plan.steps[0], job.plan.steps[1]);  // too late
  job.plan.buffers[0].second_init = {Init::Kind::constant, 3, 0};
  CHECK(fixture.run(job).status == TrialStatus::wrong_result);
}

TEST_CASE("an updated variable begins as its plan says, and before each timed run where it is restored") {
  VariableFixture fixture;
  TrialJob job = with_variable(1);
  job.plan.buffers[1].access = Access::inout;
  job.plan.buffers[1].init = {Init::Kind::constant, 5, 0};
  job.plan.buffers[1].restored = true;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < held; ++i)
      fixture.variable()[i] = 2 * arguments.pointer<float>(0)[i] + (fixture.variable()[i] - 5);
  };
  const TrialOutcome outcome = fixture.run(job);
  CAPTURE(outcome.detail);
  CHECK(outcome.status == TrialStatus::ok);
}

TEST_CASE("buffers lie in the memory that their plan names") {
  VariableFixture fixture;
  TrialJob job = TrialFixture::job(held);
  job.plan.buffers[0].memory = Memory::pinned;
  job.plan.buffers[2].memory = Memory::managed;
  CHECK(fixture.run(job).status == TrialStatus::ok);
  // the input in both input sets, then the workspace: of the reference in both input sets, and of the kernel
  CHECK(fixture.script.memory_kinds == std::vector<Memory>{Memory::pinned, Memory::managed, Memory::pinned,
                                                           Memory::managed, Memory::managed});
}

TEST_SUITE_END();
