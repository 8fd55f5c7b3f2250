#include <doctest/doctest.h>

#include <chrono>
#include <random>

#include "tests/space/spec_builder.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/configuration_list.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::space {
namespace {

std::vector<model::Value> to(std::int64_t most) {
  std::vector<model::Value> values;
  for (std::int64_t value = 1; value <= most; ++value) values.emplace_back(value);
  return values;
}

model::KernelSpec spec_with(std::vector<model::ParameterSpec> parameters,
                            const std::vector<std::string>& constraints = {}) {
  model::KernelSpec spec = scale_spec();
  spec.parameters = std::move(parameters);
  spec.constraints.clear();
  for (const std::string& text : constraints) spec.constraints.push_back(expression(text));
  return spec;
}

const model::Problem problem{"", {{"N", 1024}}};

/// The builder's kernel has a block of B.
std::string name(int i) {
  return i == 0 ? "B" : "P" + std::to_string(i);
}

std::shared_ptr<const CountedSpace> counted(const model::KernelSpec& spec) {
  std::vector<model::Diagnostic> mistakes;
  const auto compiled = compile_spec(spec, mistakes);
  REQUIRE(compiled);
  return CountedSpace::make(*compiled, problem, {});
}

/// 10^8 of 1.3 * 10^8 combinations and a bit more; a tile of A x B.
model::KernelSpec hundred_million() {
  return spec_with({parameter("A", to(64)), parameter("B", to(64)), parameter("C", to(50)),
                    parameter("D", to(32)), parameter("E", to(24))},
                   {"A * B <= 2048", "A * B % 2 == 0 || C > 3", "D != E"});
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("a counted space has the n-th configuration of a list at n, and finds it there") {
  const model::KernelSpec spec =
      spec_with({parameter("A", to(12)), parameter_when("B", to(5), "A > 4", model::Value(std::int64_t{1})),
                 parameter("C", to(9)),
                 parameter_when("D", to(4), "C % 2 == 0 && A > 2", model::Value(std::int64_t{0}))},
                {"A * B % C != 1", "A + B + C <= 20", "D * A <= 24", "sqrt(A * 3) + C != 5"});
  const KernelSpace kernel(spec);
  const ConfigurationList list = kernel.list(problem, {});
  REQUIRE(list.counted() == nullptr);
  const auto space = counted(spec);
  REQUIRE(space->size() == static_cast<std::int64_t>(list.size()));
  const ConfigurationList same(spec.parameters, space);
  const ConfigurationIndex index(same, spec.parameters);
  for (std::size_t i = 0; i < list.size(); ++i) {
    CHECK(same[i] == list[i]);
    CHECK(space->find(list.coordinates(i)) == static_cast<std::int64_t>(i));
    CHECK(index.find(list[i]) == i);
  }
  const std::vector<std::uint16_t> invalid{11, 4, 8, ConfigurationList::inactive};
  CHECK_FALSE(space->find(invalid).has_value());
}

TEST_CASE("a space of 10^8 configurations is counted within a second, and holds few edges") {
  const auto begin = std::chrono::steady_clock::now();
  const model::KernelSpec spec = hundred_million();
  const KernelSpace kernel(spec);
  const ConfigurationList list = kernel.list(problem, {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::int64_t expected = 0;
  for (std::int64_t a = 1; a <= 64; ++a)
    for (std::int64_t b = 1; b <= 64; ++b)
      for (std::int64_t c = 1; c <= 50; ++c)
        if (a * b <= 2048 && (a * b % 2 == 0 || c > 3)) expected += 32 * 24 - 24;
  CHECK(expected > 100'000'000);
  CHECK(list.size() == static_cast<std::size_t>(expected));
  REQUIRE(list.counted() != nullptr);
  CHECK(list.counted()->edges() < 400'000);
  CHECK(took.count() < 5);  // a debug build under load
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const std::size_t drawn = random() % list.size();
    const model::Configuration configuration = list[drawn];
    CHECK(kernel.contains(problem, configuration, {}));
    CHECK(list.counted()->find(list.coordinates(drawn)) == static_cast<std::int64_t>(drawn));
  }
}

TEST_CASE("what the constraints left see of the beginning is all that tells nodes apart") {
  // 40^6 beginnings, and 240 sums of them.
  std::vector<model::ParameterSpec> parameters;
  std::string sum;
  for (int i = 0; i < 6; ++i) {
    parameters.push_back(parameter(name(i), to(40)));
    sum += (i == 0 ? "" : " + ") + name(i);
  }
  const auto space = counted(spec_with(parameters, {"(" + sum + ") % 7 == 0"}));
  REQUIRE(space);
  CHECK(space->edges() < 60'000);
  CHECK(space->size() > 500'000'000);
}

TEST_CASE("10^10 configurations are counted") {
  std::vector<model::ParameterSpec> parameters;
  for (int i = 0; i < 10; ++i) parameters.push_back(parameter(name(i), to(10)));
  const KernelSpace kernel(spec_with(parameters, {"B + P9 < 20"}));
  CHECK(kernel.list(problem, {}).size() == 9'900'000'000);
}

TEST_CASE("an empty space says which constraint its default does not meet, and why") {
  const auto why = [](const std::string& constraint) {
    model::KernelSpec spec = spec_with({parameter("B", {64, 128})}, {"B > 0", constraint});
    spec.derived.push_back({"half", expression("N / (B - 64)")});
    const KernelSpace kernel(spec);
    const ConfigurationList list = kernel.list(problem, {});
    REQUIRE(list.size() == 0);
    return kernel.why_empty(problem, {}, list);
  };
  const std::string text = "its constraints leave no valid configuration: the default does not meet ";
  CHECK(why("B > 1000") == text + "`B > 1000`");
  CHECK(why("N > 1000000") == "its constraints leave no valid configuration: none meets `N > 1000000`");
  CHECK(why("  N  >\n    1000000") ==
        "its constraints leave no valid configuration: none meets `N > 1000000`");
  CHECK(why("B / 0 > 1") == text + "`B / 0 > 1`: division by zero");
  CHECK(why("half > 5000") == text + "`half > 5000` needs `half` = `N / (B - 64)`: division by zero");
}

TEST_CASE("a space too irregular to be counted is sampled, and says so") {
  std::vector<model::ParameterSpec> parameters;
  std::string mixed = "1";
  for (int i = 0; i < 8; ++i) {
    parameters.push_back(parameter(name(i), to(64)));
    mixed = "(" + mixed + " * 31 + " + name(i) + ")";
  }
  model::KernelSpec spec = spec_with(parameters, {mixed + " % 3 != 0"});
  spec.defaults = {{"B", std::int64_t{2}}};
  const KernelSpace kernel(spec);
  int asked = 0;
  const ConfigurationList list = kernel.list(problem, {}, [&] { return ++asked < 50; });
  CHECK(list.is_sample());
  REQUIRE(list.size() > 10);
  for (std::size_t i = 0; i < 10; ++i) CHECK(kernel.contains(problem, list[i * list.size() / 10], {}));
  const auto usual = kernel.default_configuration(problem, {});
  REQUIRE(usual);
  CHECK(ConfigurationIndex(list, spec.parameters).find(*usual));
}

TEST_CASE("who looks through an endless space that may be empty can end it") {
  std::vector<model::ParameterSpec> parameters;
  for (int i = 0; i < 12; ++i) parameters.push_back(parameter(name(i), to(200)));
  std::string product = "B";
  for (int i = 1; i < 12; ++i) product += " * 3 + P" + std::to_string(i);
  const KernelSpace kernel(spec_with(parameters, {product + " == 0"}));
  int asked = 0;
  const ConfigurationList list = kernel.list(problem, {}, [&] { return ++asked < 3; });
  CHECK(list.size() == 0);
  CHECK(list.is_sample());
}

TEST_SUITE_END();

}  // namespace tuner::space
