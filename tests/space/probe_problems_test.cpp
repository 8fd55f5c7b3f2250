#include <doctest/doctest.h>

#include <set>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

model::KernelSpec spec_of(std::vector<std::string> sizes, std::string row_padding) {
  model::KernelSpec spec = scale_spec();
  spec.sizes = std::move(sizes);
  spec.row_padding = std::move(row_padding);
  return spec;
}

std::vector<model::Configuration> all(const KernelSpace& kernel, const model::Problem& problem) {
  std::vector<model::Configuration> out;
  kernel.enumerate(problem, {}, [&](const model::Configuration& configuration) {
    out.push_back(configuration);
    return true;
  });
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("probes are small, odd, unlike in every extent, and of the problem's type") {
  for (const std::vector<std::string>& sizes :
       {std::vector<std::string>{"N"}, {"M", "N"}, {"M", "N", "K"}, {"A", "B", "C", "D", "E"}}) {
    const model::KernelSpec spec = spec_of(sizes, "");
    const auto probes = probe_problems(spec, make_problem(spec, {4096}, model::ElementType::int32, 0));
    REQUIRE(probes.size() == 2);
    std::set<std::int64_t> seen;
    for (const model::Problem& probe : probes) {
      CHECK(probe.type == model::ElementType::int32);
      CHECK(probe.row_padding == 0);
      REQUIRE(probe.sizes.size() == sizes.size());
      std::set<std::int64_t> extents;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        CHECK(probe.sizes[i].name == sizes[i]);
        CHECK(probe.sizes[i].value % 2 == 1);
        CHECK(probe.sizes[i].value < 30'000);
        extents.insert(probe.sizes[i].value);
      }
      CHECK(extents.size() == sizes.size());
      seen.insert(probe.sizes[0].value);
    }
    CHECK(seen.size() == 2);
  }
}

TEST_CASE("the second probe has padded rows where the spec offers them") {
  const model::KernelSpec spec = spec_of({"M", "N", "K"}, "PAD");
  const auto probes = probe_problems(spec, make_problem(spec, {512}, std::nullopt, 0));
  REQUIRE(probes.size() == 2);
  CHECK(probes[0].size_text() == "33x71x45");
  CHECK(probes[0].row_padding == 0);
  CHECK(probes[1].row_padding == 3);
}

TEST_CASE(
    "a configuration is allowed on the problems whose constraints it meets, as when they are enumerated") {
  model::KernelSpec spec = scale_spec();
  spec.constraints = {expression("N % B == 0")};
  const KernelSpace kernel(spec);
  for (const std::int64_t size : {33, 64, 96, 128}) {
    const model::Problem problem = make_problem(spec, {size}, std::nullopt, 0);
    std::size_t allowed = 0;
    const model::Problem any = make_problem(spec, {1 << 20}, std::nullopt, 0);
    for (const model::Configuration& configuration : all(kernel, any))
      allowed += kernel.allows(problem, configuration, {}) ? 1 : 0;
    CHECK(allowed == kernel.list(problem, {}).size());
  }
}

TEST_SUITE_END();
