#include <doctest/doctest.h>

#include <string>

#include "tests/space/expect_text.hpp"
#include "tests/space/spec_builder.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

/// All messages and hints that scale_spec() gives when changed, one a line.
template <typename Change>
std::string mistakes(Change&& change) {
  model::KernelSpec spec = scale_spec();
  change(spec);
  std::string text;
  for (const model::Diagnostic& found : validate(spec)) text += found.message + " | " + found.hint + "\n";
  return text;
}

std::string parameter_mistakes(const model::ParameterSpec& added) {
  return mistakes([&](model::KernelSpec& spec) { spec.parameters.push_back(added); });
}

bool is_one_line(const std::string& text) {
  return text.find('\n') == text.size() - 1;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("a sound spec has no mistakes") {
  CHECK(validate(scale_spec()).empty());
}

TEST_CASE("a name means one thing") {
  expect_text(parameter_mistakes(parameter("N", numbers({1}))),
              "`N` names a parameter, but is already a size");
  expect_text(parameter_mistakes(parameter("B", numbers({1}))),
              "`B` names a parameter, but is already a parameter");
  expect_text(parameter_mistakes(parameter("length", numbers({1}))),
              "`length` names a derived value, but is already a parameter");
  expect_text(parameter_mistakes(parameter("warp_size", numbers({1}))), "already a device limit");
  expect_text(parameter_mistakes(parameter("ELEMENT_TYPE", numbers({1}))),
              "already a property of the element type");
  expect_text(parameter_mistakes(parameter("time_ns", numbers({1}))), "already the measured time");
  expect_text(parameter_mistakes(parameter("min", numbers({1}))), "is a function");
  expect_text(parameter_mistakes(parameter("2D", numbers({1}))), "cannot name a parameter");
  expect_text(mistakes([](auto& spec) { spec.row_padding = "N"; }),
              "`N` names the row padding, but is already a size");
  expect_text(mistakes([](auto& spec) { spec.sizes.push_back("N"); }),
              "`N` names a size, but is already a size");
}

TEST_CASE("a parameter has words or numbers") {
  expect_text(parameter_mistakes(parameter("P", {model::Value(1), model::Value("row")})),
              "mixes words and numbers");
}

TEST_CASE("words must serve as macros") {
  expect_text(parameter_mistakes(parameter("P", words({"row-major"}))), "word 'row-major'");
  expect_text(mistakes([](auto& spec) {
                spec.parameters.push_back(parameter("P", words({"row"})));
                spec.parameters.push_back(parameter("P_row", numbers({1})));
              }),
              "defines the macro `P_row`");
  expect_text(mistakes([](auto& spec) {
                spec.parameters.push_back(parameter("A", words({"b_c"})));
                spec.parameters.push_back(parameter("A_b", words({"c"})));
              }),
              "word 'c' of parameter `A_b` defines the macro `A_b_c`, as a word of `A` does");
}

TEST_CASE("cycles are found and shown") {
  const std::string derived = mistakes([](auto& spec) {
    spec.derived.push_back({"a", expression("b + 1")});
    spec.derived.push_back({"b", expression("c")});
    spec.derived.push_back({"c", expression("a")});
  });
  expect_text(derived, "`a` depends on itself: a -> b -> c -> a");
  CHECK(is_one_line(derived));
  expect_text(parameter_mistakes(parameter_when("P", numbers({1}), "P == 1", 0)),
              "`P` depends on itself: P -> P");
  expect_text(mistakes([](auto& spec) {
                spec.derived.push_back({"d", expression("Q")});
                spec.parameters.push_back(parameter_when("P", numbers({1}), "d == 1", 0));
                spec.parameters.push_back(parameter_when("Q", numbers({1}), "P == 1", 0));
              }),
              "d -> Q -> P -> d");
}

TEST_CASE("metrics cannot use device limits, not even through derived values") {
  expect_text(mistakes([](auto& spec) {
                spec.metrics = {{"m", expression("warp_size")}};
              }),
              "device limit `warp_size` in a metric");
  expect_text(mistakes([](auto& spec) {
                spec.derived.push_back({"waves", expression("N / multiprocessors")});
                spec.metrics = {{"m", expression("waves")}};
              }),
              "metric \"m\" depends on a device limit");
  expect_text(mistakes([](auto& spec) { spec.metrics = {{"m", expression("N << 1")}}; }), "bit operation");
}

TEST_CASE("run-time parameters must reach the kernel") {
  auto chunk = parameter("CHUNK", numbers({1, 2}));
  chunk.runtime = true;
  expect_text(parameter_mistakes(chunk), "run-time parameter `CHUNK` reaches no argument and no launch");
  CHECK(mistakes([&](auto& spec) {
          spec.parameters.push_back(chunk);
          spec.derived.push_back({"share", expression("ceil_div(N, CHUNK)")});
          spec.arguments.push_back(scalar("share", model::ElementType::int32));
        }).empty());
}

TEST_CASE("mistakes come in the order of the file, all of them") {
  model::KernelSpec spec = scale_spec();
  spec.constraints = {expression("x1", 9, 1), expression("x2", 2, 5)};
  spec.metrics = {{"m", expression("x3", 2, 1)}};
  const std::vector<model::Diagnostic> found = validate(spec);
  REQUIRE(found.size() == 3);
  CHECK(found[0].message.find("x3") != std::string::npos);
  CHECK(found[1].message.find("x2") != std::string::npos);
  CHECK(found[2].message.find("x1") != std::string::npos);
}

TEST_CASE("a spec of absurd size is refused") {
  expect_text(mistakes([](auto& spec) {
                for (int i = 0; i < 200; ++i)
                  spec.parameters.push_back(parameter("P" + std::to_string(i), numbers({1})));
              }),
              "201 parameters | at most 128");
}

TEST_CASE("loops, macros and options are checked") {
  const auto mistake = [](void (*change)(model::KernelSpec&)) {
    model::KernelSpec spec = scale_spec();
    spec.steps.push_back(launch("again", {"1"}, {"B"}));
    change(spec);
    const auto mistakes = validate(spec);
    REQUIRE(mistakes.size() == 1);
    return mistakes[0].message;
  };
  CHECK(mistake([](auto& spec) {
          spec.steps[1].repeat = expression("2");
          spec.steps[1].repeat_steps = 2;
        }) == "the loop has 2 steps, and 1 are left");
  CHECK(mistake([](auto& spec) {
          spec.steps[0].repeat = spec.steps[1].repeat = expression("2");
          spec.steps[0].repeat_steps = 2;
        }) == "a loop inside the loop of step 0");
  CHECK(mistake([](auto& spec) {
          spec.steps[0].repeat = expression("2");
          spec.steps[0].repeat_steps = 2;
          spec.steps[1].stream = 1;
        }) == "a step of a loop that waits for other streams, or is on one");
  CHECK(mistake([](auto& spec) { spec.compile_options = {"--maxrregcount=${REGISTERS}"}; }) ==
        "option \"--maxrregcount=${REGISTERS}\": `REGISTERS` is no parameter");
  CHECK(mistake([](auto& spec) {
          spec.derived.push_back({"WAVES", expression("N / multiprocessors")});
          spec.macros = {{"WAVES", {}}};
        }) == "a macro depends on a device limit");
  CHECK(mistake([](auto& spec) {
          spec.conditional_options = {{"-G", expression("l2_bytes > 0")}};
        }) == "a compiler option depends on a device limit");
}

TEST_SUITE_END();
