#include <doctest/doctest.h>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("metrics see sizes, parameters, derived values and the time") {
  model::KernelSpec spec = scale_spec();
  spec.metrics = {{"GFLOP/s", expression("2.0 * N / time_ns")},
                  {"GB/s", expression("ELEMENT_BYTES * (length + N) / time_ns")},
                  {"blocks", expression("ceil_div(N, B)")},
                  {"nothing", expression("1 / PAD")}};
  const auto found =
      metrics(spec, make_problem(spec, {1000}, std::nullopt, 0), model::Configuration({{"B", 64}}), 500);
  CHECK(found.size() == 3);
  CHECK(found.at("GFLOP/s") == doctest::Approx(4));
  CHECK(found.at("GB/s") == doctest::Approx(16));
  CHECK(found.at("blocks") == doctest::Approx(16));
}

TEST_CASE("a configuration of another kernel has no metrics") {
  const model::KernelSpec spec = scale_spec();
  CHECK(metrics(spec, make_problem(spec, {8}, std::nullopt, 0), model::Configuration({{"C", 64}}), 500)
            .empty());
}

TEST_SUITE_END();
