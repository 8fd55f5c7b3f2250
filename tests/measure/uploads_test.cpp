// What a step copies from the host.
#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "tests/measure/trial_fixture.hpp"

using tests::FakeArguments;
using tests::TrialFixture;
using tuner::model::Access;
using tuner::model::ElementType;
using tuner::model::Init;
using tuner::model::Step;
using tuner::model::TrialStatus;

TEST_SUITE("tuner::measure::DeviceTrialRunner") {
  TEST_CASE_FIXTURE(TrialFixture, "what a step uploads is not there before") {
    auto uploading = job();
    Step upload;
    upload.kind = Step::Kind::upload;
    upload.buffer = 0;
    upload.count = elements;
    uploading.plan.steps.insert(uploading.plan.steps.begin(), upload);
    CHECK(run(uploading).status == TrialStatus::ok);

    std::swap(uploading.plan.steps[0], uploading.plan.steps[1]);  // the kernel does not wait
    CHECK(run(uploading).status == TrialStatus::wrong_result);
  }

  TEST_CASE_FIXTURE(TrialFixture, "an upload of a part leaves the rest of its buffer as it was") {
    const auto uploading = [](std::vector<std::pair<std::int64_t, std::int64_t>> parts, bool in_time) {
      auto out = job();
      for (const auto& [first, count] : parts) {
        Step upload;
        upload.kind = Step::Kind::upload;
        upload.buffer = 0;
        upload.first = first;
        upload.count = count;
        out.plan.steps.insert(in_time ? out.plan.steps.begin() : out.plan.steps.end(), upload);
      }
      return out;
    };
    for (const bool in_time : {true, false}) {
      CHECK(run(uploading({{0, 400}}, in_time)).status == TrialStatus::ok);
      CHECK(run(uploading({{0, 400}, {401, elements - 401}}, in_time)).status == TrialStatus::ok);
      CHECK(run(uploading({{1, elements - 1}}, in_time)).status == TrialStatus::ok);
    }
    // Together these are the whole, in whatever order and however they overlap.
    for (const auto& whole :
         {std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 400}, {400, elements - 400}},
          {{400, elements - 400}, {0, 400}},
          {{0, elements}, {10, 20}},
          {{0, 500}, {300, elements - 300}}}) {
      CHECK(run(uploading(whole, true)).status == TrialStatus::ok);
      CHECK(run(uploading(whole, false)).status == TrialStatus::wrong_result);
    }
  }

  TEST_CASE_FIXTURE(TrialFixture, "an upload of one buffer is none of another") {
    auto two = job();
    two.plan.buffers.push_back(
        {"z", ElementType::float32, elements, Access::in, {Init::Kind::constant, 1, 0}, {}});
    Step upload;
    upload.kind = Step::Kind::upload;
    upload.buffer = 3;
    upload.count = elements;
    two.plan.steps.push_back(upload);  // after the kernel, which does not read it
    CHECK(run(two).status == TrialStatus::ok);
  }

  TEST_CASE_FIXTURE(TrialFixture, "an upload copies initial contents, whatever an earlier trial left") {
    auto accumulate = job();
    accumulate.plan.buffers[1] = {"y",           ElementType::float32,         elements,
                                  Access::inout, {Init::Kind::constant, 3, 0}, {}};
    Step upload;
    upload.kind = Step::Kind::upload;
    upload.buffer = 1;
    upload.count = elements;
    accumulate.plan.steps.insert(accumulate.plan.steps.begin(), upload);
    script.kernels["kernel"] = [](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < arguments.integer(3); ++i) {
        const bool initial = arguments.pointer<float>(1)[i] == 3;
        arguments.pointer<float>(1)[i] = initial ? 2 * arguments.pointer<float>(0)[i] : 100;
      }
    };
    CHECK(run(accumulate).status == TrialStatus::ok);
    CHECK(run(accumulate).status == TrialStatus::ok);
  }
}
