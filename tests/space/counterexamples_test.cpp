// Where expressions, lists and plans that are nearly right differ from what is.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <variant>

#include "tests/space/spec_builder.hpp"
#include "tests/support/contains.hpp"
#include "tuner/space/configuration_index.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

std::variant<model::Plan, Rejection> plan_of(const model::KernelSpec& spec,
                                             const model::DeviceLimits& limits = {}) {
  return make_plan(spec, make_problem(spec, {12}, std::nullopt, 0), model::Configuration({{"B", 32}}),
                   limits);
}

bool is_planned(const model::KernelSpec& spec, const model::DeviceLimits& limits = {}) {
  return std::holds_alternative<model::Plan>(plan_of(spec, limits));
}

}  // namespace

TEST_SUITE("tuner::space") {
  TEST_CASE("an or that holds is one, whatever stands on its left") {
    model::KernelSpec spec = scale_spec();
    spec.arguments.push_back(scalar("result", model::ElementType::int64, "5 || 0"));
    const auto plan = plan_of(spec);
    REQUIRE(std::holds_alternative<model::Plan>(plan));
    CHECK(std::get<model::Plan>(plan).steps.at(0).operands.at(3).integer == 1);
  }

  TEST_CASE("a number with letters behind it is told as no number") {
    model::KernelSpec spec = scale_spec();
    spec.constraints = {expression("B > 3k")};
    const auto found = validate(spec);
    REQUIRE(found.size() == 1);
    CHECK(contains(found[0].message, "`3k` is not a number"));
  }

  TEST_CASE("a configuration is found where a parameter does not apply, and not with one too many") {
    model::KernelSpec spec = scale_spec();
    spec.parameters.push_back(parameter_when("PAD_BY", numbers({1, 2}), "B > 32", 0));
    const KernelSpace kernel(spec);
    const auto problem = make_problem(spec, {12}, std::nullopt, 0);
    const ConfigurationList list = kernel.list(problem, model::DeviceLimits{});
    const ConfigurationIndex index(list, spec.parameters);
    for (std::size_t i = 0; i < list.size(); ++i) {
      CAPTURE(list[i].text());
      CHECK(index.find(list[i]) == i);
    }
    CHECK_FALSE(index.find(model::Configuration({{"B", 64}, {"PAD_BY", 1}, {"MORE", 1}})));
    CHECK_FALSE(index.find(model::Configuration({{"B", 64}})));
  }

  TEST_CASE("a block may be as long as the device allows, and no longer") {
    const model::KernelSpec spec = scale_spec();
    model::DeviceLimits limits;
    limits.max_block_x = 32;
    CHECK(is_planned(spec, limits));
    limits.max_block_x = 31;
    CHECK_FALSE(is_planned(spec, limits));
  }

  TEST_CASE("macros that are worked out stand among the others by their names") {
    model::KernelSpec spec = scale_spec();
    for (const char* name : {"AAA", "ZZZ", "CCC"}) {
      spec.derived.push_back({name, expression("B * 2")});
      spec.macros.push_back({name, {}});
    }
    const KernelSpace kernel(spec);
    const auto problem = make_problem(spec, {12}, std::nullopt, 0);
    const auto job = kernel.compile_job(problem, model::Configuration({{"B", 32}}), "sm_90", "nvrtc 13.0");
    REQUIRE(job.macros.size() > 3);
    for (std::size_t i = 1; i < job.macros.size(); ++i) CHECK(job.macros[i - 1].name < job.macros[i].name);
  }

  TEST_CASE("the elements of a buffer are the product of its extents") {
    model::KernelSpec spec = scale_spec();
    for (model::ArgumentSpec& argument : spec.arguments)
      if (argument.pointer) argument.extent = {expression("3"), expression("5"), expression("7")};
    const auto plan = plan_of(spec);
    REQUIRE(std::holds_alternative<model::Plan>(plan));
    CHECK(std::get<model::Plan>(plan).buffers.at(0).elements == 105);
  }

  TEST_CASE("a value that its type does not hold is no argument of it") {
    for (const auto& [text, fits] : {std::pair("32767", true), std::pair("32768", false),
                                     std::pair("-32768", true), std::pair("-32769", false)}) {
      CAPTURE(text);
      model::KernelSpec spec = scale_spec();
      spec.arguments.push_back(scalar("small", model::ElementType::int16, text));
      CHECK(is_planned(spec) == fits);
    }
  }
}
