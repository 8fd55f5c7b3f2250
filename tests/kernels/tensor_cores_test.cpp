// The products on tensor cores compile for the GPUs that they are for, without spills.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/compile/nvrtc_jobs.hpp"
#include "tests/kernels/workshop.hpp"

using namespace tuner;

namespace {

model::DeviceLimits h200_limits() {
  model::DeviceLimits limits;
  limits.multiprocessors = 132;
  limits.shared_bytes_per_block_optin = 232448;
  limits.shared_bytes_per_multiprocessor = 233472;
  return limits;
}

/// The first and the last of a problem's configurations. `spilled_at_most`: bytes.
void check_compiles(const std::string& name, const std::vector<std::int64_t>& size,
                    const std::string& architecture, std::int64_t spilled_at_most = 0) {
  const space::KernelSpace kernel = test::load_kernel(name);
  compile::nvrtc::NvrtcCompiler compiler = test::real_compiler();
  const model::Problem problem = space::make_problem(kernel.spec(), size, std::nullopt, 0);
  const auto configurations = kernel.list(problem, h200_limits());
  REQUIRE(configurations.size() > 0);
  for (const std::size_t index : {std::size_t{0}, configurations.size() - 1}) {
    const model::Configuration configuration = configurations[index];
    CAPTURE(problem.text());
    CAPTURE(configuration.text());
    const model::Compilation made =
        compiler.compile(kernel.compile_job(problem, configuration, architecture, compiler.name()));
    INFO(made.log);
    REQUIRE(made.status == model::TrialStatus::ok);
    REQUIRE(made.kernels.size() == 1);
    CHECK(made.kernels.front().spill_store_bytes <= spilled_at_most);
  }
}

}  // namespace

TEST_SUITE_BEGIN("kernels on tensor cores");

TEST_CASE("products of bfloat16 compile for Hopper: large, and of few rows" *
          doctest::skip(test::no_toolkit())) {
  check_compiles("wgmma", {4096, 4096, 4096}, "sm_90");
  check_compiles("wgmma", {16, 11008, 4096}, "sm_90");
  check_compiles("wgmma_split", {2048, 11008, 4096}, "sm_90");
}

TEST_CASE("products of FP8 compile for Hopper, with one scale and with many" *
          doctest::skip(test::no_toolkit())) {
  check_compiles("wgmma_fp8", {4096, 4096, 4096}, "sm_90");
  check_compiles("wgmma_fp8_rows", {4096, 4096, 4096}, "sm_90");
}

// The last one reads B before the launch before has ended.
TEST_CASE("the space around them compiles for Hopper, also where launches overlap" *
          doctest::skip(test::no_toolkit())) {
  check_compiles("wgmma_wide", {1024, 1024, 1024}, "sm_90", 16);
}

TEST_CASE("gradients, batches and groups compile for Hopper" * doctest::skip(test::no_toolkit())) {
  check_compiles("wgmma_gradient", {4096, 4096, 4096}, "sm_90");
  check_compiles("wgmma_batched", {64, 512, 512, 512}, "sm_90");
  check_compiles("wgmma_grouped", {8, 4096, 4096, 4096}, "sm_90");
}

TEST_CASE("products by mma compile for all GPUs from sm_80 on" * doctest::skip(test::no_toolkit())) {
  constexpr std::int64_t outside_of_the_loop = 96;  // of what is kept from tile to tile
  for (const char* architecture : {"sm_80", "sm_89", "sm_120"}) {
    check_compiles("mma", {4096, 4096, 4096}, architecture, outside_of_the_loop);
  }
  check_compiles("mma_columns", {4096, 4096, 4096}, "sm_86", outside_of_the_loop);
  check_compiles("mma_gradient", {4096, 4096, 4096}, "sm_86", outside_of_the_loop);
  check_compiles("mma_batched", {64, 512, 512, 512}, "sm_100", outside_of_the_loop);
  check_compiles("mma_grouped", {8, 4096, 4096, 4096}, "sm_80", outside_of_the_loop);
}

TEST_CASE("FP8 compiles for GPUs without mma of it" * doctest::skip(test::no_toolkit())) {
  for (const char* architecture : {"sm_80", "sm_90"}) {
    check_compiles("mma_fp8", {4096, 4096, 4096}, architecture, 96);
    check_compiles("few_rows_mma_fp8", {16, 11008, 4096}, architecture);
  }
  check_compiles("mma_fp8_rows", {4096, 4096, 4096}, "sm_86", 96);
  check_compiles("few_rows_mma_fp8_rows", {16, 11008, 4096}, "sm_120");
}

TEST_CASE("few rows compile for all GPUs from sm_80 on" * doctest::skip(test::no_toolkit())) {
  for (const char* architecture : {"sm_80", "sm_90"}) {
    check_compiles("few_rows_mma", {16, 11008, 4096}, architecture);
    check_compiles("few_rows", {8, 11008, 4096}, architecture);
  }
}

TEST_SUITE_END();
