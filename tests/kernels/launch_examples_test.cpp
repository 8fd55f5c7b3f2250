// The specs in examples/, each run on the CPU device as a sweep would.
#include <doctest/doctest.h>

#include "config/kernel_file.hpp"
#include "config/mistakes.hpp"
#include "tests/kernels/workshop.hpp"
#include "tests/support/contains.hpp"
#include "tuner/search/open_candidates.hpp"

using namespace tuner;

namespace {

struct Seen {
  int ok = 0;
  std::string unlaunchable;  ///< the reason of the last
};

/// What became of a sample of an example's configurations; fails the case for each that is neither ok nor
/// unlaunchable.
Seen run_example(const std::string& name, const std::vector<std::int64_t>& sizes, std::size_t most = 8) {
  const config::LoadedKernels loaded =
      config::load_kernel_file(std::string(TUNER_SOURCE_DIR) + "/examples/" + name + ".toml");
  INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.kernels.size() == 1);
  const space::KernelSpace kernel(loaded.kernels[0]);
  const model::Problem problem = space::make_problem(kernel.spec(), sizes, std::nullopt, 0);
  test::Workshop workshop = test::make_workshop();
  const space::ConfigurationList list = kernel.list(problem, workshop.limits());
  Seen seen;
  for (const std::size_t index : search::covering_sample(list, most)) {
    const model::Configuration configuration = list[index];
    CAPTURE(configuration.text());
    const auto plan = kernel.make_plan(problem, configuration, workshop.limits());
    if (const auto* rejection = std::get_if<space::Rejection>(&plan)) {
      seen.unlaunchable = rejection->reason;
      continue;
    }
    const model::TrialOutcome outcome = workshop.run(kernel, problem, configuration);
    CAPTURE(outcome.detail);
    if (outcome.status == model::TrialStatus::unlaunchable)
      seen.unlaunchable = outcome.detail;
    else
      CHECK(outcome.status == model::TrialStatus::ok);
    seen.ok += outcome.status == model::TrialStatus::ok ? 1 : 0;
  }
  return seen;
}

}  // namespace

TEST_SUITE_BEGIN("examples");

TEST_CASE("a sum with a barrier of the grid") {
  CHECK(run_example("sum/grid_sum", {5001}).ok >= 6);
}

TEST_CASE("a sum over clusters; a cluster of 16 is unlaunchable, with the reason") {
  const Seen seen = run_example("sum/cluster_sum", {5001}, 15);
  CHECK(seen.ok == 12);
  CHECK(contains(seen.unlaunchable, "16x1x1 = 16 blocks; 8 is the most"));
}

TEST_CASE("Jacobi's iteration as launches in a loop") {
  CHECK(run_example("jacobi/jacobi", {37, 70}).ok == 8);
}

TEST_CASE("a step of k-means, its sums cleared before each run") {
  CHECK(run_example("kmeans/kmeans", {3001, 7}).ok == 6);
}

TEST_CASE("Black-Scholes with real, spelled and computed parameters") {
  CHECK(run_example("black_scholes/black_scholes", {1009}).ok == 8);
}

TEST_CASE("a library is called between two launches, or not at all") {
  CHECK(run_example("linear/linear", {33, 71, 45}).ok == 8);
}

TEST_SUITE_END();
