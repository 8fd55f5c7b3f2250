// kernels/matmul/few_rows, its sibling for half, and mma.cu in all its variants on the CPU device: copies,
// edges, and every way to add up. What tensor cores do a plain path does here.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/kernels/workshop.hpp"

using namespace tuner;

namespace {

/// Every `step`-th configuration of one problem.
int verified(const std::string& name, const std::vector<std::int64_t>& size, std::int64_t padding,
             std::size_t step) {
  const space::KernelSpace kernel = test::load_kernel(name);
  test::Workshop workshop = test::make_workshop();
  const model::Problem problem = space::make_problem(kernel.spec(), size, std::nullopt, padding);
  int count = 0;
  std::size_t index = 0;
  kernel.enumerate(problem, workshop.limits(), [&](const model::Configuration& configuration) {
    if (index++ % step != 0) return true;
    const model::TrialOutcome outcome = workshop.run(kernel, problem, configuration);
    CAPTURE(problem.text());
    CAPTURE(configuration.text());
    CAPTURE(outcome.detail);
    CHECK(model::to_string(outcome.status) == "ok");
    count += outcome.verification.checked ? 1 : 0;
    return true;
  });
  return count;
}

}  // namespace

TEST_SUITE_BEGIN("kernels::few_rows");

TEST_CASE("edges verify where rows are copied float by float, and blocks of a cluster share a tile's k") {
  CHECK(verified("few_rows", {3, 37, 45}, 0, 61) > 3);
}

TEST_CASE("edges verify where rows are copied 16 bytes at a time") {
  CHECK(verified("few_rows", {5, 68, 100}, 0, 1) > 3);
}

TEST_CASE("rows that are padded verify, and k below a k-tile") {
  CHECK(verified("few_rows", {9, 62, 5}, 3, 61) > 1);
}

TEST_CASE("half and bfloat16 of few rows verify at edges") {
  CHECK(verified("few_rows_mma", {5, 75, 45}, 0, 61) > 3);
}

TEST_CASE("FP8 of few rows verifies at edges, with one scale and with many, also where rows are padded") {
  CHECK(verified("few_rows_mma_fp8", {5, 75, 45}, 0, 41) > 3);
  CHECK(verified("few_rows_mma_fp8_rows", {17, 33, 70}, 3, 61) > 1);
}

TEST_CASE("products by mma verify at edges: whole tiles, and blocks that share them") {
  CHECK(verified("mma", {70, 130, 99}, 0, 7) > 5);
}

TEST_CASE("products by mma verify where B lies by columns, and rows are padded") {
  CHECK(verified("mma_columns", {33, 71, 45}, 3, 19) > 2);
}

TEST_CASE("FP8 by mma verifies at edges, with one scale and with many") {
  CHECK(verified("mma_fp8", {70, 130, 99}, 0, 17) > 2);
  CHECK(verified("mma_fp8_rows", {33, 71, 45}, 3, 23) > 1);
}

TEST_CASE("gradients verify: A by columns, beta * C, float out") {
  CHECK(verified("mma_gradient", {67, 71, 45}, 0, 11) > 3);
}

TEST_CASE("a batch verifies, and groups of unlike numbers of rows") {
  CHECK(verified("mma_batched", {3, 70, 71, 45}, 0, 5) > 2);
  CHECK(verified("mma_grouped", {5, 133, 71, 45}, 0, 5) > 2);
}

TEST_SUITE_END();
