// The products on tensor cores at awkward sizes, from spec to verified result.
#include <doctest/doctest.h>

#include "tests/kernels/workshop.hpp"

using namespace tuner;

namespace {

/// Every `step`-th configuration on one size; a GPU without what the kernel needs compiles none.
void verify(const std::string& name, const std::vector<std::int64_t>& size, std::size_t step,
            std::int64_t padding = 0) {
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
    CHECK(outcome.verification.checked);
    ++count;
    return true;
  });
  CHECK(count > 0);
}

bool is_hopper() {
  return test::make_workshop().architecture().starts_with("sm_90");
}

}  // namespace

TEST_SUITE_BEGIN("kernels on tensor cores");

TEST_CASE("products of bfloat16 verify, large and of few rows") {
  if (!is_hopper()) return;
  verify("wgmma", {33, 71, 45}, 23);
  verify("wgmma", {1003, 333, 777}, 3, 8);
  verify("wgmma", {5, 4096, 1003}, 7);
  verify("wgmma_split", {33, 71, 45}, 1);
  verify("wgmma_split", {1015, 5099, 2101}, 1, 8);
}

TEST_CASE("products verify where launches overlap") {
  if (!is_hopper()) return;
  verify("wgmma_wide", {1003, 333, 777}, 10007, 8);
}

TEST_CASE("products of FP8 verify, with one scale and with many") {
  if (!is_hopper()) return;
  for (const char* name : {"wgmma_fp8", "wgmma_fp8_rows"}) {
    verify(name, {33, 71, 45}, 17);
    verify(name, {1003, 333, 777}, 5, 8);
  }
}

TEST_CASE("gradients, batches and groups verify") {
  for (const std::string path : {"mma", "wgmma"}) {
    if (path == "wgmma" && !is_hopper()) continue;
    verify(path + "_gradient", {333, 201, 777}, 3, 8);
    verify(path + "_batched", {3, 333, 201, 77}, 1);
    verify(path + "_grouped", {7, 1003, 201, 333}, 1);
  }
}

TEST_CASE("products by mma verify, whole tiles and shared ones") {
  verify("mma", {70, 130, 99}, 7);
  verify("mma", {1003, 333, 777}, 1, 8);
  verify("mma_columns", {1003, 333, 777}, 1);
  verify("mma_fp8", {1003, 333, 777}, 1);
}

TEST_CASE("few rows verify") {
  verify("few_rows_mma", {7, 1001, 333}, 29);
  verify("few_rows_mma_fp8", {7, 1001, 333}, 41);
  verify("few_rows", {7, 1001, 333}, 19);
  verify("few_rows", {16, 4096, 4096}, 5);
}

TEST_SUITE_END();
