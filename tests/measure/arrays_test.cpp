// Buffers that a sequence has in CUDA arrays: when they are copied.
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <vector>

#include "tests/measure/trial_fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;
using tests::FakeArguments;
using tests::TrialFixture;

namespace {

constexpr std::size_t array_held = 40;

/// y = 2x as ever, where buffer `index` lies in an array.
struct ArrayFixture : TrialFixture {
  explicit ArrayFixture(std::size_t index) {
    script.fill_arrays = [this, index](const tuner::device::Bindings& bindings) {
      const auto* from = reinterpret_cast<const float*>(bindings.buffers.at(index));
      arrays[from].assign(from, from + array_held);
    };
    script.collect_arrays = [this, index](const tuner::device::Bindings& bindings) {
      auto* to = reinterpret_cast<float*>(bindings.buffers.at(index));
      std::memcpy(to, arrays.at(to).data(), array_held * sizeof(float));
      ++collections;
    };
  }
  float* array_of(const float* buffer) { return arrays.at(buffer).data(); }

  std::map<const float*, std::vector<float>> arrays;  ///< by where the buffer is
  int collections = 0;
};

}  // namespace

TEST_SUITE_BEGIN("tuner::measure arrays");

TEST_CASE("an output in an array is poisoned there, collected, and compared like any other") {
  ArrayFixture fixture(1);
  bool works = true;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    float* const out = fixture.array_of(arguments.pointer<float>(1));
    for (std::size_t i = 0; works && i < array_held; ++i) out[i] = 2 * arguments.pointer<float>(0)[i];
  };
  const TrialJob job = TrialFixture::job(array_held);
  const TrialOutcome outcome = fixture.run(job);
  CAPTURE(outcome.detail);
  CHECK(outcome.status == TrialStatus::ok);
  CHECK(outcome.verification.checked);
  CHECK(fixture.collections == 3);  // each input set, and after the timed runs
  works = false;                    // what an earlier run left is not taken for its own
  const TrialOutcome lazy = fixture.run(job);
  CHECK(lazy.status == TrialStatus::wrong_result);
  CHECK(contains(lazy.detail, "40 of the 40 elements of y are wrong"));
}

TEST_CASE("an input in an array is that of the input set, and must be left alone there, too") {
  ArrayFixture fixture(0);
  bool spoils = false;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    float* const in = fixture.array_of(arguments.pointer<float>(0));
    CHECK((in[0] == arguments.pointer<float>(0)[0] || spoils));
    for (std::size_t i = 0; i < array_held; ++i) arguments.pointer<float>(1)[i] = 2 * in[i];
    if (spoils) in[3] += 1;
  };
  const TrialJob job = TrialFixture::job(array_held);
  CHECK(fixture.run(job).status == TrialStatus::ok);
  spoils = true;
  const TrialOutcome outcome = fixture.run(job);
  CHECK(outcome.status != TrialStatus::ok);
  CAPTURE(outcome.detail);
  CHECK(contains(outcome.detail, "x"));
}

TEST_CASE("an array whose buffer is restored is so before each timed run") {
  ArrayFixture fixture(1);
  TrialJob job = TrialFixture::job(array_held);
  job.plan.buffers[1].access = Access::inout;
  job.plan.buffers[1].init = {Init::Kind::constant, 0, 0};
  job.plan.buffers[1].restored = true;
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    float* const sum = fixture.array_of(arguments.pointer<float>(1));
    CHECK(sum[0] == 0);
    for (std::size_t i = 0; i < array_held; ++i) sum[i] += 2 * arguments.pointer<float>(0)[i];
  };
  const TrialOutcome outcome = fixture.run(job);
  CAPTURE(outcome.detail);
  CHECK(outcome.status == TrialStatus::ok);
  CHECK(fixture.script.launches["kernel"] > 10);
}

TEST_SUITE_END();
