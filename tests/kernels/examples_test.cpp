// The specs of examples/, whole: spec to verified result on the CPU device.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "config/kernel_file.hpp"
#include "config/mistakes.hpp"
#include "tests/kernels/workshop.hpp"
#include "tuner/compile/compiler.hpp"

using namespace tuner;

namespace {

space::KernelSpace load_example(const std::string& name) {
  const config::LoadedKernels loaded =
      config::load_kernel_file(std::string(TUNER_SOURCE_DIR) + "/examples/" + name + ".toml");
  INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.kernels.size() == 1);
  return space::KernelSpace(loaded.kernels.front());
}

/// Every `step`-th configuration on each of the sizes; returns by which rule the last one passed.
std::string passed_by(const std::string& name, const std::vector<std::vector<std::int64_t>>& sizes,
                      std::size_t step) {
  const space::KernelSpace kernel = load_example(name);
  test::Workshop workshop = test::make_workshop();
  std::string rule;
  for (const auto& size : sizes) {
    const model::Problem problem = space::make_problem(kernel.spec(), size, std::nullopt, 0);
    std::size_t index = 0;
    kernel.enumerate(problem, workshop.limits(), [&](const model::Configuration& configuration) {
      if (index++ % step != 0) return true;
      const model::TrialOutcome outcome = workshop.run(kernel, problem, configuration);
      CAPTURE(problem.text());
      CAPTURE(configuration.text());
      CAPTURE(outcome.detail);
      CHECK(model::to_string(outcome.status) == "ok");
      CHECK(outcome.verification.checked);
      rule = outcome.verification.rule;
      return true;
    });
    CHECK(index > 0);
  }
  return rule;
}

}  // namespace

TEST_SUITE_BEGIN("examples");

TEST_CASE("softmax in half precision, in vectors of two") {
  if (compile::find_header_folder().empty()) return;
  CHECK(passed_by("softmax/softmax", {{3, 2}, {5, 1000}}, 5) == "rounding bound of 1016 terms in float");
}
TEST_CASE("float is quantised to FP8") {
  if (compile::find_header_folder().empty()) return;
  CHECK(passed_by("quantise/quantise", {{1}, {4099}}, 7) == "rounding bound of 1 term in float");
}
TEST_CASE("a step of a complex transform") {
  if (compile::find_header_folder().empty()) return;
  CHECK(passed_by("fft/fft_step", {{2}, {1022}}, 5) == "rounding bound of 12 terms");
}
TEST_CASE("layer norm in half precision, in vectors of two, four and eight") {
  if (compile::find_header_folder().empty()) return;
  CHECK(passed_by("layer_norm/layer_norm", {{3, 2}, {5, 1000}}, 4) ==
        "rounding bound of 2016 terms in float");
}
TEST_CASE("the pull of bodies of four floats") {
  CHECK(passed_by("n_body/n_body", {{1, 1}, {301, 137}}, 5) == "rounding bound of 161 terms");
}
TEST_CASE("a pass of a radix sort in three launches, which keeps the order of equal digits") {
  CHECK(passed_by("radix_pass/radix_pass", {{1}, {5003}}, 7) == "equal");
}
TEST_CASE("points in a polygon, of which a share may be elsewhere") {
  CHECK(passed_by("points_in_polygon/points_in_polygon", {{1, 3}, {5003, 57}}, 5) == "equal, but for 0.1 %");
}
TEST_CASE("the greatest keys in any order") {
  CHECK(passed_by("top_k/top_k", {{1, 1, 1}, {7, 300, 19}}, 5) == "equal, in any order within 19");
}
TEST_CASE("a sparse matrix that a generator makes") {
  CHECK(passed_by("spmv/spmv", {{1, 1, 1}, {500, 300, 9}}, 7) == "rounding bound of 18 terms");
}
TEST_CASE("a convolution whose filter lies in constant memory") {
  CHECK(passed_by("convolution/convolution", {{1, 1}, {70, 37}}, 3) == "rounding bound of 49 terms");
}
TEST_CASE("the nearest of some centres, by a comparison of the spec's own") {
  CHECK(passed_by("nearest/nearest", {{1, 1}, {501, 77}}, 5) == "a comparison of its own");
}

TEST_CASE("numbers that stay on the host") {
  CHECK(passed_by("host_read/host_read", {{1}, {4099}}, 3) == "equal");
}
TEST_CASE("particles, whose structs are filled and compared field by field") {
  CHECK(passed_by("particles/particles", {{1}, {1003}}, 1) == "rounding bound of 4 terms");
}

TEST_SUITE_END();
