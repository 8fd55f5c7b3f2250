// The kernels of kernels/ceilings on the CPU device: what they measure only a GPU can say, that they do the
// work they count is said here.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/kernels/workshop.hpp"

using namespace tuner;

namespace {

/// Every `step`-th configuration on one size of a type, on two input sets, compared for equality.
void verify_ceiling(const std::string& name, const std::vector<std::int64_t>& size, std::size_t step,
                    std::optional<model::ElementType> type = std::nullopt) {
  const space::KernelSpace kernel = test::load_kernel(name);
  test::Workshop workshop = test::make_workshop();
  const model::Problem problem = space::make_problem(kernel.spec(), size, type, 0);
  const auto configurations = kernel.list(problem, workshop.limits());
  REQUIRE(configurations.size() > 0);
  for (std::size_t i = 0; i < configurations.size(); i += step) {
    const model::TrialOutcome outcome = workshop.run(kernel, problem, configurations[i]);
    CAPTURE(name);
    CAPTURE(problem.text());
    CAPTURE(configurations[i].text());
    CAPTURE(outcome.detail);
    CHECK(model::to_string(outcome.status) == "ok");
    CHECK(outcome.verification.checked);
  }
}

}  // namespace

TEST_SUITE_BEGIN("kernels::ceilings");

TEST_CASE("multiply-adds are counted exactly in every type") {
  verify_ceiling("ceiling_arithmetic", {1000, 37}, 7);
  verify_ceiling("ceiling_arithmetic", {33, 71}, 13, model::ElementType::float64);
  verify_ceiling("ceiling_arithmetic", {513, 129}, 13, model::ElementType::int32);
}

TEST_CASE("the copy copies, whatever is left over by vectors and threads") {
  verify_ceiling("ceiling_copy", {100'003}, 7);
  verify_ceiling("ceiling_copy", {1}, 31);
}

TEST_CASE("reading the last-level cache reads all that is counted") {
  verify_ceiling("ceiling_l2", {4096, 9}, 7);
  verify_ceiling("ceiling_l2", {33, 7}, 11);
}

TEST_CASE("reading shared memory reads all that is counted") {
  verify_ceiling("ceiling_shared", {8192, 70}, 5);
  verify_ceiling("ceiling_shared", {33, 71}, 7);
}

TEST_CASE("the launch that does nothing takes place") {
  verify_ceiling("ceiling_launch", {32}, 1);
}

TEST_CASE(
    "on a large GPU every ceiling has a problem that fits, and enough configurations to find its best") {
  model::DeviceLimits limits;
  limits.multiprocessors = 132;
  limits.warp_size = 32;
  limits.max_threads_per_block = 1024;
  limits.max_block_x = limits.max_block_y = 1024;
  limits.max_block_z = 64;
  limits.max_grid_x = 2147483647;
  limits.max_grid_y = limits.max_grid_z = 65535;
  limits.shared_bytes_per_block = 49152;
  limits.shared_bytes_per_block_optin = 232448;
  limits.l2_bytes = 52428800;
  for (const char* name :
       {"ceiling_arithmetic", "ceiling_copy", "ceiling_l2", "ceiling_shared", "ceiling_launch"}) {
    CAPTURE(name);
    const space::KernelSpace kernel = test::load_kernel(name);
    for (const model::ElementType type : kernel.spec().types) {
      const auto problem = kernel.ceiling_problem(limits, type);
      REQUIRE(problem);
      const auto configurations = kernel.list(*problem, limits);
      CHECK(configurations.size() >= 4);
      CHECK(configurations.size() <= 48);
      for (std::size_t i = 0; i < configurations.size(); ++i) {
        const auto plan = kernel.make_plan(*problem, configurations[i], limits);
        REQUIRE(std::holds_alternative<model::Plan>(plan));
        CHECK(std::get<model::Plan>(plan).device_bytes() < std::int64_t{8} << 30);
      }
    }
  }
}

TEST_SUITE_END();
