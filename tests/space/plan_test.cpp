#include <doctest/doctest.h>

#include <limits>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

model::Plan plan(const model::KernelSpec& spec, std::int64_t n, std::int64_t b, std::int64_t padding = 0,
                 std::optional<model::ElementType> type = std::nullopt) {
  const auto made =
      make_plan(spec, make_problem(spec, {n}, type, padding), model::Configuration({{"B", b}}), {});
  if (const auto* rejection = std::get_if<Rejection>(&made)) FAIL(rejection->reason);
  return std::get<model::Plan>(made);
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("a plan has every expression evaluated") {
  model::KernelSpec spec = scale_spec();
  spec.steps[0].dynamic_shared_bytes = expression("B * ELEMENT_BYTES");
  const model::Plan made = plan(spec, 1000, 64, 8);
  CHECK(made.problem == "1000 float pad 8");
  REQUIRE(made.buffers.size() == 2);
  CHECK(made.buffers[0].name == "x");
  CHECK(made.buffers[0].elements == 1008);
  CHECK(made.buffers[0].access == model::Access::in);
  CHECK(made.buffers[1].access == model::Access::out);
  REQUIRE(made.steps.size() == 1);
  const model::Step& step = made.steps[0];
  CHECK(step.entry == "scale");
  CHECK(step.grid == model::Dim3{16, 1, 1});
  CHECK(step.block == model::Dim3{64, 1, 1});
  CHECK(step.dynamic_shared_bytes == 256);
  REQUIRE(step.operands.size() == 3);
  CHECK(step.operands[0].kind == model::Operand::Kind::buffer);
  CHECK(step.operands[0].buffer == 0);
  CHECK(step.operands[1].buffer == 1);
  CHECK(step.operands[2].kind == model::Operand::Kind::scalar);
  CHECK(step.operands[2].integer == 1000);
  CHECK(made.deterministic);
}

TEST_CASE("a launch overlaps where its spec says so, and is another trial then") {
  const auto key = [](const model::Plan& plan) {
    model::DigestBuilder digest;
    plan.add_to(digest);
    return digest.finish();
  };
  model::KernelSpec spec = scale_spec();
  const model::Plan plain = plan(spec, 1000, 64);
  CHECK_FALSE(plain.steps[0].overlap);
  spec.steps[0].overlap = expression("B == 64");
  CHECK(plan(spec, 1000, 64).steps[0].overlap);
  CHECK_FALSE(key(plan(spec, 1000, 64)) == key(plain));
  CHECK_FALSE(plan(spec, 1000, 32).steps[0].overlap);
  CHECK(key(plan(spec, 1000, 32)) == key(plan(scale_spec(), 1000, 32)));
}

TEST_CASE("what a launch asks of the device is worked out, and makes another trial only where it asks") {
  const auto key = [](const model::Plan& plan) {
    model::DigestBuilder digest;
    plan.add_to(digest);
    return digest.finish();
  };
  const model::Plan plain = plan(scale_spec(), 1024, 64);
  const auto with = [](void (*change)(model::KernelSpec&)) {
    model::KernelSpec spec = scale_spec();
    change(spec);
    return plan(spec, 1024, 64);
  };
  const model::Plan cooperative = with([](auto& spec) { spec.steps[0].cooperative = expression("B == 64"); });
  CHECK(cooperative.steps[0].cooperative);
  const model::Plan clustered = with([](auto& spec) { spec.steps[0].cluster = {expression("B / 16")}; });
  CHECK(clustered.steps[0].cluster == model::Dim3{4, 1, 1});
  const model::Plan carved =
      with([](auto& spec) { spec.steps[0].shared_carveout_percent = expression("B / 2"); });
  CHECK(carved.steps[0].shared_carveout_percent == 32);
  const model::Plan looped = with([](auto& spec) { spec.steps[0].repeat = expression("N / B"); });
  CHECK(looped.steps[0].repeat == 16);
  CHECK(model::launch_order(looped.steps) == std::vector<std::size_t>(16, 0));
  const model::Plan restored = with([](auto& spec) {
    spec.arguments[1].access = model::Access::inout;
    spec.arguments[1].restore = true;
  });
  CHECK(restored.restores());
  CHECK_FALSE(plain.restores());
  for (const model::Plan& other : {cooperative, clustered, carved, looped, restored})
    CHECK_FALSE(key(other) == key(plain));
  const model::Plan without = with([](auto& spec) {
    spec.steps[0].cooperative = expression("0");
    spec.steps[0].cluster = {expression("1")};
    spec.steps[0].shared_carveout_percent = expression("-1");
    spec.steps[0].repeat = expression("1");
  });
  CHECK(key(without) == key(plain));
}

TEST_CASE("a loop runs its steps in turn, without those that do not apply") {
  model::KernelSpec spec = scale_spec();
  spec.steps.push_back(launch("back", {"1"}, {"B"}));
  spec.steps.push_back(launch("never", {"1"}, {"B"}));
  spec.steps.push_back(launch("last", {"1"}, {"B"}));
  spec.steps[0].repeat = expression("N / B");
  spec.steps[0].repeat_steps = 3;
  spec.steps[2].when = expression("B > 64");
  const auto order = [](const model::Plan& plan) {
    std::string names;
    for (const std::size_t step : model::launch_order(plan.steps)) names += plan.steps[step].entry + " ";
    return names;
  };
  CHECK(order(plan(spec, 128, 64)) == "scale back scale back last ");
  CHECK(order(plan(spec, 32, 64)) == "last ");
  model::KernelSpec divided = spec;
  divided.steps[0].repeat = expression("N / (B - 64)");
  for (model::StepSpec& step : divided.steps) step.when = expression("B > 64");
  divided.steps[3].when.reset();
  CHECK(order(plan(divided, 128, 64)) == "last ");  // how often what does not apply would run has no value
  spec.steps[0].when = expression("B > 64");
  CHECK(order(plan(spec, 128, 64)) == "back back last ");
}

TEST_CASE("the reference gets what it asks for") {
  const model::VerifyPlan verify = plan(scale_spec(), 1000, 64).verify;
  REQUIRE(verify.reference.size() == 1);
  const std::vector<model::Operand>& operands = verify.reference[0].operands;
  REQUIRE(operands.size() == 4);
  CHECK(operands[0].kind == model::Operand::Kind::buffer);
  CHECK(operands[1].kind == model::Operand::Kind::expected);
  CHECK(operands[1].buffer == 1);
  CHECK(operands[2].kind == model::Operand::Kind::magnitude);
  CHECK(operands[2].buffer == 1);
  CHECK(operands[3].integer == 1000);
  CHECK(verify.rounding_terms == 1);
  model::KernelSpec half = scale_spec();
  half.verify->rounding_terms = expression("N / 16 + 0.5");
  CHECK(plan(half, 8, 32).verify.rounding_terms == doctest::Approx(1.0));
}

TEST_CASE("configurations of a problem share the reference's inputs") {
  CHECK(plan(scale_spec(), 1000, 64).inputs_key() == plan(scale_spec(), 1000, 32).inputs_key());
  CHECK_FALSE(plan(scale_spec(), 1000, 64).inputs_key() == plan(scale_spec(), 1001, 64).inputs_key());
}

TEST_CASE("buffers and scalars of ELEMENT_TYPE follow the problem") {
  model::KernelSpec spec = scale_spec();
  model::ArgumentSpec factor = scalar("factor", model::ElementType::float32, "N / 8");
  factor.type.reset();
  spec.arguments.push_back(factor);
  spec.arguments.push_back(scalar("wide", model::ElementType::float64, "N / 8"));
  spec.arguments[0].init.usual = {model::Init::Kind::uniform, -1, 1};
  spec.arguments[0].init.by_type[model::ElementType::int32] = {model::Init::Kind::integers, -8, 8};
  const model::Plan real = plan(spec, 12, 32);
  CHECK(real.buffers[0].type == model::ElementType::float32);
  CHECK(real.buffers[0].init.kind == model::Init::Kind::uniform);
  CHECK(real.steps[0].operands[3].type == model::ElementType::float32);
  CHECK(real.steps[0].operands[3].real == doctest::Approx(1.5));
  const model::Plan whole = plan(spec, 12, 32, 0, model::ElementType::int32);
  CHECK(whole.buffers[0].type == model::ElementType::int32);
  CHECK(whole.buffers[0].init.kind == model::Init::Kind::integers);
  CHECK(whole.steps[0].operands[3].integer == 1);
  CHECK(whole.steps[0].operands[4].real == doctest::Approx(1.5));
}

TEST_CASE("a second input set follows the problem's type, and the first where a spec names none") {
  model::KernelSpec spec = scale_spec();
  spec.arguments[0].init.usual = {model::Init::Kind::uniform, -1, 1};
  CHECK(plan(spec, 12, 32).buffers[0].second_init == model::Init{});
  CHECK_FALSE(plan(spec, 12, 32).verify.second_is_exact);
  const model::Init odd{model::Init::Kind::odd_integers, 1, 9};
  spec.arguments[0].second_init.emplace().by_type[model::ElementType::float32] = odd;
  spec.verify->second_is_exact = true;
  CHECK(plan(spec, 12, 32).buffers[0].second_init == odd);
  CHECK(plan(spec, 12, 32).verify.second_is_exact);
  CHECK(plan(spec, 12, 32, 0, model::ElementType::int32).buffers[0].second_init == model::Init{});
}

TEST_CASE("signs know the length of a row, and how far apart its most non-zeros of a column are") {
  model::KernelSpec spec = scale_spec();
  spec.arguments[0].extent = {expression("N"), expression("2 * B"), expression("3")};
  spec.arguments[0].second_init.emplace().usual = {model::Init::Kind::signs, 100, 0};
  const auto planned = [&](std::int64_t n) { return plan(spec, n, 32).buffers[0].second_init; };
  CHECK(planned(7) == model::Init{model::Init::Kind::signs, 1, 192});
  CHECK(planned(100) == model::Init{model::Init::Kind::signs, 1, 192});
  CHECK(planned(101) == model::Init{model::Init::Kind::signs, 2, 192});
  CHECK(planned(1000) == model::Init{model::Init::Kind::signs, 10, 192});
  CHECK(planned(1001) == model::Init{model::Init::Kind::signs, 11, 192});
  spec.arguments[0].init.usual = {model::Init::Kind::signs, 5, 0};
  CHECK(plan(spec, 100, 32).buffers[0].init == model::Init{model::Init::Kind::signs, 20, 192});
}

TEST_CASE("a plan's identity tells second input sets apart, and is as it was where none is named") {
  const auto digest = [](const model::Plan& of) {
    model::DigestBuilder builder;
    of.add_to(builder);
    return builder.finish();
  };
  const model::Plan plain = plan(scale_spec(), 1000, 64);
  // Recorded: trials of specs without a second input set would be measured anew.
  CHECK(digest(plain).hex() == "cfe4439e167bd395716b82db350a9676");
  model::Plan other = plain;
  other.buffers[0].second_init = {model::Init::Kind::signs, 1, 1};
  CHECK_FALSE(digest(other) == digest(plain));
  CHECK_FALSE(other.inputs_key() == plain.inputs_key());
  model::Plan longer_rows = other;
  longer_rows.buffers[0].second_init.b = 2;
  CHECK_FALSE(digest(longer_rows) == digest(other));
  other = plain;
  other.verify.second_is_exact = true;
  CHECK_FALSE(digest(other) == digest(plain));
  CHECK_FALSE(other.inputs_key() == plain.inputs_key());
}

TEST_CASE("a plan's device memory holds both draws, and its workspaces once") {
  model::KernelSpec spec = scale_spec();
  const std::int64_t n = 1000;
  const std::int64_t both = 2 * (4 * n + 4 * n + 16 * n);  // x, y, and two doubles per element of y
  CHECK(plan(spec, n, 32).device_bytes() == both);
  spec.arguments.push_back(buffer("scratch", model::Access::workspace, {"N"}));
  spec.arguments.back().type = model::ElementType::float64;
  CHECK(plan(spec, n, 32).device_bytes() == both + 8 * n);
  spec.verify.reset();
  CHECK(plan(spec, n, 32).device_bytes() == 2 * 8 * n + 8 * n);
}

TEST_CASE("scalars without a value take what has their name, words their code") {
  model::KernelSpec spec = scale_spec();
  spec.parameters.push_back(parameter("ORDER", words({"row", "column"})));
  for (const char* name : {"B", "length", "PAD", "ORDER"}) {
    spec.arguments.push_back(scalar(name, model::ElementType::int32));
  }
  const model::Configuration configuration({{"ORDER", model::Value("column")}, {"B", 64}});
  const auto made = make_plan(spec, make_problem(spec, {100}, std::nullopt, 4), configuration, {});
  const auto& operands = std::get<model::Plan>(made).steps[0].operands;
  CHECK(operands[3].integer == 64);
  CHECK(operands[4].integer == 104);
  CHECK(operands[5].integer == 4);
  CHECK(operands[6].integer == model::word_code("column"));
}

TEST_CASE("a step takes the arguments it names, in its order") {
  model::KernelSpec spec = scale_spec();
  spec.steps[0].arguments = {"N", "y"};
  const auto operands = plan(spec, 5, 32).steps[0].operands;
  REQUIRE(operands.size() == 2);
  CHECK(operands[0].integer == 5);
  CHECK(operands[1].buffer == 1);
}

TEST_CASE("uploads copy all of a buffer, or the part they name") {
  model::KernelSpec spec = scale_spec();
  model::StepSpec second = upload("x");
  second.first = expression("N / 2");
  model::StepSpec third = second;
  third.count = expression("3");
  third.stream = 1;
  third.after = {0};
  spec.steps.insert(spec.steps.begin(), {upload("x"), second, third});
  const auto steps = plan(spec, 10, 32).steps;
  CHECK(steps[0].kind == model::Step::Kind::upload);
  CHECK(steps[0].buffer == 0);
  CHECK(steps[0].first == 0);
  CHECK(steps[0].count == 10);
  CHECK(steps[1].first == 5);
  CHECK(steps[1].count == 5);
  CHECK(steps[2].count == 3);
  CHECK(steps[2].stream == 1);
  CHECK(steps[2].after == std::vector<int>{0});
}

TEST_CASE("a memset sets bytes of what runs write, all or the part it names") {
  model::KernelSpec spec = scale_spec();
  model::StepSpec part = upload("y");
  part.sets = true;
  part.byte = expression("255");
  part.first = expression("N / 2");
  model::StepSpec whole = upload("y");
  whole.sets = true;
  spec.steps.insert(spec.steps.begin(), {whole, part});
  const auto steps = plan(spec, 10, 32).steps;
  CHECK(steps[0].kind == model::Step::Kind::memset);
  CHECK(steps[0].byte == 0);
  CHECK(steps[0].count == 10);
  CHECK(steps[1].byte == 255);
  CHECK(steps[1].first == 5);
  CHECK(steps[1].count == 5);
  spec.steps[0].upload = "x";
  REQUIRE(validate(spec).size() == 1);
  CHECK(validate(spec)[0].message == "memset of `x`, which runs do not write");
  spec.steps[0].upload = "y";
  spec.steps[0].byte = expression("256");
  const auto refused =
      make_plan(spec, make_problem(spec, {10}, std::nullopt, 0), model::Configuration({{"B", 32}}), {});
  REQUIRE(std::holds_alternative<Rejection>(refused));
  CHECK(std::get<Rejection>(refused).reason == "memset of `y` to 256; a byte is 0 to 255");
}

TEST_CASE("a step that does not apply is left out, and whoever waited for it waits for what it waited for") {
  model::KernelSpec spec = scale_spec();
  const auto step = [](const char* entry, int stream, std::vector<int> after) {
    model::StepSpec made = launch(entry, {"1"}, {"1"});
    made.stream = stream;
    made.after = std::move(after);
    return made;
  };
  spec.steps = {step("a", 0, {}), step("b", 1, {0}), step("split", 1, {}), step("c", 2, {2}),
                step("d", 1, {})};
  spec.steps[2].when = expression("B > 32");
  const auto all = plan(spec, 8, 64).steps;
  REQUIRE(all.size() == 5);
  CHECK(all[3].after == std::vector<int>{2});
  const auto fewer = plan(spec, 8, 32).steps;
  REQUIRE(fewer.size() == 4);
  CHECK(fewer[1].after == std::vector<int>{0});
  CHECK(fewer[2].entry == "c");
  CHECK(fewer[2].after == std::vector<int>{1});  // b, which came before the lost step on its stream
  CHECK(fewer[3].after.empty());                 // d follows b on its own stream
}

TEST_CASE("waits of a lost step pass to its successor on the stream") {
  model::KernelSpec spec = scale_spec();
  spec.steps = {launch("a", {"1"}, {"1"}), launch("lost", {"1"}, {"1"}), launch("c", {"1"}, {"1"})};
  spec.steps[1].stream = spec.steps[2].stream = 1;
  spec.steps[1].after = {0};
  spec.steps[1].when = expression("0");
  CHECK(plan(spec, 8, 64).steps[1].after == std::vector<int>{0});
}

TEST_CASE("one compiled kernel serves many problems and configurations") {
  const KernelSpace kernel(scale_spec());
  for (std::int64_t n = 1; n < 200; n += 17) {
    const model::Problem problem = make_problem(kernel.spec(), {n}, std::nullopt, 0);
    const ConfigurationList list = kernel.list(problem, {});
    REQUIRE(list.size() == 3);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto made = kernel.make_plan(problem, list[i], {});
      CHECK(std::get<model::Plan>(made).steps[0].block.x == list[i].find("B")->code());
    }
  }
}

TEST_SUITE_END();
