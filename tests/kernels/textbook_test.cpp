// The kernels of kernels/textbook, whole: spec to verified result on the CPU device.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/kernels/workshop.hpp"

using namespace tuner;

namespace {

/// Every `step`-th configuration of the space on one size, and the first one on every other size and type.
void verify(const std::string& name, const std::vector<std::vector<std::int64_t>>& sizes, std::size_t step) {
  const space::KernelSpace kernel = test::load_kernel(name);
  test::Workshop workshop = test::make_workshop();
  const auto expect_ok = [&](const model::Problem& problem, const model::Configuration& configuration) {
    const model::TrialOutcome outcome = workshop.run(kernel, problem, configuration);
    CAPTURE(name);
    CAPTURE(problem.text());
    CAPTURE(configuration.text());
    CAPTURE(outcome.detail);
    CHECK(model::to_string(outcome.status) == "ok");
    CHECK(outcome.verification.checked);
  };
  const auto configurations = [&](const model::Problem& problem) {
    std::vector<model::Configuration> all;
    kernel.enumerate(problem, workshop.limits(), [&](const model::Configuration& configuration) {
      all.push_back(configuration);
      return true;
    });
    return all;
  };
  const model::Problem largest = space::make_problem(kernel.spec(), sizes.back(), std::nullopt, 0);
  const auto all = configurations(largest);
  REQUIRE(all.size() > 4);
  for (std::size_t i = 0; i < all.size(); i += step) expect_ok(largest, all[i]);
  for (const model::ElementType type : kernel.spec().types) {
    for (const auto& size : sizes) {
      const model::Problem problem = space::make_problem(kernel.spec(), size, type, 0);
      expect_ok(problem, configurations(problem)[3]);
      if (kernel.spec().row_padding.empty()) continue;
      const model::Problem padded = space::make_problem(kernel.spec(), size, type, 3);
      expect_ok(padded, configurations(padded)[3]);
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("kernels::textbook");

TEST_CASE("the reduction verifies") {
  verify("reduction", {{1}, {31}, {257}, {100'003}}, 11);
}
TEST_CASE("the transpose verifies") {
  verify("transpose", {{1, 1}, {37, 5}, {65, 129}}, 7);
}
TEST_CASE("the stencil verifies") {
  verify("stencil", {{1, 1}, {37, 5}, {130, 67}}, 23);
}
TEST_CASE("the histogram verifies") {
  verify("histogram", {{1}, {257}, {50'021}}, 23);
}
TEST_CASE("the scan verifies") {
  verify("scan", {{1}, {31}, {257}, {70'001}}, 11);
}

TEST_SUITE_END();
