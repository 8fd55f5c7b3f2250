// What a spec says reaches its plan, and limits hold in every direction.
#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/space/spec_builder.hpp"
#include "tests/support/contains.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

using Type = model::ElementType;

/// scale_spec(), changed, for N = 128 and B = 64.
std::variant<model::Plan, Rejection> made(const std::function<void(model::KernelSpec&)>& change,
                                          const model::DeviceLimits& limits = {}, std::int64_t n = 128) {
  model::KernelSpec spec = scale_spec();
  change(spec);
  return make_plan(spec, make_problem(spec, {n}, std::nullopt, 0), model::Configuration({{"B", 64}}), limits);
}

/// Why there is no plan; empty: there is one.
std::string reason(const std::function<void(model::KernelSpec&)>& change,
                   const model::DeviceLimits& limits = {}, std::int64_t n = 128) {
  const auto plan = made(change, limits, n);
  const auto* rejection = std::get_if<Rejection>(&plan);
  return rejection == nullptr ? "" : rejection->reason;
}

model::Plan planned(const std::function<void(model::KernelSpec&)>& change, std::int64_t n = 128) {
  const auto plan = made(change, {}, n);
  if (const auto* rejection = std::get_if<Rejection>(&plan)) FAIL(rejection->reason);
  return std::get<model::Plan>(plan);
}

std::vector<model::Expression> expressions(const std::vector<std::string>& texts) {
  std::vector<model::Expression> all;
  for (const std::string& text : texts) all.push_back(expression(text));
  return all;
}

/// Arguments behind the others: a struct { float3 at; int cells[2]; } of 24 bytes, or a buffer of 4 of them.
void add_struct(model::KernelSpec& spec, bool pointer, model::Access access = model::Access::in) {
  model::ArgumentSpec whole = pointer ? buffer("p", access, {"4"}) : scalar("p", Type::uint8);
  whole.type = Type::uint8;
  whole.structure = model::StructLayout{"P", 24, {0, 16}};
  spec.arguments.push_back(whole);
  model::ArgumentSpec at = scalar("p.at", Type::float3, "1.5");
  model::ArgumentSpec cells = scalar("p.cells", Type::int32, "7");
  cells.field_length = 2;
  at.field_length = 1;
  for (model::ArgumentSpec field : {at, cells}) {
    field.pointer = pointer;
    field.access = access;
    if (pointer) field.value.reset();
    spec.arguments.push_back(field);
  }
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("a plan has all that a spec says of its buffers and of what is right") {
  const model::Plan plan = planned([](model::KernelSpec& spec) {
    spec.deterministic = false;
    model::ArgumentSpec& y = spec.arguments[1];
    y.access = model::Access::inout;
    y.restore = y.ignores_unwritten = true;
    y.symbol = "values";
    y.memory = model::Memory::managed;
    y.tolerance = model::Tolerance{1, 2, 3, 0.5};
    y.unordered = expression("N / 2");
    y.expected = model::InitRule(model::Init::Kind::file, 0, 0);
    y.expected->contents = {"y.bin", {}, 0, Type::float32, 128};
    y.init.usual = {model::Init::Kind::uniform, 1, 2};
    y.second_init.emplace().usual = model::InitRule(model::Init::Kind::file, 0, 0);
    y.second_init->usual.contents = {"second.bin", {}, 0, Type::float32, 128};
    spec.verify->tolerance = {4, 5, 6, 0.25};
    spec.verify->accumulator = Type::float64;
    spec.verify->second_is_exact = true;
    spec.verify->rounding_terms = expression("N / 4");
    spec.verify->comparison = {launch("compare", {"1"}, {"B"})};
    spec.verify->comparison[0].arguments = {"y", "y.expected", "y.error"};
    spec.generator.emplace().source = {{"generate.cu", "text"}};
    spec.generator->steps = {launch("generate", {"1"}, {"B"})};
    spec.generator->steps[0].arguments = {"x", "seed"};
  });
  CHECK_FALSE(plan.deterministic);
  const model::BufferPlan& y = plan.buffers[1];
  CHECK(y.access == model::Access::inout);
  CHECK(y.restored);
  CHECK(y.ignores_unwritten);
  CHECK(y.symbol == "values");
  CHECK(y.memory == model::Memory::managed);
  CHECK(y.tolerance == model::Tolerance{1, 2, 3, 0.5});
  CHECK(y.unordered_within == 64);
  CHECK(y.expected.path == "y.bin");
  CHECK(y.init == model::Init{model::Init::Kind::uniform, 1, 2});
  CHECK(y.second_init.kind == model::Init::Kind::file);
  CHECK(y.second_file.path == "second.bin");
  CHECK(plan.verify.tolerance == model::Tolerance{4, 5, 6, 0.25});
  CHECK(plan.verify.accumulator == Type::float64);
  CHECK(plan.verify.second_is_exact);
  CHECK(plan.verify.rounding_terms == 32);
  CHECK(plan.verify.reference.at(0).entry == "reference");
  CHECK(plan.verify.comparison.at(0).entry == "compare");
  CHECK(plan.generator.at(0).entry == "generate");
  CHECK(planned([](auto&) {}).deterministic);
}

TEST_CASE("every name of a device limit is that limit") {
  model::DeviceLimits limits;
  limits.multiprocessors = 1001;
  limits.warp_size = 1002;
  limits.max_threads_per_block = 1003;
  limits.max_threads_per_multiprocessor = 1004;
  limits.max_blocks_per_multiprocessor = 1005;
  limits.registers_per_block = 1006;
  limits.registers_per_multiprocessor = 1007;
  limits.shared_bytes_per_block = 1008;
  limits.shared_bytes_per_block_optin = 1009;
  limits.shared_bytes_per_multiprocessor = 1010;
  limits.max_block_x = 1011;
  limits.max_block_y = 1012;
  limits.max_block_z = 1013;
  limits.max_grid_x = 1014;
  limits.max_grid_y = 1015;
  limits.max_grid_z = 1016;
  limits.l2_bytes = 1017;
  const std::vector<std::string> names = {"multiprocessors",
                                          "warp_size",
                                          "max_threads_per_block",
                                          "max_threads_per_multiprocessor",
                                          "max_blocks_per_multiprocessor",
                                          "max_registers_per_block",
                                          "max_registers_per_multiprocessor",
                                          "max_static_shared_bytes",
                                          "max_shared_bytes_per_block",
                                          "max_shared_bytes_per_multiprocessor",
                                          "max_block_x",
                                          "max_block_y",
                                          "max_block_z",
                                          "max_grid_x",
                                          "max_grid_y",
                                          "max_grid_z",
                                          "l2_bytes"};
  REQUIRE(limit_names().size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    const auto plan =
        made([&](auto& spec) { spec.arguments.push_back(scalar("limit", Type::int64, names[i])); }, limits);
    REQUIRE(std::holds_alternative<model::Plan>(plan));
    CHECK(std::get<model::Plan>(plan).steps[0].operands[3].integer == 1001 + static_cast<std::int64_t>(i));
  }
}

TEST_CASE("a grid and a block keep to their limit in each dimension, and reach it") {
  model::DeviceLimits limits;
  limits.max_grid_x = limits.max_block_x = 2;
  limits.max_grid_y = limits.max_block_y = 3;
  limits.max_grid_z = limits.max_block_z = 4;
  const auto shaped = [&](std::vector<std::string> grid, std::vector<std::string> block) {
    return reason(
        [&](model::KernelSpec& spec) {
          spec.verify.reset();
          spec.steps[0].grid = expressions(grid);
          spec.steps[0].block = expressions(block);
        },
        limits);
  };
  CHECK(shaped({"2", "3", "4"}, {"2", "3", "4"}) == "");
  CHECK(contains(shaped({"3", "3", "4"}, {"1"}), "grid.x of `scale` is 3; this device allows 1 to 2"));
  CHECK(contains(shaped({"2", "4", "4"}, {"1"}), "grid.y of `scale` is 4; this device allows 1 to 3"));
  CHECK(contains(shaped({"2", "3", "5"}, {"1"}), "grid.z of `scale` is 5; this device allows 1 to 4"));
  CHECK(contains(shaped({"1"}, {"3", "3", "4"}), "block.x of `scale` is 3; this device allows 1 to 2"));
  CHECK(contains(shaped({"1"}, {"2", "4", "4"}), "block.y of `scale` is 4; this device allows 1 to 3"));
  CHECK(contains(shaped({"1"}, {"2", "3", "5"}), "block.z of `scale` is 5; this device allows 1 to 4"));
  CHECK(contains(shaped({"1", "0"}, {"1"}), "grid.y of `scale` is 0"));
}

TEST_CASE("what is the most is allowed, and one more is not") {
  model::DeviceLimits limits;
  limits.max_threads_per_block = 64;
  limits.shared_bytes_per_block_optin = 100;
  const auto with = [&](std::optional<model::Expression> model::StepSpec::*member, const char* text) {
    return reason(
        [&](model::KernelSpec& spec) {
          spec.verify.reset();
          spec.steps[0].*member = expression(text);
        },
        limits);
  };
  CHECK(reason([](auto& spec) { spec.verify.reset(); }, limits) == "");
  CHECK(contains(reason([](auto& spec) { spec.steps[0].block = expressions({"B + 1"}); }, limits),
                 "allows 64"));
  CHECK(with(&model::StepSpec::dynamic_shared_bytes, "100") == "");
  CHECK(contains(with(&model::StepSpec::dynamic_shared_bytes, "101"), "allows 0 to 100"));
  CHECK(with(&model::StepSpec::shared_carveout_percent, "100") == "");
  CHECK(with(&model::StepSpec::shared_carveout_percent, "0") == "");
  CHECK(with(&model::StepSpec::shared_carveout_percent, "-1") == "");
  CHECK_FALSE(with(&model::StepSpec::shared_carveout_percent, "101").empty());
  CHECK_FALSE(with(&model::StepSpec::shared_carveout_percent, "-2").empty());
  CHECK(with(&model::StepSpec::repeat, "65536") == "");
  CHECK(contains(with(&model::StepSpec::repeat, "65537"), "a loop runs 0 to 65536 times"));
  const auto of_two = [&](const char* first, const char* second, const char* when) {
    return reason([&](model::KernelSpec& spec) {
      spec.steps.push_back(launch("second", {"1"}, {"B"}));
      spec.steps[0].repeat = expression(first);
      spec.steps[1].repeat = expression(second);
      spec.steps[1].when = expression(when);
    });
  };
  CHECK(of_two("30000", "35536", "1") == "");
  CHECK(of_two("30000", "35537", "1") == "a run of 65537 steps; at most 65536 are allowed");
  CHECK(of_two("30000", "35537", "0") == "");
  CHECK(reason([](model::KernelSpec& spec) {
          spec.steps.push_back(launch("second", {"1"}, {"B"}));
          spec.steps[0].repeat = expression("40000");
          spec.steps[0].repeat_steps = 2;
        }) == "a run of 80000 steps; at most 65536 are allowed");
  CHECK(reason([](model::KernelSpec& spec) {  // a loop's times are its own
          spec.steps.push_back(launch("second", {"1"}, {"B"}));
          spec.steps[0].repeat = expression("65535");
        }) == "");
}

TEST_CASE("a loop that runs no times is left out with all of its steps") {
  const model::Plan plan = planned([](model::KernelSpec& spec) {
    spec.steps.push_back(launch("second", {"1"}, {"B"}));
    spec.steps.push_back(launch("third", {"1"}, {"B"}));
    spec.steps[0].repeat = expression("0");
    spec.steps[0].repeat_steps = 2;
  });
  REQUIRE(plan.steps.size() == 1);
  CHECK(plan.steps[0].entry == "third");
  CHECK(plan.steps[0].repeat == 1);
}

TEST_CASE("what has no value rejects the configuration, wherever it is asked for") {
  const auto bad = expression("N / PAD");
  const auto check = [&](const std::function<void(model::KernelSpec&)>& change) {
    CHECK(contains(reason(change), "division by zero"));
  };
  check([&](auto& spec) { spec.steps[0].when = bad; });
  check([&](auto& spec) { spec.steps[0].repeat = bad; });
  check([&](auto& spec) { spec.steps[0].grid = {bad}; });
  check([&](auto& spec) { spec.steps[0].block = {bad}; });
  check([&](auto& spec) { spec.steps[0].dynamic_shared_bytes = bad; });
  check([&](auto& spec) { spec.steps[0].overlap = bad; });
  check([&](auto& spec) { spec.steps[0].cooperative = bad; });
  check([&](auto& spec) { spec.steps[0].cluster = {bad}; });
  check([&](auto& spec) { spec.steps[0].shared_carveout_percent = bad; });
  check([&](auto& spec) { spec.arguments[0].extent = {bad}; });
  check([&](auto& spec) { spec.arguments[1].unordered = bad; });
  check([&](auto& spec) { spec.arguments[2].value = bad; });
  check([&](auto& spec) { spec.arguments.push_back(scalar("real", Type::float64, "(N / PAD) * 1")); });
  check([&](auto& spec) {
    spec.arguments.push_back(scalar("v", Type::int2));
    spec.arguments.back().components = {expression("1"), bad};
  });
  check([&](auto& spec) {
    spec.arguments[0].init.usual.kind = model::Init::Kind::constant;
    spec.arguments[0].init.usual.expressions = {expression("log2(PAD)")};
    spec.arguments[0].init.usual.expressions = {expression("1 % PAD + N / PAD")};
  });
  check([&](auto& spec) { spec.verify->steps[0].grid = {bad}; });
  check([&](auto& spec) {
    spec.generator.emplace().source = {{"generate.cu", "text"}};
    spec.generator->steps = {launch("generate", {"N / PAD"}, {"B"})};
    spec.generator->steps[0].arguments = {"x", "seed"};
  });
  check([&](auto& spec) {
    spec.verify->comparison = {launch("compare", {"N / PAD"}, {"B"})};
    spec.verify->comparison[0].arguments = {"y", "y.error"};
  });
  for (auto member : {&model::StepSpec::first, &model::StepSpec::count}) {
    check([&](auto& spec) {
      spec.steps.push_back(upload("x"));
      spec.steps.back().*member = bad;
    });
  }
}

TEST_CASE(
    "a cluster divides its grid in each dimension, and is launched by none with more than eight blocks") {
  const auto clustered = [](std::vector<std::string> cluster) {
    return reason([&](model::KernelSpec& spec) {
      spec.steps[0].grid = expressions({"4", "6", "8"});
      spec.steps[0].cluster = expressions(cluster);
    });
  };
  CHECK(clustered({"2", "2", "2"}) == "");
  CHECK(contains(clustered({"3", "1", "1"}), "does not divide the grid"));
  CHECK(contains(clustered({"1", "4", "1"}), "does not divide the grid"));
  CHECK(contains(clustered({"1", "1", "3"}), "does not divide the grid"));
  CHECK(contains(clustered({"0"}), "does not divide the grid"));
  CHECK(contains(clustered({"-1"}), "does not divide the grid"));
  CHECK(contains(clustered({"2", "2", "4"}), "16 blocks"));
}

TEST_CASE("an integer of each type is passed where the type holds it, and not beyond") {
  const auto passed = [](Type type, const std::string& value) {
    return reason([&](auto& spec) { spec.arguments.push_back(scalar("s", type, value)); }).empty();
  };
  const std::vector<std::pair<Type, std::pair<std::string, std::string>>> ranges = {
      {Type::boolean, {"0", "1"}},         {Type::int8, {"-128", "127"}},
      {Type::uint8, {"0", "255"}},         {Type::int16, {"-32768", "32767"}},
      {Type::uint16, {"0", "65535"}},      {Type::int32, {"-2147483648", "2147483647"}},
      {Type::uint32, {"0", "4294967295"}},
  };
  for (const auto& [type, ends] : ranges) {
    CAPTURE(model::cuda_name(type));
    CHECK(passed(type, ends.first));
    CHECK(passed(type, ends.second));
    CHECK_FALSE(passed(type, ends.first + " - 1"));
    CHECK_FALSE(passed(type, ends.second + " + 1"));
  }
  CHECK(passed(Type::uint64, "0"));
  CHECK(passed(Type::uint64, "9223372036854775807"));
  CHECK_FALSE(passed(Type::uint64, "-1"));
  CHECK(passed(Type::int64, "-1"));
}

TEST_CASE("a struct by value has its fields' numbers, each where C++ has it") {
  const model::Plan plan = planned([](auto& spec) { add_struct(spec, false); });
  REQUIRE(plan.steps[0].operands.size() == 4);
  const model::Operand& whole = plan.steps[0].operands[3];
  CHECK(whole.kind == model::Operand::Kind::scalar);
  CHECK(whole.struct_bytes == 24);
  CHECK(whole.numbers == std::vector<model::StructNumber>{{Type::float32, 0, 0, 1.5},
                                                          {Type::float32, 4, 0, 1.5},
                                                          {Type::float32, 8, 0, 1.5},
                                                          {Type::int32, 16, 7, 0},
                                                          {Type::int32, 20, 7, 0}});
}

TEST_CASE("a buffer of structs counts bytes, its fields count their own, and uploads count structs") {
  const model::Plan plan = planned([](model::KernelSpec& spec) {
    add_struct(spec, true);
    spec.steps.push_back(upload("p"));
    spec.steps.back().first = expression("1");
    spec.steps.back().count = expression("2");
  });
  REQUIRE(plan.buffers.size() == 5);
  CHECK(plan.buffers[2].elements == 4 * 24);
  CHECK(plan.buffers[2].struct_bytes == 24);
  CHECK(plan.buffers[2].fields == std::vector<model::FieldPlan>{{3, 0}, {4, 16}});
  CHECK(plan.buffers[3].elements == 4);
  CHECK(plan.buffers[4].elements == 8);
  CHECK(plan.buffers[3].struct_bytes == 0);
  CHECK(plan.steps[1].first == 24);
  CHECK(plan.steps[1].count == 48);
  const auto uploaded = [](const char* first, const char* count) {
    return reason([&](model::KernelSpec& spec) {
      add_struct(spec, true);
      spec.steps.push_back(upload("p"));
      spec.steps.back().first = expression(first);
      spec.steps.back().count = expression(count);
    });
  };
  CHECK(uploaded("0", "4") == "");
  CHECK_FALSE(uploaded("1", "4").empty());
  CHECK_FALSE(uploaded("5", "0").empty());
}

TEST_CASE("a rejected launch says how large its grid and block would have been") {
  model::DeviceLimits limits;
  limits.max_threads_per_block = 32;
  const auto plan = made([](auto&) {}, limits);
  REQUIRE(std::holds_alternative<Rejection>(plan));
  CHECK(std::get<Rejection>(plan).grid == model::Dim3{2, 1, 1});
  CHECK(std::get<Rejection>(plan).block == model::Dim3{64, 1, 1});
}

TEST_SUITE_END();
