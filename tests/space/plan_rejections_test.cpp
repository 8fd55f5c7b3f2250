#include <doctest/doctest.h>

#include <string>

#include "tests/space/spec_builder.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

/// Why scale_spec(), changed, has no plan for N = 100 and B = 64; "" where it has one.
template <typename Change>
std::string rejection(Change&& change) {
  model::KernelSpec spec = scale_spec();
  change(spec);
  const auto made =
      make_plan(spec, make_problem(spec, {100}, std::nullopt, 0), model::Configuration({{"B", 64}}), {});
  const auto* rejected = std::get_if<Rejection>(&made);
  if (rejected == nullptr) return "";
  CHECK(rejected->status == model::TrialStatus::unlaunchable);
  return rejected->reason;
}

std::string launch_rejection(const char* grid, const char* block) {
  return rejection([&](model::KernelSpec& spec) { spec.steps = {launch("scale", {grid}, {block})}; });
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("a launch beyond the device's limits is rejected with the expression and its value") {
  CHECK(launch_rejection("N", "B") == "");
  CHECK(launch_rejection("N / 200", "B") ==
        "grid.x of `scale` is `N / 200` = 0; this device allows 1 to 2147483647");
  CHECK(launch_rejection("0", "B") == "grid.x of `scale` is 0; this device allows 1 to 2147483647");
  CHECK(launch_rejection("N", "B * 17") ==
        "block.x of `scale` is `B * 17` = 1088; this device allows 1 to 1024");
  CHECK(rejection([](auto& spec) {
          spec.steps = {launch("scale", {"1", "N * 1000"}, {"1"})};
        }) == "grid.y of `scale` is `N * 1000` = 100000; this device allows 1 to 65535");
  CHECK(rejection([](auto& spec) {
          spec.steps = {launch("scale", {"1"}, {"B", "B"})};
        }) == "block of `scale` is 64x64x1 = 4096 threads; this device allows 1024");
  CHECK(rejection([](auto& spec) { spec.steps[0].dynamic_shared_bytes = expression("B * 1024"); }) ==
        "dynamic_shared_bytes `B * 1024` = 65536 of `scale`; this device allows 0 to 49152");
  CHECK(rejection([](auto& spec) { spec.steps[0].dynamic_shared_bytes = expression("-B"); }).find("= -64") !=
        std::string::npos);
}

TEST_CASE("an undefined value is rejected with its cause, through derived values too") {
  CHECK(launch_rejection("N / (B - 64)", "B") == "grid: `N / (B - 64)`: division by zero");
  CHECK(rejection([](model::KernelSpec& spec) {
          spec.derived.push_back({"a", expression("N / PAD")});
          spec.derived.push_back({"b", expression("a + 1")});
          spec.steps = {launch("scale", {"b * 2"}, {"B"})};
        }) == "grid: `b * 2` needs `b` = `a + 1` needs `a` = `N / PAD`: division by zero");
  CHECK(rejection([](model::KernelSpec& spec) {
          spec.derived.push_back({"unused", expression("N / PAD")});
        }) == "");
}

TEST_CASE("buffers must have a size that can exist") {
  const auto extent = [](std::vector<std::string> sides) {
    return rejection(
        [&](model::KernelSpec& spec) { spec.arguments[0] = buffer("x", model::Access::in, sides); });
  };
  CHECK(extent({"N - 100"}) == "");
  CHECK(extent({"N", "N - 101"}) == "extent `N - 101` = -1 of `x` is negative");
  CHECK(extent({"N << 50", "N"}) == "`x` has more elements than any device can hold");
  CHECK(extent({"1 << 60"}) == "`x` has more elements than any device can hold");
}

TEST_CASE("a scalar must fit its type") {
  const auto passed = [](model::ElementType type, const char* value) {
    return rejection([&](model::KernelSpec& spec) { spec.arguments.push_back(scalar("s", type, value)); });
  };
  CHECK(passed(model::ElementType::int32, "1 << 31") ==
        "argument `s` is `1 << 31` = 2147483648, more than its type int holds");
  CHECK(passed(model::ElementType::int32, "-(1 << 31)") == "");
  CHECK(passed(model::ElementType::uint32, "(1 << 32) - 1") == "");
  CHECK_FALSE(passed(model::ElementType::uint64, "-1").empty());
  CHECK_FALSE(passed(model::ElementType::int8, "128").empty());
  CHECK(passed(model::ElementType::int64, "1 << 40") == "");
}

TEST_CASE("an upload stays inside its buffer") {
  const auto uploaded = [](const char* first, const char* count) {
    return rejection([&](model::KernelSpec& spec) {
      spec.steps.push_back(upload("x"));
      spec.steps.back().first = expression(first);
      spec.steps.back().count = expression(count);
    });
  };
  CHECK(uploaded("0", "100") == "");
  CHECK(uploaded("100", "0") == "");
  CHECK_FALSE(uploaded("101", "0").empty());
  CHECK_FALSE(uploaded("-1", "1").empty());
  CHECK_FALSE(uploaded("50", "51").empty());
  CHECK_FALSE(uploaded("50", "-1").empty());
  CHECK_FALSE(uploaded("50", "9223372036854775807").empty());
}

TEST_CASE("something must be launched, and the bound must be a bound") {
  CHECK(rejection([](auto& spec) { spec.steps[0].when = expression("B > 64"); }) ==
        "no step applies to this configuration and problem");
  CHECK(rejection([](auto& spec) { spec.verify->rounding_terms = expression("-0.5"); }) ==
        "rounding_terms -0.5 is negative");
}

TEST_CASE("a configuration of another kernel is rejected, a problem of another family is an error") {
  const model::KernelSpec spec = scale_spec();
  const auto made =
      make_plan(spec, make_problem(spec, {8}, std::nullopt, 0), model::Configuration({{"C", 1}}), {});
  CHECK(std::get<Rejection>(made).reason == "configuration does not set `B`");
  const model::Problem other{"matmul", {{"M", 8}}, model::ElementType::float32, 0};
  CHECK_THROWS_WITH_AS(count(spec, other, {}), doctest::Contains("no size `N`"), model::UsageError);
}

TEST_CASE("an unsound spec is an error with the first mistake") {
  model::KernelSpec spec = scale_spec();
  spec.constraints = {expression("BB > 1", 4, 7)};
  CHECK_THROWS_WITH_AS(count(spec, {"scale", {{"N", 8}}}, {}),
                       doctest::Contains("k.toml:4:7: unknown name `BB`"), model::UsageError);
}

TEST_CASE("clusters that no device launches, and endless loops, are rejected with the reason") {
  const auto reason = [](void (*change)(model::KernelSpec&)) {
    model::KernelSpec spec = scale_spec();
    change(spec);
    const auto made =
        make_plan(spec, make_problem(spec, {1024}, std::nullopt, 0), model::Configuration({{"B", 64}}), {});
    const auto* rejection = std::get_if<Rejection>(&made);
    return rejection == nullptr ? std::string() : rejection->reason;
  };
  CHECK(reason([](auto& spec) { spec.steps[0].cluster = {expression("B / 4")}; }) ==
        "a cluster of `scale` has 16x1x1 = 16 blocks; 8 is the most that every device with clusters can "
        "launch");
  CHECK(reason([](auto& spec) { spec.steps[0].cluster = {expression("3")}; }) ==
        "a cluster of 3x1x1 does not divide the grid of `scale`, 16x1x1");
  CHECK(reason([](auto& spec) { spec.steps[0].cluster = {expression("8")}; }).empty());
  CHECK(reason([](auto& spec) { spec.steps[0].repeat = expression("B - N"); }) ==
        "repeat `B - N` = -960; a loop runs 0 to 65536 times");
  CHECK(reason([](auto& spec) {
          spec.conditional_options = {{"-G", expression("N / (B - 64) > 0"), {}}};
        }) == "when of an option: `N / (B - 64) > 0`: division by zero");
  CHECK(reason([](auto& spec) { spec.steps[0].shared_carveout_percent = expression("B + 50"); }) ==
        "shared_carveout `B + 50` = 114 of `scale`; it is a percentage, or -1 for the driver's choice");
}

TEST_SUITE_END();
