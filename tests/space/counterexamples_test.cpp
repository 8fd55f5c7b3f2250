// Where expressions, lists and plans that are nearly right differ from what is.
#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/space/spec_builder.hpp"
#include "tests/support/contains.hpp"
#include "tuner/space/configuration_list.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

TEST_SUITE("tuner::space") {
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

  TEST_CASE("an or that holds is one, whatever stands on its left") {
    model::KernelSpec spec = scale_spec();
    spec.arguments.push_back(scalar("result", model::ElementType::int64, "5 || 0"));
    const auto plan = plan_of(spec);
    REQUIRE(std::holds_alternative<model::Plan>(plan));
    CHECK(std::get<model::Plan>(plan).steps.at(0).operands.at(3).integer == 1);
  }

  TEST_CASE("a step that is left out orders nothing on another stream") {
    model::KernelSpec spec = scale_spec();
    spec.steps = {launch("a", {"1"}, {"1"}), launch("lost", {"1"}, {"1"}), launch("c", {"1"}, {"1"})};
    spec.steps[0].stream = spec.steps[1].stream = 1;
    spec.steps[1].when = expression("0");
    const auto plan = plan_of(spec);
    REQUIRE(std::holds_alternative<model::Plan>(plan));
    CHECK(std::get<model::Plan>(plan).steps.at(1).after.empty());
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

  TEST_CASE("a grid may be as long as the device allows, and no longer") {
    const model::KernelSpec spec = scale_spec();
    model::DeviceLimits limits;
    limits.max_grid_x = 1;
    CHECK(is_planned(spec, limits));
    limits.max_grid_x = 0;
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

  TEST_CASE(
      "a run-time parameter reaches the kernel by whatever an argument or a launch is worked out from") {
    const auto chunk = expression("CHUNK");
    const auto mistakes_with = [&](const std::function<void(model::KernelSpec&)>& change) {
      model::KernelSpec spec = scale_spec();
      spec.parameters.push_back(parameter("CHUNK", numbers({1, 2})));
      spec.parameters.back().runtime = true;
      change(spec);
      std::string all;
      for (const model::Diagnostic& mistake : validate(spec)) all += mistake.message + "\n";
      return all;
    };
    const auto check = [&](const std::function<void(model::KernelSpec&)>& change) {
      CHECK(mistakes_with(change) == "");
    };
    CHECK(contains(mistakes_with([](auto&) {}), "reaches no argument and no launch"));
    CHECK(contains(mistakes_with([&](auto& spec) { spec.constraints = {chunk}; }), "reaches no argument"));
    check([&](auto& spec) { spec.arguments[2].value = chunk; });
    check([&](auto& spec) { spec.arguments.push_back(scalar("r", model::ElementType::float64, "CHUNK")); });
    check([&](auto& spec) {
      spec.arguments.push_back(scalar("v", model::ElementType::int2));
      spec.arguments.back().components = {expression("1"), chunk};
    });
    check([&](auto& spec) { spec.steps[0].grid = {chunk}; });
    check([&](auto& spec) { spec.steps[0].block = {chunk}; });
    check([&](auto& spec) { spec.steps[0].cluster = {chunk}; });
    for (const auto member :
         {&model::StepSpec::dynamic_shared_bytes, &model::StepSpec::overlap, &model::StepSpec::cooperative,
          &model::StepSpec::shared_carveout_percent, &model::StepSpec::repeat}) {
      check([&](auto& spec) { spec.steps[0].*member = chunk; });
    }
    check([&](auto& spec) { spec.steps[0].when = chunk; });
    for (const auto member : {&model::StepSpec::first, &model::StepSpec::count}) {
      check([&](auto& spec) {
        spec.steps.push_back(upload("x"));
        spec.steps.back().*member = chunk;
      });
    }
    check([&](auto& spec) {
      spec.arguments.push_back(buffer("scratch", model::Access::workspace, {"CHUNK"}));
    });
    const auto with_view = [&](const std::function<void(model::ArgumentSpec&)>& change) {
      check([&](auto& spec) {
        model::ArgumentSpec& view = spec.arguments.emplace_back();
        view.name = "view";
        change(view);
      });
    };
    for (const int part : {0, 1, 2, 3, 4, 5, 6}) {
      CAPTURE(part);
      with_view([&](model::ArgumentSpec& view) {
        model::TensorMapSpec& map = view.tensor.emplace();
        map.buffer = "x";
        map.shape = {part == 0 ? chunk : expression("32"), expression("2")};
        map.strides = {part == 1 ? chunk : expression("128")};
        map.box = {part == 2 ? chunk : expression("8"), expression("2")};
        map.element_strides = {part == 3 ? chunk : expression("1"), expression("1")};
        if (part == 4) map.interleave = chunk;
        if (part == 5) map.swizzle = chunk;
        if (part == 6) map.l2_promotion = chunk;
      });
    }
    for (const int part : {0, 1}) {
      with_view([&](model::ArgumentSpec& view) {
        model::TextureSpec& texture = view.texture.emplace();
        texture.buffer = "x";
        texture.shape = {part == 0 ? chunk : expression("32"), expression("2")};
        texture.pitch = part == 1 ? chunk : expression("128");
      });
    }
  }

  TEST_CASE("bits are no business of metrics, one operator as the other") {
    for (const char* text : {"N & 1", "N | 1", "N ^ 1", "N << 1", "N >> 1"}) {
      CAPTURE(text);
      model::KernelSpec spec = scale_spec();
      spec.metrics[0].value = expression(text);
      const auto found = validate(spec);
      REQUIRE(found.size() == 1);
      CHECK(contains(found[0].message, "bit operation"));
    }
  }

  TEST_CASE("a configuration is of a space where its problem, its values and all conditions are") {
    model::KernelSpec spec = scale_spec();
    spec.parameters.push_back(parameter_when("PAD_BY", numbers({1, 2}), "B > 32", 0));
    spec.constraints = {expression("B * PAD_BY < 256")};
    const KernelSpace kernel(spec);
    const auto problem = make_problem(spec, {12}, std::nullopt, 0);
    const auto has = [&](std::int64_t b, std::int64_t pad_by) {
      return kernel.contains(problem, model::Configuration({{"B", b}, {"PAD_BY", pad_by}}), {});
    };
    CHECK(has(32, 0));
    CHECK(has(64, 1));
    CHECK(has(64, 2));
    CHECK(has(128, 1));
    CHECK_FALSE(has(128, 2));  // the constraint
    CHECK_FALSE(has(32, 1));   // does not apply
    CHECK_FALSE(has(64, 0));   // applies
    CHECK_FALSE(has(96, 1));
    CHECK_FALSE(has(64, 3));
    const model::Configuration good({{"B", 64}, {"PAD_BY", 1}});
    CHECK_FALSE(kernel.contains(problem, model::Configuration({{"B", 32}}), {}));
    CHECK_FALSE(kernel.contains(problem, model::Configuration({{"B", 64}, {"PAD_BY", 1}, {"C", 1}}), {}));
    CHECK(kernel.contains(make_problem(spec, {12}, std::nullopt, 3), good, {}));
    model::Problem other = problem;
    other.type = model::ElementType::float64;
    CHECK_FALSE(kernel.contains(other, good, {}));
    other = problem;
    other.sizes[0].name = "M";
    CHECK_FALSE(kernel.contains(other, good, {}));
    other = problem;
    other.sizes.push_back({"M", 1});
    CHECK_FALSE(kernel.contains(other, good, {}));
    model::KernelSpec unpadded = spec;
    unpadded.row_padding.clear();
    unpadded.derived[0].value = expression("N");
    other = problem;
    other.row_padding = 3;
    CHECK_FALSE(KernelSpace(unpadded).contains(other, good, {}));
    CHECK(KernelSpace(unpadded).contains(problem, good, {}));
    model::KernelSpec undefined = spec;
    undefined.parameters[1].when = expression("N / PAD > 0");
    CHECK_FALSE(KernelSpace(undefined).contains(problem, good, {}));
    undefined = spec;
    undefined.constraints = {expression("N / PAD > 0")};
    CHECK_FALSE(KernelSpace(undefined).contains(problem, good, {}));
  }

  TEST_CASE("of a space that lists its configurations only those are of it") {
    model::KernelSpec spec = scale_spec();
    spec.listed = {{0}, {2}};
    const KernelSpace kernel(spec);
    const auto problem = make_problem(spec, {12}, std::nullopt, 0);
    CHECK(kernel.contains(problem, model::Configuration({{"B", 32}}), {}));
    CHECK_FALSE(kernel.contains(problem, model::Configuration({{"B", 64}}), {}));
    CHECK(kernel.contains(problem, model::Configuration({{"B", 128}}), {}));
    CHECK(kernel.list(problem, {}).size() == 2);
  }

  TEST_CASE("a kernel is known by its definition and its spec, and its binaries by their sources") {
    const model::KernelSpec spec = scale_spec();
    const KernelSpace kernel(spec);
    CHECK(kernel.definition() == definition_of(spec));
    CHECK(kernel.spec_digest() == spec_digest(spec));
    const auto problem = make_problem(spec, {12}, std::nullopt, 0);
    const model::Configuration configuration({{"B", 32}});
    model::CompileJob job = kernel.compile_job(problem, configuration, "sm_90", "nvrtc 13.0");
    CHECK(job.key() == compile_job(spec, problem, configuration, "sm_90", "nvrtc 13.0").key());
    CHECK(job.source_key == model::source_key(job.source));
    job.source_key = {};
    CHECK(job.key() == kernel.compile_job(problem, configuration, "sm_90", "nvrtc 13.0").key());
    const auto reference = kernel.reference_job(problem, "sm_90", "nvrtc 13.0");
    REQUIRE(reference);
    CHECK(reference->source_key == model::source_key(reference->source));
  }

  TEST_CASE("no rounded operation at all is a bound, and a file's shape is that of its field") {
    model::KernelSpec spec = scale_spec();
    spec.verify->rounding_terms = expression("N - 12");
    CHECK(is_planned(spec));
    model::ArgumentSpec whole = buffer("p", model::Access::in, {"4"});
    whole.type = model::ElementType::uint8;
    whole.structure = model::StructLayout{"P", 4, {0}};
    model::ArgumentSpec field = buffer("p.cell", model::Access::in, {});
    field.type = model::ElementType::int32;
    field.field_length = 1;
    field.init.usual = model::InitRule(model::Init::Kind::file, 0, 0);
    field.init.usual.contents = {"p.npy", {}, 0, model::ElementType::int32, 4};
    field.init.usual.shape = {4};
    spec.arguments.push_back(whole);
    spec.arguments.push_back(field);
    CHECK(is_planned(spec));
    spec.arguments.back().init.usual.shape = {2, 2};
    CHECK_FALSE(is_planned(spec));
    spec.arguments.back().init.usual.shape = {4};
    model::ArgumentSpec view;
    view.name = "view";
    view.texture.emplace().buffer = "p.cell";
    spec.arguments.push_back(view);
    CHECK(contains(validate(spec).at(0).message, "a texture over `p.cell`, which is no buffer of numbers"));
    spec.arguments.back().texture->buffer = "p";
    CHECK(contains(validate(spec).at(0).message, "a texture over `p`, which is no buffer of numbers"));
  }

  TEST_CASE("a reference may be passed structs, a generator their fields alone") {
    model::KernelSpec spec = scale_spec();
    model::ArgumentSpec whole = buffer("p", model::Access::in, {"4"});
    whole.type = model::ElementType::uint8;
    whole.structure = model::StructLayout{"P", 4, {0}};
    model::ArgumentSpec field = buffer("p.cell", model::Access::in, {});
    field.type = model::ElementType::int32;
    field.field_length = 1;
    spec.arguments.push_back(whole);
    spec.arguments.push_back(field);
    spec.verify->steps[0].arguments.push_back("p");
    CHECK(validate(spec).empty());
    spec.generator.emplace().source = {{"generate.cu", "text"}};
    spec.generator->steps = {launch("generate", {"1"}, {"1"})};
    spec.generator->steps[0].arguments = {"p.cell", "seed"};
    CHECK(validate(spec).empty());
    spec.generator->steps[0].arguments = {"p", "seed"};
    CHECK(contains(validate(spec).at(0).message, "`p` is passed to a generator, and is a struct"));
    spec.generator.reset();
    spec.steps[0].arguments = {"p.cell"};
    CHECK(contains(validate(spec).at(0).message, "`p.cell` is passed to a kernel, and is a field"));
  }

  TEST_CASE("an array over one buffer keeps no other from being uploaded") {
    model::KernelSpec spec = scale_spec();
    spec.device_kinds = {"cuda"};
    spec.arguments.push_back(buffer("z", model::Access::in, {"N"}));
    model::ArgumentSpec& view = spec.arguments.emplace_back();
    view.name = "image";
    model::TextureSpec& texture = view.texture.emplace();
    texture.buffer = "x";
    texture.shape = {expression("4"), expression("3")};
    texture.kind.in_array = true;
    spec.steps.push_back(upload("z"));
    CHECK(validate(spec).empty());
    spec.steps.back().upload = "x";
    CHECK(contains(validate(spec).at(0).message, "upload of `x`, which lies in an array"));
  }

  TEST_CASE("a pitch ends with its buffer, and normalized integers are read between elements") {
    model::KernelSpec spec = scale_spec();
    spec.device_kinds = {"cuda"};
    spec.arguments[0].extent = {expression("64")};
    model::ArgumentSpec& view = spec.arguments.emplace_back();
    view.name = "image";
    model::TextureSpec& texture = view.texture.emplace();
    texture.buffer = "x";
    texture.shape = {expression("8"), expression("1")};
    texture.pitch = expression("256");
    CHECK(is_planned(spec));
    spec.arguments.back().texture->pitch = expression("288");
    CHECK_FALSE(is_planned(spec));
    spec.arguments.back().texture->pitch = expression("32");
    spec.arguments[0].type = model::ElementType::uint8;
    spec.arguments.back().texture->kind.interpolates = true;
    CHECK_FALSE(is_planned(spec));
    spec.arguments.back().texture->kind.reads_normalized = true;
    CHECK(is_planned(spec));
    spec.arguments[0].type = model::ElementType::int32;
    CHECK_FALSE(is_planned(spec));
  }
}
