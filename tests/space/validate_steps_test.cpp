#include <doctest/doctest.h>

#include <string>

#include "tests/space/expect_text.hpp"
#include "tests/space/spec_builder.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

/// The first mistake scale_spec() has when changed, "" where it has none.
template <typename Change>
std::string first_mistake(Change&& change) {
  model::KernelSpec spec = scale_spec();
  change(spec);
  const std::vector<model::Diagnostic> found = validate(spec);
  return found.empty() ? "" : found[0].message + (found[0].hint.empty() ? "" : " | " + found[0].hint);
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("every expression of a spec is checked") {
  using model::KernelSpec;
  const auto bad = expression("nowhere");
  expect_text(first_mistake([&](KernelSpec& s) { s.constraints = {bad}; }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.derived.push_back({"d", bad}); }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.arguments[0].extent = {bad}; }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.arguments[2].value = bad; }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.steps[0].grid = {bad}; }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.steps[0].block = {bad}; }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.steps[0].dynamic_shared_bytes = bad; }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.steps[0].when = bad; }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.parameters[0].when = bad; }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.verify->steps[0].grid = {bad}; }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.verify->rounding_terms = bad; }), "`nowhere`");
  expect_text(first_mistake([&](KernelSpec& s) { s.metrics[0].value = bad; }), "`nowhere`");
  const auto uploads = [&](auto member) {
    return first_mistake([&](KernelSpec& s) {
      s.steps.push_back(upload("x"));
      s.steps.back().*member = bad;
    });
  };
  expect_text(uploads(&model::StepSpec::first), "`nowhere`");
  expect_text(uploads(&model::StepSpec::count), "`nowhere`");
}

TEST_CASE("arguments have values") {
  expect_text(
      first_mistake([](auto& s) { s.arguments.push_back(scalar("lenght", model::ElementType::int32)); }),
      "argument `lenght` has no value, and nothing else has its name | did you mean `length`?");
  expect_text(
      first_mistake([](auto& s) { s.arguments.push_back(scalar("alpha", model::ElementType::float32)); }),
      "nothing else has its name | value = \"1.5\" says what it is passed");
  expect_text(
      first_mistake([](auto& s) { s.arguments.push_back(scalar("s", model::ElementType::int32, "0.5")); }),
      "decimal number");
  CHECK(first_mistake(
            [](auto& s) { s.arguments.push_back(scalar("s", model::ElementType::float64, "0.5")); }) == "");
  expect_text(first_mistake([](auto& s) {
                s.arguments.push_back(scalar("s", model::ElementType::float32, "N << 1"));
                s.arguments.back().type.reset();  // float or int, as the problem is
              }),
              "bit operation");
}

TEST_CASE("steps name arguments that exist") {
  expect_text(first_mistake([](auto& s) {
                s.steps[0].arguments = {"xx", "y"};
              }),
              "unknown argument `xx` | did you mean `x`? `arguments` lists, in the order of the kernel's "
              "parameters, names of [[arguments]], which may differ from what the kernel calls them");
  expect_text(first_mistake([](auto& s) { s.steps[0].arguments = {"y.expected"}; }), "outside [verify]");
  expect_text(first_mistake([](auto& s) { s.verify->steps[0].arguments.push_back("x.expected"); }),
              "`x` is not an output");
  expect_text(first_mistake([](auto& s) { s.verify->steps[0].arguments.push_back("y.expcted"); }),
              "unknown step argument `y.expcted`");
  expect_text(first_mistake([](auto& s) { s.verify->steps[0].arguments.push_back("z.expected"); }),
              "unknown argument `z` | `arguments` lists, in the order of the kernel's parameters, names of "
              "[[arguments]], which may differ from what the kernel calls them");
}

TEST_CASE("every output is verified") {
  expect_text(first_mistake([](auto& s) {
                s.verify->steps[0].arguments = {"x", "y", "N"};
              }),
              "output `y` is not verified");
  expect_text(first_mistake([](auto& s) {
                s.verify->steps[0].arguments = {"x", "y.expected", "N"};
              }),
              "nothing writes y.magnitude");
  CHECK(first_mistake([](auto& s) {
          s.verify->steps[0].arguments = {"x", "y.expected", "N"};
          s.verify->rounding_terms = expression("0");
        }) == "");
  expect_text(first_mistake([](auto& s) { s.verify->steps.clear(); }), "[verify] without a launch");
  CHECK(first_mistake([](auto& s) { s.verify.reset(); }) == "");
}

TEST_CASE("a launch has a grid and a block") {
  expect_text(first_mistake([](auto& s) { s.steps[0].grid.clear(); }), "grid of `scale` has 0 dimensions");
  expect_text(first_mistake([](auto& s) { s.steps[0].block.resize(4, expression("1")); }),
              "block of `scale` has 4 dimensions");
  expect_text(first_mistake([](auto& s) { s.steps = {upload("x")}; }), "launches nothing");
}

TEST_CASE("uploads are of inputs") {
  expect_text(first_mistake([](auto& s) { s.steps.push_back(upload("y")); }),
              "upload of `y`, which has no contents to copy");
  expect_text(first_mistake([](auto& s) { s.steps.push_back(upload("N")); }), "upload of `N`");
  expect_text(first_mistake([](auto& s) { s.steps.push_back(upload("q")); }), "unknown argument `q`");
}

TEST_CASE("steps wait for earlier ones on other streams") {
  const auto with = [](int stream, std::vector<int> after) {
    return first_mistake([&](model::KernelSpec& s) {
      s.steps.push_back(launch("second", {"1"}, {"1"}));
      s.steps.back().stream = stream;
      s.steps.back().after = after;
    });
  };
  CHECK(with(1, {0}) == "");
  expect_text(with(1, {1}), "step 1 waits for step 1, which does not come before it");
  expect_text(with(1, {-1}), "step 1 waits for step -1");
  expect_text(with(0, {0}), "on its own stream");
}

TEST_SUITE_END();
