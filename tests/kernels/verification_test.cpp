// Kernels that are wrong, from spec to outcome: each is caught, by the check that is named. The same on CPU
// and GPU.
#include <doctest/doctest.h>

#include <string>

#include "tests/kernels/workshop.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using model::TrialStatus;
using test::Workshop;

namespace {

model::Problem problem_of(const space::KernelSpace& kernel, std::int64_t n) {
  return space::make_problem(kernel.spec(), {n}, std::nullopt, 0);
}

/// The trial of a kernel on `n` elements fails with `status` and a detail that begins with `check`.
void expect(const std::string& name, std::int64_t n, TrialStatus status, const std::string& check) {
  Workshop workshop = test::make_workshop();
  const space::KernelSpace kernel = test::load_kernel(name);
  const model::TrialOutcome outcome = workshop.run(kernel, problem_of(kernel, n));
  CAPTURE(name);
  CAPTURE(outcome.detail);
  CHECK(model::to_string(outcome.status) == model::to_string(status));
  CHECK(outcome.detail.find(check) != std::string::npos);
  CHECK_FALSE(outcome.measurement);
}

}  // namespace

TEST_SUITE_BEGIN("verification");

TEST_CASE("a wrong edge, an unwritten tile and no output at all are caught by comparing in full") {
  expect("wrong_edge", 4096, TrialStatus::wrong_result,
         "on the second input set: 1 of the 4096 elements of C are wrong, the first at index 4095");
  expect("unwritten_tile", 4096, TrialStatus::wrong_result,
         "on the second input set: 256 of the 4096 elements of C are wrong, the first at index 2048: "
         "never written");
  expect("does_nothing", 4096, TrialStatus::wrong_result,
         "on the second input set: 4096 of the 4096 elements of C are wrong");
}

TEST_CASE("what the reference leaves alone of a buffer that is updated must keep its value") {
  expect("touches_rest", 4096, TrialStatus::wrong_result,
         "on the second input set: 2048 of the 4096 elements of C are wrong, the first at index 1");
}

TEST_CASE("no byte that was never written is right by chance") {
  expect("half_of_bytes", 4096, TrialStatus::wrong_result,
         "on the second input set: 2048 of the 4096 elements of C are wrong, the first at index 2");
}

TEST_CASE("wrong values are told with what was expected, and where they lie") {
  expect("wrong_edge", 4096, TrialStatus::wrong_result, "; C[4095] = ");
  expect("wrong_edge", 4096, TrialStatus::wrong_result,
         "; wrong: the edge alone, the last 1; a kernel for whole");
  expect("unwritten_tile", 4096, TrialStatus::wrong_result,
         "; C[2048] was never written, or is made of what lies beyond an input, expected ");
  expect("unwritten_tile", 4096, TrialStatus::wrong_result, "; wrong: one piece alone, 256 in a row");
  expect("does_nothing", 4096, TrialStatus::wrong_result, "; wrong: all of them");
}

TEST_CASE("stale output is caught by drawing inputs twice") {
  expect("stale_output", 4096, TrialStatus::wrong_result, "on the first input set: ");
}

TEST_CASE("a kernel that needs its workspace to begin with other bits than zeros is wrong") {
  expect("trusts_workspace", 4096, TrialStatus::wrong_result, "on the first input set: ");
}

TEST_CASE("writes beyond either end are caught by the fences") {
  expect("write_past_end", 4096, TrialStatus::out_of_bounds,
         "on the second input set: something was written past the end of C");
  expect("write_before_start", 4096, TrialStatus::out_of_bounds,
         "on the second input set: something was written before the start of C");
}

TEST_CASE("so are updates of what lies there, which a NaN may swallow") {
  // An x86 processor keeps the NaN it is given, so the first input set tells; NVIDIA's GPUs make one of their
  // own.
  for (const std::int64_t n : {1000, 1001}) {
    expect("update_past_end", n, TrialStatus::out_of_bounds, "something was written past the end of C");
  }
  expect("update_before_start", 4096, TrialStatus::out_of_bounds,
         "something was written before the start of C");
  expect("atomic_past_end", 4096, TrialStatus::out_of_bounds, "something was written past the end of C");
}

TEST_CASE("a write far from its buffer is caught by the fences of the buffer that it hits") {
  expect("far_write", 4096, TrialStatus::out_of_bounds,
         "on the second input set: something was written before the start of B");
}

TEST_CASE("a modified input is caught by its checksum") {
  expect("overwrites_input", 4096, TrialStatus::input_modified, "on the second input set: ");
}

TEST_CASE("inputs rounded to TF32 and sums rounded to half are caught by the exact input set") {
  for (const std::string name : {"tf32_product", "half_accumulation"}) {
    expect(name, 4096, TrialStatus::wrong_result, "on the second input set (exact): ");
    expect(name, 33, TrialStatus::wrong_result, "on the second input set (exact): ");
  }
}

TEST_CASE(
    "a product rounded to TF32 passes the error bound of FP32: the exact input set alone tells them apart") {
  model::KernelSpec spec = test::load_kernel("tf32_product").spec();
  for (model::ArgumentSpec& argument : spec.arguments) argument.second_init.reset();
  spec.verify->second_is_exact = false;
  const space::KernelSpace kernel(spec);
  Workshop workshop = test::make_workshop();
  const model::TrialOutcome outcome = workshop.run(kernel, problem_of(kernel, 4096));
  CAPTURE(outcome.detail);
  CHECK(model::to_string(outcome.status) == "ok");
  CHECK(outcome.verification.error_ratio < 0.5);
}

TEST_CASE("a race for the order of a sum is caught by comparing runs, unless it is declared") {
  expect("order_of_arrival", 4096, TrialStatus::unstable,
         "after the timed launches: two runs on the same inputs gave different y");
  model::KernelSpec spec = test::load_kernel("order_of_arrival").spec();
  spec.deterministic = false;
  const space::KernelSpace kernel(spec);
  Workshop workshop = test::make_workshop();
  CHECK(workshop.run(kernel, problem_of(kernel, 4096)).status == TrialStatus::ok);
}

TEST_CASE("a race for shared memory is caught, by its results or by comparing runs") {
  Workshop workshop = test::make_workshop();
  const space::KernelSpace kernel = test::load_kernel("missing_barrier");
  const auto outcome = workshop.run(kernel, problem_of(kernel, 1 << 20));
  CAPTURE(outcome.detail);
  if (outcome.status == TrialStatus::unstable) {
    CHECK(outcome.detail.starts_with("after the timed launches: two runs on the same inputs"));
  } else {
    CHECK(outcome.status == TrialStatus::wrong_result);
    CHECK(outcome.detail.find(" elements of C are wrong") != std::string::npos);
  }
}

TEST_CASE("a kernel that is right for whole tiles alone is caught by its probes") {
  const space::KernelSpace kernel = test::load_kernel("whole_tiles_only");
  const model::Problem problem = problem_of(kernel, 4096);
  Workshop workshop = test::make_workshop();
  CHECK(workshop.run(kernel, problem).status == TrialStatus::ok);
  const auto outcome = workshop.run(kernel, problem, space::probe_problems(kernel.spec(), problem));
  CAPTURE(outcome.detail);
  CHECK(outcome.status == TrialStatus::wrong_result);
  CHECK(outcome.detail.starts_with(
      "on a probe of 2343 float, with buffers A of 2343, B of 2343, C of 2343: on the second "
      "input set: 39 of the 2343 elements of C are wrong, the first at "
      "index 2304"));
}

TEST_CASE("good kernels pass, with the probes of their binaries") {
  for (const std::string name : {"good_one_each", "good_strided", "good_shared"}) {
    const space::KernelSpace kernel = test::load_kernel(name);
    const model::Problem problem = problem_of(kernel, 4096);
    Workshop workshop = test::make_workshop();
    const auto outcome = workshop.run(kernel, problem, space::probe_problems(kernel.spec(), problem));
    CAPTURE(name);
    CAPTURE(outcome.detail);
    CHECK(model::to_string(outcome.status) == "ok");
    CHECK(outcome.verification.checked);
  }
}

TEST_CASE("matrix products are exact on their second input set, in every type, padded or not") {
  for (const std::string name : {"naive", "shared", "register_tile", "register_tile_2d", "streamed"}) {
    const space::KernelSpace kernel = test::load_kernel(name);
    auto types = kernel.spec().types;
    if (name != "naive") types.resize(1);  // the input sets are the same in all
    for (const model::ElementType type : types) {
      Workshop workshop = test::make_workshop();
      const model::Problem problem = space::make_problem(kernel.spec(), {5, 7, 4099}, type, 0);
      const auto outcome = workshop.run(kernel, problem, space::probe_problems(kernel.spec(), problem));
      CAPTURE(name);
      CAPTURE(problem.text());
      CAPTURE(outcome.detail);
      CHECK(model::to_string(outcome.status) == "ok");
    }
  }
}

TEST_SUITE_END();
