// Buffers of structs: filled from their fields' buffers and judged by them.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/measure/trial_fixture.hpp"

using namespace tuner::model;
using tests::FakeArguments;
using tests::TrialFixture;

namespace {

struct Pair {
  signed char tag;  // three bytes of padding behind it
  float x;
};
static_assert(sizeof(Pair) == 8 && offsetof(Pair, x) == 4);

constexpr std::int64_t pairs = 101;

BufferPlan structs(const std::string& name, Access access, int first_field) {
  BufferPlan buffer{name, ElementType::uint8, pairs * 8, access, {}, {}};
  buffer.struct_bytes = 8;
  buffer.fields = {{first_field, 0}, {first_field + 1, 4}};
  return buffer;
}

/// The pairs of buffer 0 with x doubled and the tag one more, in buffer 3; fields are behind each.
TrialJob doubled() {
  TrialJob job = TrialFixture::job(pairs);
  job.plan.buffers = {
      structs("in", Access::in, 1),
      {"in.tag", ElementType::int8, pairs, Access::in, {Init::Kind::integers, -9, 9}, {}},
      {"in.x", ElementType::float32, pairs, Access::in, {Init::Kind::uniform, -1, 1}, {}},
      structs("out", Access::out, 4),
      {"out.tag", ElementType::int8, pairs, Access::out, {}, {}},
      {"out.x", ElementType::float32, pairs, Access::out, {}, {}},
  };
  job.plan.steps[0].operands = {TrialFixture::buffer(0), TrialFixture::buffer(3)};
  using Kind = Operand::Kind;
  job.plan.verify.reference[0].operands = {TrialFixture::buffer(0), TrialFixture::buffer(4, Kind::expected),
                                           TrialFixture::buffer(5, Kind::expected),
                                           TrialFixture::buffer(5, Kind::magnitude)};
  return job;
}

void reference(const FakeArguments& arguments) {
  const auto* in = arguments.pointer<Pair>(0);
  for (std::int64_t i = 0; i < pairs; ++i) {
    arguments.pointer<double>(1)[i] = in[i].tag + 1;
    arguments.pointer<double>(2)[i] = 2.0 * static_cast<double>(in[i].x);
    arguments.pointer<double>(3)[i] = std::fabs(arguments.pointer<double>(2)[i]);
  }
}

void right(const FakeArguments& arguments) {
  const auto* in = arguments.pointer<Pair>(0);
  auto* out = arguments.pointer<Pair>(1);
  for (std::int64_t i = 0; i < pairs; ++i) {
    out[i].tag = static_cast<signed char>(in[i].tag + 1);
    out[i].x = 2 * in[i].x;
  }
}

TrialOutcome outcome_of(const TrialJob& job, tests::FakeScript::Kernel kernel) {
  TrialFixture fixture;
  fixture.script.kernels["reference"] = reference;
  fixture.script.kernels["kernel"] = std::move(kernel);
  return fixture.run(job);
}

}  // namespace

TEST_SUITE_BEGIN("tuner::measure structs");

TEST_CASE("structs hold what their fields are filled with, and are judged field by field") {
  std::vector<float> seen;
  const TrialOutcome good = outcome_of(doubled(), [&](const FakeArguments& arguments) {
    const auto* in = arguments.pointer<Pair>(0);
    for (std::int64_t i = 0; i < pairs; ++i) {
      CHECK(std::abs(in[i].tag) <= 9);
      CHECK(std::fabs(in[i].x) <= 1);
    }
    seen.push_back(in[0].x);
    right(arguments);
  });
  CHECK(good.detail == "");
  CHECK(to_string(good.status) == "ok");
  REQUIRE(seen.size() > 2);
  CHECK(seen.front() != seen.back());  // two input sets

  const TrialOutcome wrong = outcome_of(doubled(), [](const FakeArguments& arguments) {
    right(arguments);
    arguments.pointer<Pair>(1)[7].x += 1;
  });
  CHECK(to_string(wrong.status) == "wrong_result");
  CHECK(wrong.verification.buffer == "out.x");
  CHECK(wrong.verification.first_wrong == 7);
}

TEST_CASE("a field that nobody wrote is wrong, and what lies between fields is nobody's business") {
  const TrialOutcome unwritten = outcome_of(doubled(), [](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < pairs; ++i)
      arguments.pointer<Pair>(1)[i].x = 2 * arguments.pointer<Pair>(0)[i].x;
  });
  CHECK(to_string(unwritten.status) == "wrong_result");
  CHECK(unwritten.verification.buffer == "out.tag");

  unsigned char noise = 0;
  const TrialOutcome padded = outcome_of(doubled(), [&](const FakeArguments& arguments) {
    std::memset(arguments.pointer<Pair>(1), ++noise, pairs * sizeof(Pair));
    right(arguments);
  });
  CHECK(padded.detail == "");
  CHECK(to_string(padded.status) == "ok");
}

TEST_CASE("structs have fences, and an input of them must stay as it is") {
  const TrialOutcome outside = outcome_of(doubled(), [](const FakeArguments& arguments) {
    right(arguments);
    arguments.pointer<Pair>(1)[pairs].tag = 1;
  });
  CHECK(to_string(outside.status) == "out_of_bounds");
  CHECK(outside.detail.find("past the end of out (101 elements)") != std::string::npos);

  const TrialOutcome changed = outcome_of(doubled(), [](const FakeArguments& arguments) {
    right(arguments);
    arguments.pointer<Pair>(0)[3].x = 5;
  });
  CHECK(to_string(changed.status) == "input_modified");
}

TEST_CASE("structs that runs change are as they were before each timed run, where they are restored") {
  TrialJob job = doubled();
  job.plan.buffers.resize(3);
  for (BufferPlan& buffer : job.plan.buffers) buffer.access = Access::inout;
  job.plan.buffers[0].restored = true;
  job.plan.steps[0].operands = {TrialFixture::buffer(0), TrialFixture::buffer(0)};
  auto& operands = job.plan.verify.reference[0].operands;
  operands[1].buffer = 1;
  operands[2].buffer = operands[3].buffer = 2;
  int dirty = 0;
  int runs = 0;
  const TrialOutcome outcome = outcome_of(job, [&](const FakeArguments& arguments) {
    const auto* in = arguments.pointer<Pair>(0);
    for (std::int64_t i = 0; i < pairs; ++i) dirty += in[i].tag < -9 || in[i].tag > 9 ? 1 : 0;
    ++runs;
    right(arguments);
  });
  CHECK(outcome.detail == "");
  CHECK(to_string(outcome.status) == "ok");
  CHECK(dirty == 0);
  CHECK(runs > 10);
}

TEST_CASE("of structs that runs change a field may stay as it was, but not all of them") {
  TrialJob job = doubled();
  job.plan.buffers.resize(3);
  for (BufferPlan& buffer : job.plan.buffers) buffer.access = Access::inout;
  job.plan.steps[0].operands = {TrialFixture::buffer(0)};
  auto& operands = job.plan.verify.reference[0].operands;
  operands[1].buffer = 1;
  operands[2].buffer = operands[3].buffer = 2;
  TrialFixture fixture;
  float factor = 2;
  fixture.script.kernels["reference"] = [&](const FakeArguments& arguments) {
    reference(arguments);
    for (std::int64_t i = 0; i < pairs; ++i) {
      const Pair& pair = arguments.pointer<Pair>(0)[i];
      arguments.pointer<double>(1)[i] = pair.tag;
      arguments.pointer<double>(2)[i] = static_cast<double>(factor * pair.x);
    }
  };
  fixture.script.kernels["kernel"] = [&](const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < pairs; ++i) arguments.pointer<Pair>(0)[i].x *= factor;
  };
  CHECK(fixture.run(job).detail == "");
  factor = 1;
  job.reference_key = DigestBuilder().add("another reference").finish();
  CHECK(fixture.run(job).detail.find("the reference accepts in.tag before any kernel") != std::string::npos);
}

TEST_SUITE_END();
