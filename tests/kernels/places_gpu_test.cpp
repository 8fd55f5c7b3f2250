// Examples whose data lies where only a GPU has it, from spec to verified result.
#include <doctest/doctest.h>

#include "config/kernel_file.hpp"
#include "config/mistakes.hpp"
#include "tests/kernels/workshop.hpp"

using namespace tuner;

namespace {

/// Every `step`-th configuration on one size; those that the device cannot launch do not count.
int verified(const std::string& name, const std::vector<std::int64_t>& size, std::size_t step) {
  const config::LoadedKernels loaded =
      config::load_kernel_file(std::string(TUNER_SOURCE_DIR) + "/examples/" + name + ".toml");
  INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.kernels.size() == 1);
  const space::KernelSpace kernel(loaded.kernels.front());
  test::Workshop workshop = test::make_workshop();
  const model::Problem problem = space::make_problem(kernel.spec(), size, std::nullopt, 0);
  int count = 0;
  std::size_t index = 0;
  kernel.enumerate(problem, workshop.limits(), [&](const model::Configuration& configuration) {
    if (index++ % step != 0) return true;
    const model::TrialOutcome outcome = workshop.run(kernel, problem, configuration);
    CAPTURE(configuration.text());
    CAPTURE(outcome.detail);
    CHECK(model::to_string(outcome.status) == "ok");
    count += outcome.status == model::TrialStatus::ok && outcome.verification.checked ? 1 : 0;
    return true;
  });
  return count;
}

}  // namespace

TEST_SUITE_BEGIN("examples");

TEST_CASE("a convolution whose filter lies in constant memory") {
  CHECK(verified("convolution/convolution", {1003, 517}, 3) > 10);
}

TEST_CASE("a tiled copy by tensor maps") {
  CHECK(verified("tiled_copy/tiled_copy", {1004, 517}, 9) > 10);
}

TEST_CASE("an image resized through a texture") {
  CHECK(verified("resize/resize", {1003, 517}, 7) > 5);
}

TEST_CASE("an image turned from one array into another") {
  CHECK(verified("rotate/rotate", {1003, 517}, 7) > 5);
}

TEST_CASE("numbers that stay on the host") {
  CHECK(verified("host_read/host_read", {1'000'003}, 2) == 8);
}

TEST_CASE("the nearest of some centres, by a comparison of the spec's own") {
  CHECK(verified("nearest/nearest", {10'007, 77}, 5) > 5);
}

TEST_SUITE_END();
