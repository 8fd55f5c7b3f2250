#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/space/cltune_gemm.hpp"
#include "tests/space/spec_builder.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/descent.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

model::KernelSpec space_of(std::vector<model::ParameterSpec> parameters,
                           std::vector<std::string> constraints = {}) {
  model::KernelSpec spec;
  spec.name = "k";
  spec.path = "k.toml";
  spec.sizes = {"N"};
  spec.types = {model::ElementType::float32};
  spec.parameters = std::move(parameters);
  for (std::string& text : constraints) spec.constraints.push_back(expression(std::move(text)));
  spec.steps = {launch("k", {"1"}, {"1"})};
  return spec;
}

/// "A=1 B=2; A=1 B=3": what enumerate shows, which must be what list, configurations and count say too.
std::string shown(const model::KernelSpec& spec, std::int64_t n = 64,
                  const model::DeviceLimits& limits = {}) {
  const model::Problem problem = make_problem(spec, {n}, std::nullopt, 0);
  std::string text;
  enumerate(spec, problem, limits, [&](const model::Configuration& configuration) {
    text += (text.empty() ? "" : "; ") + configuration.text();
    return true;
  });
  const ConfigurationList list = KernelSpace(spec).list(problem, limits);
  std::string listed;
  for (std::size_t i = 0; i < list.size(); ++i) listed += (i == 0 ? "" : "; ") + list[i].text();
  CHECK(listed == text);
  CHECK(count(spec, problem, limits) == static_cast<std::int64_t>(list.size()));
  CHECK(configurations(spec, problem, limits).size() == list.size());
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("CLTune's GEMM space has 241,600 valid configurations") {
  const model::KernelSpec spec = cltune_gemm();
  std::int64_t combinations = 1;
  for (const model::ParameterSpec& parameter : spec.parameters) {
    combinations *= static_cast<std::int64_t>(parameter.values.size());
  }
  CHECK(combinations == cltune_gemm_combinations);
  const model::Problem problem = make_problem(spec, {2048}, std::nullopt, 0);
  CHECK(count(spec, problem, {}) == cltune_gemm_valid);
  std::int64_t visited = 0;
  enumerate(spec, problem, {}, [&](const model::Configuration&) { return ++visited > 0; });
  CHECK(visited == cltune_gemm_valid);
}

TEST_CASE("configurations come in written order, the last parameter fastest") {
  const auto spec = space_of({parameter("A", numbers({2, 1})), parameter("W", words({"row", "column"}))});
  CHECK(shown(spec) == "A=2 W=row; A=2 W=column; A=1 W=row; A=1 W=column");
}

TEST_CASE("what is not worth trying at a size is left out there, and right all the same") {
  model::KernelSpec spec = space_of({parameter("A", numbers({1, 2, 3}))}, {"A < 3"});
  const model::Digest chosen = KernelSpace(spec).spec_digest();
  spec.worth_trying = {expression("A == 1 || N >= 128")};
  CHECK(shown(spec, 64) == "A=1");
  CHECK(shown(spec, 128) == "A=1; A=2");
  const KernelSpace kernel(spec);
  const model::Problem small = make_problem(spec, {64}, std::nullopt, 0);
  const auto is_right = [&](std::int64_t a) {
    return kernel.allows(small, model::Configuration({{"A", model::Value(a)}}), {});
  };
  CHECK(is_right(2));
  CHECK_FALSE(is_right(3));
  CHECK_FALSE(kernel.contains(small, model::Configuration({{"A", model::Value(std::int64_t{2})}}), {}));
  // It selects, and decides nothing: results stay.
  CHECK(kernel.spec_digest() != chosen);
  CHECK(kernel.definition() == KernelSpace(space_of({parameter("A", numbers({1, 2, 3}))})).definition());
}

TEST_CASE("a kernel without parameters has one configuration") {
  CHECK(shown(space_of({})) == "-");
  CHECK(count(space_of({}), {"", {{"N", 1}}}, {}) == 1);
  CHECK(count(space_of({}, {"N > 5"}), {"", {{"N", 1}}}, {}) == 0);
}

TEST_CASE("constraints see sizes, limits, words and derived values in any order") {
  auto spec = space_of({parameter("A", numbers({1, 2, 4})), parameter("B", numbers({1, 2, 4}))},
                       {"area <= 4 && A >= B", "N % A == 0", "A * B <= max_threads_per_block"});
  spec.derived = {{"area", expression("side * B")}, {"side", expression("A")}};
  CHECK(shown(spec) == "A=1 B=1; A=2 B=1; A=2 B=2; A=4 B=1");
  CHECK(shown(spec, 2) == "A=1 B=1; A=2 B=1; A=2 B=2");
  model::DeviceLimits limits;
  limits.max_threads_per_block = 2;
  CHECK(shown(spec, 64, limits) == "A=1 B=1; A=2 B=1");
  CHECK(shown(space_of({parameter("W", words({"row", "column"}))}, {"W != 'row'"})) == "W=column");
}

TEST_CASE("an undefined constraint excludes the configuration and nothing else") {
  CHECK(shown(space_of({parameter("A", numbers({0, 1, 2}))}, {"4 / A >= 2"})) == "A=1; A=2");
  CHECK(shown(space_of({parameter("A", numbers({0, 1, 2}))}, {"A == 0 || 4 / A > 2"})) == "A=0; A=1");
  auto spec = space_of({parameter("A", numbers({0, 1}))}, {"A == 0 || share == 8"});
  spec.derived = {{"share", expression("8 / A")}};
  CHECK(shown(spec) == "A=0; A=1");
}

TEST_CASE("an inactive parameter has one value") {
  const auto spec = space_of({parameter("MODE", words({"plain", "padded"})),
                              parameter_when("PAD", numbers({1, 2}), "MODE == 'padded'", 0)});
  CHECK(shown(spec) == "MODE=plain PAD=0; MODE=padded PAD=1; MODE=padded PAD=2");
}

TEST_CASE("a parameter may depend on one written after it") {
  const auto spec = space_of({parameter_when("PAD", numbers({1, 2}), "MODE == 'padded'", 0),
                              parameter("MODE", words({"plain", "padded"}))});
  CHECK(shown(spec) == "PAD=0 MODE=plain; PAD=1 MODE=padded; PAD=2 MODE=padded");
}

TEST_CASE("activity passes through derived values and other inactive parameters") {
  auto spec = space_of({parameter_when("C", numbers({5, 6}), "wide", 0),
                        parameter_when("B", numbers({1, 2}), "A == 1", -1), parameter("A", numbers({0, 1}))});
  spec.derived = {{"wide", expression("B == 2")}};
  CHECK(shown(spec) == "C=0 B=-1 A=0; C=0 B=1 A=1; C=5 B=2 A=1; C=6 B=2 A=1");
}

TEST_CASE("an undefined `when` excludes the configuration") {
  CHECK(shown(space_of({parameter("A", numbers({0, 1})), parameter_when("B", numbers({7}), "1 / A", 0)})) ==
        "A=1 B=7");
  CHECK(shown(space_of({parameter_when("B", numbers({7}), "1 / A", 0), parameter("A", numbers({0, 1}))})) ==
        "B=7 A=1");
}

TEST_CASE("the visitor can stop") {
  const auto spec = space_of({parameter("A", numbers({1, 2, 3}))});
  int visits = 0;
  enumerate(spec, {"", {{"N", 1}}}, {}, [&](const model::Configuration&) { return ++visits < 2; });
  CHECK(visits == 2);
}

TEST_CASE("a space too large to walk is counted all the same, and drawn from where 64 bits do not do") {
  std::vector<model::ParameterSpec> parameters;
  for (int i = 0; i < 40; ++i)
    parameters.push_back(parameter("P" + std::to_string(i), numbers({0, 1, 2, 3, 4, 5, 6, 7})));
  parameters.resize(20);
  CHECK(count(space_of(parameters), {"", {{"N", 1}}}, {}) == std::int64_t{1} << 60);
  CHECK(count(space_of(parameters, {"P0 > 3"}), {"", {{"N", 1}}}, {}) == std::int64_t{1} << 59);
  parameters.push_back(parameter("Q", numbers({0, 1, 2, 3, 4, 5, 6, 7})));
  for (int more = 0; more < 3; ++more) {
    const ConfigurationList list = KernelSpace(space_of(parameters)).list({"", {{"N", 1}}}, {});
    CHECK(list.is_sample());
    std::set<model::Value> first;  // drawn from all of it, not from its beginning
    for (std::size_t i = 0; i < list.size(); ++i) first.insert(*list[i].find("P0"));
    CHECK(first.size() == 8);
    parameters.push_back(parameter("R" + std::to_string(more), numbers({0, 1, 2, 3, 4, 5, 6, 7})));
  }
}

TEST_CASE("constraints prune: a space of 10^18 combinations with few valid ones is walked at once") {
  std::vector<model::ParameterSpec> parameters;
  std::vector<std::string> constraints;
  for (int i = 0; i < 18; ++i) {
    parameters.push_back(parameter("P" + std::to_string(i), numbers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})));
    if (i > 0) constraints.push_back("P" + std::to_string(i) + " == P" + std::to_string(i - 1));
  }
  CHECK(count(space_of(parameters, constraints), {"", {{"N", 1}}}, {}) == 10);
}

TEST_CASE("alternatives prune: where each has a term that is false nothing more is set") {
  std::vector<model::ParameterSpec> parameters;
  for (int i = 0; i < 12; ++i)
    parameters.push_back(parameter("P" + std::to_string(i), numbers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})));
  std::string written;
  std::vector<model::NamedExpression> derived;
  for (int value = 0; value < 10; ++value) {
    std::string same;
    for (int i = 11; i >= 0; --i)
      same += (same.empty() ? "P" : " && P") + std::to_string(i) + " == " + std::to_string(value);
    const std::string name = "all_" + std::to_string(value);
    if (value % 2 == 0) derived.push_back({name, expression(same)});
    written += (written.empty() ? "" : " || ") + (value % 2 == 0 ? name : same);
  }
  model::KernelSpec spec = space_of(parameters, {written});
  spec.derived = std::move(derived);
  std::vector<model::Diagnostic> mistakes;
  const auto compiled = compile_spec(spec, mistakes);
  REQUIRE(compiled != nullptr);
  Descent descent(*compiled, {"", {{"N", 1}}}, {});
  descent.give_up_after(10 + 11 * 10 * 10);  // 10 values a level, of each of the 10
  int found = 0;
  descent.walk([&](std::span<const std::uint16_t>) { return ++found > 0; });
  CHECK_FALSE(descent.has_given_up());
  CHECK(found == 10);
}

TEST_CASE("coordinates tell where in the space a configuration lies") {
  const auto spec = space_of({parameter("MODE", words({"plain", "padded"})),
                              parameter_when("PAD", numbers({1, 2}), "MODE == 'padded'", 0)});
  const ConfigurationList list = KernelSpace(spec).list({"", {{"N", 1}}}, {});
  REQUIRE(list.size() == 3);
  CHECK(list.coordinates(0)[1] == ConfigurationList::inactive);
  CHECK(list.coordinates(2)[0] == 1);
  CHECK(list.coordinates(2)[1] == 1);
}

TEST_SUITE_END();
