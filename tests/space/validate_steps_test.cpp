#include <doctest/doctest.h>

#include <string>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

/// The first mistake scale_spec() has when changed, "" where it has none.
template <typename Change>
std::string mistake(Change&& change) {
  model::KernelSpec spec = scale_spec();
  change(spec);
  const std::vector<model::Diagnostic> found = validate(spec);
  return found.empty() ? "" : found[0].message + (found[0].hint.empty() ? "" : " | " + found[0].hint);
}

bool contains(const std::string& text, const std::string& part) {
  CAPTURE(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("every expression of a spec is checked") {
  using model::KernelSpec;
  const auto bad = expression("nowhere");
  contains(mistake([&](KernelSpec& s) { s.constraints = {bad}; }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.derived.push_back({"d", bad}); }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.arguments[0].extent = {bad}; }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.arguments[2].value = bad; }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.steps[0].grid = {bad}; }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.steps[0].block = {bad}; }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.steps[0].dynamic_shared_bytes = bad; }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.steps[0].when = bad; }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.parameters[0].when = bad; }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.verify->steps[0].grid = {bad}; }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.verify->rounding_terms = bad; }), "`nowhere`");
  contains(mistake([&](KernelSpec& s) { s.metrics[0].value = bad; }), "`nowhere`");
  const auto uploads = [&](auto member) {
    return mistake([&](KernelSpec& s) {
      s.steps.push_back(upload("x"));
      s.steps.back().*member = bad;
    });
  };
  contains(uploads(&model::StepSpec::first), "`nowhere`");
  contains(uploads(&model::StepSpec::count), "`nowhere`");
}

TEST_CASE("arguments have names of their own, extents and values") {
  contains(mistake([](auto& s) { s.arguments.push_back(buffer("x", model::Access::in, {"N"})); }),
           "second argument named `x`");
  contains(mistake([](auto& s) { s.arguments[0].extent.clear(); }), "argument `x` has no extent");
  contains(mistake([](auto& s) { s.arguments.push_back(scalar("lenght", model::ElementType::int32)); }),
           "argument `lenght` has no value, and nothing else has its name | did you mean `length`?");
  contains(mistake([](auto& s) { s.arguments.push_back(scalar("s", model::ElementType::int32, "0.5")); }),
           "decimal number");
  CHECK(mistake([](auto& s) { s.arguments.push_back(scalar("s", model::ElementType::float64, "0.5")); }) ==
        "");
  contains(mistake([](auto& s) {
             s.arguments.push_back(scalar("s", model::ElementType::float32, "N << 1"));
             s.arguments.back().type.reset();  // float or int, as the problem is
           }),
           "bit operation");
}

TEST_CASE("steps name arguments that exist") {
  contains(mistake([](auto& s) {
             s.steps[0].arguments = {"xx", "y"};
           }),
           "unknown argument `xx` | did you mean `x`?");
  contains(mistake([](auto& s) { s.steps[0].arguments = {"y.expected"}; }), "outside [verify]");
  contains(mistake([](auto& s) { s.verify->steps[0].arguments.push_back("x.expected"); }),
           "`x` is not an output");
  contains(mistake([](auto& s) { s.verify->steps[0].arguments.push_back("y.expcted"); }),
           "unknown step argument `y.expcted`");
  contains(mistake([](auto& s) { s.verify->steps[0].arguments.push_back("z.expected"); }),
           "unknown argument `z`");
}

TEST_CASE("every output is verified") {
  contains(mistake([](auto& s) {
             s.verify->steps[0].arguments = {"x", "y", "N"};
           }),
           "output `y` is not verified");
  contains(mistake([](auto& s) {
             s.verify->steps[0].arguments = {"x", "y.expected", "N"};
           }),
           "nothing writes y.magnitude");
  CHECK(mistake([](auto& s) {
          s.verify->steps[0].arguments = {"x", "y.expected", "N"};
          s.verify->rounding_terms = expression("0");
        }) == "");
  contains(mistake([](auto& s) { s.verify->steps.clear(); }), "[verify] without a launch");
  CHECK(mistake([](auto& s) { s.verify.reset(); }) == "");
}

TEST_CASE("a launch has an entry, a grid and a block") {
  contains(mistake([](auto& s) { s.steps[0].entry.clear(); }), "neither an entry nor an upload");
  contains(mistake([](auto& s) { s.steps[0].grid.clear(); }), "grid of `scale` has 0 dimensions");
  contains(mistake([](auto& s) { s.steps[0].block.resize(4, expression("1")); }),
           "block of `scale` has 4 dimensions");
  contains(mistake([](auto& s) { s.steps = {upload("x")}; }), "launches nothing");
}

TEST_CASE("uploads are of inputs") {
  contains(mistake([](auto& s) { s.steps.push_back(upload("y")); }),
           "upload of `y`, which has no contents to copy");
  contains(mistake([](auto& s) { s.steps.push_back(upload("N")); }), "upload of `N`");
  contains(mistake([](auto& s) { s.steps.push_back(upload("q")); }), "unknown argument `q`");
  contains(mistake([](auto& s) {
             s.steps[0].upload = "x";
             s.steps.push_back(launch("k", {"1"}, {"1"}));
           }),
           "both launches `scale` and uploads `x`");
}

TEST_CASE("steps wait for earlier ones on other streams") {
  const auto with = [](int stream, std::vector<int> after) {
    return mistake([&](model::KernelSpec& s) {
      s.steps.push_back(launch("second", {"1"}, {"1"}));
      s.steps.back().stream = stream;
      s.steps.back().after = after;
    });
  };
  CHECK(with(1, {0}) == "");
  contains(with(1, {1}), "step 1 waits for step 1, which does not come before it");
  contains(with(1, {-1}), "step 1 waits for step -1");
  contains(with(0, {0}), "on its own stream");
  contains(with(-1, {}), "stream -1 | streams are numbered 0 to 15");
  contains(with(16, {}), "stream 16");
}

TEST_SUITE_END();
