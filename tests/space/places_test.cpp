// Buffers that are variables or lie elsewhere, tensor maps and comparisons: from a spec to a plan, and what
// is identity of it.
#include <doctest/doctest.h>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

model::Problem problem_of(const model::KernelSpec& spec, std::int64_t n) {
  return make_problem(spec, {n}, std::nullopt, 0);
}

std::variant<model::Plan, Rejection> made_of(const model::KernelSpec& spec, std::int64_t n) {
  return make_plan(spec, problem_of(spec, n), model::Configuration({{"B", 32}}), {});
}

model::Plan planned(const model::KernelSpec& spec, std::int64_t n = 96) {
  const auto made = made_of(spec, n);
  if (const auto* rejection = std::get_if<Rejection>(&made)) FAIL(rejection->reason);
  return std::get<model::Plan>(made);
}

std::string refusal_of(const model::KernelSpec& spec, std::int64_t n = 96) {
  const auto made = made_of(spec, n);
  REQUIRE(std::holds_alternative<Rejection>(made));
  return std::get<Rejection>(made).reason;
}

model::Digest digest_of(const model::Plan& plan) {
  model::DigestBuilder digest;
  plan.add_to(digest);
  return digest.finish();
}

/// Whether `changed` is another kernel than `plain`, in its definition and in what its trials are.
bool is_another(const model::KernelSpec& changed, const model::KernelSpec& plain) {
  return definition_of(changed) != definition_of(plain) &&
         digest_of(planned(changed)) != digest_of(planned(plain));
}

model::KernelSpec with_symbol() {
  model::KernelSpec spec = scale_spec();
  spec.arguments[0].symbol = "space::values";
  return spec;
}

std::vector<model::Expression> expressions(std::initializer_list<const char*> texts) {
  std::vector<model::Expression> all;
  for (const char* text : texts) all.push_back(expression(text));
  return all;
}

/// scale_spec() with `map`, a tensor map over x as a matrix with 32 columns of floats.
model::KernelSpec with_map(void (*change)(model::TensorMapSpec&) = [](model::TensorMapSpec&) {}) {
  model::KernelSpec spec = scale_spec();
  spec.device_kinds = {"cuda"};
  model::ArgumentSpec& argument = spec.arguments.emplace_back();
  argument.name = "map";
  argument.where = {"k.toml", 1, 1};
  model::TensorMapSpec& map = argument.tensor.emplace();
  map.buffer = "x";
  map.shape = expressions({"32", "N / 32"});
  map.box = expressions({"B", "2"});
  change(map);
  return spec;
}

/// scale_spec() with a texture over x, of 32 floats a row unless it is linear.
model::KernelSpec with_texture(void (*change)(model::TextureSpec&) = [](model::TextureSpec&) {}) {
  model::KernelSpec spec = scale_spec();
  spec.device_kinds = {"cuda"};
  model::ArgumentSpec& argument = spec.arguments.emplace_back();
  argument.name = "image";
  argument.where = {"k.toml", 1, 1};
  model::TextureSpec& texture = argument.texture.emplace();
  texture.buffer = "x";
  texture.where = {"k.toml", 3, 11};
  texture.shape = expressions({"32", "N / 32"});
  change(texture);
  return spec;
}

/// scale_spec() whose launch is passed a surface over y alone, of two rows of 33 floats.
model::KernelSpec with_surface(void (*change)(model::TextureSpec&) = [](model::TextureSpec&) {}) {
  model::KernelSpec spec = with_texture();
  model::TextureSpec& surface = *spec.arguments.back().texture;
  spec.arguments.back().where = {"k.toml", 7, 1};
  surface.buffer = "y";
  surface.shape = expressions({"33", "2"});
  surface.kind.in_array = surface.kind.is_surface = true;
  spec.steps[0].arguments = {"image"};
  change(surface);
  return spec;
}

model::Texture surface_of(std::vector<std::int64_t> shape, std::int64_t pitch_bytes) {
  model::Texture texture = {std::move(shape), pitch_bytes};
  texture.in_array = texture.is_surface = true;
  return texture;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("a kernel is not passed its symbols, its reference is, and its binary tells where they are") {
  const model::KernelSpec spec = with_symbol();
  const model::Plan plan = planned(spec);
  CHECK(plan.buffers[0].symbol == "space::values");
  REQUIRE(plan.steps[0].operands.size() == 2);
  CHECK(plan.steps[0].operands[0].buffer == 1);
  CHECK(plan.verify.reference[0].operands[0].buffer == 0);
  const model::CompileJob job =
      kernel_job(spec, problem_of(spec, 96), model::Configuration({{"B", 32}}), "sm_90", "nvrtc 13.0");
  CHECK(job.entries == std::vector<std::string>{"scale", "&space::values"});
  CHECK(is_another(spec, scale_spec()));
}

TEST_CASE("who shares inputs does not ask where a kernel finds them, but what memory they lie in") {
  const model::Digest reference = model::DigestBuilder().add("reference").finish();
  const auto prepared = [&](const model::KernelSpec& spec) {
    return model::preparation_key(planned(spec), reference);
  };
  CHECK(prepared(with_symbol()) == prepared(scale_spec()));
  model::KernelSpec spec = scale_spec();
  spec.arguments[1].tolerance = model::Tolerance{0.1, 0, 0, 0};
  CHECK(is_another(spec, scale_spec()));
  CHECK(prepared(spec) == prepared(scale_spec()));
  spec = scale_spec();
  spec.arguments[0].memory = model::Memory::pinned;
  CHECK(is_another(spec, scale_spec()));
  CHECK(prepared(spec) != prepared(scale_spec()));
}

TEST_CASE("a symbol among a launch's arguments is a mistake") {
  model::KernelSpec spec = with_symbol();
  spec.steps[0].arguments = {"x", "y", "N"};
  const auto mistakes = validate(spec);
  REQUIRE(mistakes.size() == 1);
  CHECK(mistakes[0].message == "`x` is passed to a kernel, and is a symbol");
}

TEST_CASE("a baseline is passed a kernel's symbols like its other buffers, and no tensor maps") {
  model::KernelSpec spec = with_symbol();
  model::BaselineSpec baseline;
  baseline.name = "library";
  baseline.source = {{"library.cpp", "text"}};
  baseline.arguments = {{"x", {}}, {"y", {}}, {"N", {}}};
  spec.baselines = {baseline};
  const std::vector<model::KernelSpec> made = baselines(spec);
  REQUIRE(made.size() == 1);
  const model::Plan plan =
      std::get<model::Plan>(make_plan(made[0], problem_of(made[0], 96), model::Configuration(), {}));
  CHECK(plan.steps[0].operands.size() == 3);
  CHECK(plan.buffers[0].symbol.empty());
  spec = with_map();
  spec.baselines = {baseline};
  CHECK(baselines(spec)[0].arguments.size() == 3);
  spec.baselines[0].arguments.push_back({"map", {}});
  CHECK(validate(spec).at(0).message == "the baseline `library` takes `map`, which is a tensor map");
}

TEST_CASE("a tensor map is worked out for each configuration") {
  const model::Plan plan = planned(with_map([](model::TensorMapSpec& map) {
    map.swizzle = expression("B * 4");
    map.l2_promotion = expression("256");
  }));
  const model::Operand& operand = plan.steps[0].operands.back();
  CHECK(operand.kind == model::Operand::Kind::tensor_map);
  CHECK(operand.buffer == 0);
  CHECK(operand.type == model::ElementType::float32);
  CHECK(*operand.tensor == model::TensorMap{{32, 3}, {128}, {32, 2}, {1, 1}, 0, 128, 256, false});
  CHECK(is_another(with_map(), scale_spec()));
  CHECK(is_another(with_map(), with_map([](model::TensorMapSpec& map) { map.swizzle = expression("128"); })));
  CHECK(is_another(with_map(), with_map([](model::TensorMapSpec& map) { map.nan_outside = true; })));
}

TEST_CASE("a tensor map that no device has is left out, with the reason") {
  using Map = model::TensorMapSpec;
  CHECK(refusal_of(with_map([](Map& map) {
          map.box = expressions({"B * 16", "2"});
        })) == "tensor map `map`: box `B * 16` = 512, allowed are 1 to 256");
  CHECK(refusal_of(with_map([](Map& map) { map.strides = expressions({"132"}); })) ==
        "tensor map `map`: a stride of 132 bytes is no multiple of 16");
  CHECK(refusal_of(with_map([](Map& map) { map.strides = expressions({"1024"}); })) ==
        "tensor map `map`: it reaches over 2176 bytes, and x has 384");
  CHECK(refusal_of(with_map([](Map& map) {
          map.box = expressions({"3", "2"});
        })) == "tensor map `map`: a row of the box has 12 bytes, no multiple of 16");
  CHECK(refusal_of(with_map([](Map& map) { map.swizzle = expression("64"); })) ==
        "tensor map `map`: a row of the box has 128 bytes, more than the 64 of the swizzle");
  CHECK(refusal_of(with_map([](Map& map) { map.swizzle = expression("B + 1"); })) ==
        "tensor map `map`: swizzle `B + 1` = 33, allowed are 0, 32, 64, 128");
  CHECK(refusal_of(with_map([](Map& map) { map.interleave = expression("16"); })) ==
        "tensor map `map`: interleaving takes 3 dimensions, here are 2");
  CHECK(refusal_of(with_map([](Map& map) {
          map.element_strides = expressions({"1", "9"});
        })) == "tensor map `map`: element_strides 9, allowed are 1 to 8");
  CHECK(refusal_of(with_map(), 31) == "tensor map `map`: shape `N / 32` = 0, allowed are 1 to 4294967296");
  model::KernelSpec spec = with_map();
  spec.arguments[0].type = model::ElementType::float4;
  CHECK(refusal_of(spec) == "tensor map `map`: there are none over float4");
  spec = with_map([](Map& map) { map.nan_outside = true; });
  spec.arguments[0].type = model::ElementType::int32;
  CHECK(refusal_of(spec) == "tensor map `map`: outside = \"nan\", and int has no NaN");
}

TEST_CASE("a tensor map whose parts do not fit together is a mistake") {
  using Map = model::TensorMapSpec;
  const auto mistake = [](const model::KernelSpec& spec) { return validate(spec).at(0).message; };
  CHECK(mistake(with_map([](Map& map) { map.box = expressions({"B"}); })) ==
        "\"box\" has 1 items, and the shape 2 dimensions");
  CHECK(mistake(with_map([](Map& map) {
          map.strides = expressions({"128", "256"});
        })) == "\"strides\" has 2 items, and the shape 2 dimensions");
  CHECK(mistake(with_map([](Map& map) { map.buffer = "N"; })) == "a tensor map over `N`, which is no buffer");
  CHECK(mistake(with_map([](Map& map) { map.buffer = "z"; })) == "unknown argument `z`");
}

TEST_CASE("a run-time parameter may reach a tensor map alone") {
  model::KernelSpec spec =
      with_map([](model::TensorMapSpec& map) { map.l2_promotion = expression("PROMOTION"); });
  spec.parameters.push_back(parameter("PROMOTION", numbers({0, 128})));
  spec.parameters.back().runtime = true;
  CHECK(validate(spec).empty());
}

TEST_CASE("a texture is over a buffer where it lies, and its reading is identity") {
  using Spec = model::TextureSpec;
  const model::Plan plan = planned(with_texture([](Spec& texture) { texture.kind.interpolates = true; }));
  const model::Operand& operand = plan.steps[0].operands.back();
  CHECK(operand.kind == model::Operand::Kind::texture);
  CHECK(operand.buffer == 0);
  CHECK(*operand.texture == model::Texture{{32, 3}, 128, model::Texture::Outside::clamp, true, false, false});
  const model::KernelSpec linear = with_texture([](Spec& texture) { texture.shape.clear(); });
  CHECK(*planned(linear).steps[0].operands.back().texture == model::Texture{{96}});
  CHECK(is_another(with_texture(), scale_spec()));
  CHECK(is_another(with_texture(), linear));
  CHECK(is_another(with_texture(), with_texture([](Spec& texture) { texture.kind.interpolates = true; })));
  CHECK(is_another(with_texture(), with_texture([](Spec& texture) {
                     texture.kind.outside = model::Texture::Outside::border;
                   })));
}

TEST_CASE("a texture over nothing is told where its buffer is named") {
  const std::vector<model::Diagnostic> found =
      validate(with_texture([](model::TextureSpec& texture) { texture.buffer = "?"; }));
  REQUIRE(found.size() == 1);
  CHECK(found[0].where.line == 3);
  CHECK(found[0].message == "unknown argument `?`");
  CHECK(found[0].hint == "name the argument that the texture is over");
}

TEST_CASE("a texture that no device has is left out, with the reason") {
  using Spec = model::TextureSpec;
  CHECK(refusal_of(with_texture([](Spec& texture) {
          texture.shape = expressions({"33", "2"});
        })) == "texture `image`: a row of 132 bytes is no multiple of 32");
  CHECK(refusal_of(with_texture([](Spec& texture) { texture.pitch = expression("4 * 16"); })) ==
        "texture `image`: pitch `4 * 16` = 64, and a row has 128 bytes of 384");
  CHECK(refusal_of(with_texture([](Spec& texture) {
          texture.shape = expressions({"32", "4"});
        })) == "texture `image`: 4 rows of 128 bytes, and x has 384");
  CHECK(refusal_of(with_texture([](Spec& texture) {
          texture.shape = expressions({"N + 1", "1"});
        })) == "texture `image`: shape `N + 1` = 97, and x has 96 elements");
  CHECK(refusal_of(with_texture([](Spec& texture) { texture.kind.reads_normalized = true; })) ==
        "texture `image`: read = \"normalized\" is for integers of 8 and 16 bits, not float");
  model::KernelSpec spec = with_texture([](Spec& texture) { texture.kind.interpolates = true; });
  spec.arguments[0].type = model::ElementType::int32;
  CHECK(refusal_of(spec).find("filter = \"linear\" reads floating numbers, and int has none") !=
        std::string::npos);
  spec.arguments[0].type = model::ElementType::float64;
  CHECK(refusal_of(spec) == "texture `image`: there are none over double");
  spec.arguments[0].type = model::ElementType::float3;
  CHECK(refusal_of(spec) == "texture `image`: there are none over float3");
  spec = with_texture([](Spec& texture) { texture.buffer = "N"; });
  CHECK(validate(spec).at(0).message == "a texture over `N`, which is no buffer");
}

TEST_CASE("a surface is over an array that its buffer is copied to, and is identity") {
  using Spec = model::TextureSpec;
  const model::Plan plan = planned(with_surface());
  const model::Operand& operand = plan.steps[0].operands.front();
  CHECK(operand.kind == model::Operand::Kind::texture);
  CHECK(operand.buffer == 1);
  CHECK(*operand.texture == surface_of({33, 2}, 132));  // no pitch that pitched memory has
  const auto wider = [](Spec& surface) { surface.pitch = expression("136"); };
  CHECK(*planned(with_surface(wider)).steps[0].operands.front().texture == surface_of({33, 2}, 136));
  CHECK(is_another(with_surface(), with_surface(wider)));
  CHECK(is_another(with_surface(), scale_spec()));
  CHECK(is_another(with_texture(), with_texture([](Spec& texture) { texture.kind.in_array = true; })));
  CHECK(plan.device_bytes() == planned(scale_spec()).device_bytes() + std::int64_t{2 * 4 * 33 * 2});
}

TEST_CASE("a surface that no device has is left out, with the reason; one over other elements is a mistake") {
  using Spec = model::TextureSpec;
  CHECK(refusal_of(with_surface([](Spec& surface) {
          surface.shape = expressions({"33", "3"});
        })) == "surface `image`: 3 rows of 132 bytes, and y has 384");
  CHECK(refusal_of(with_surface([](Spec& surface) {
          surface.shape = expressions({"N - 96", "3"});
        })) == "surface `image`: shape `N - 96` = 0, and y has 96 elements");
  model::KernelSpec spec = with_surface();
  spec.arguments.push_back(spec.arguments.back());
  spec.arguments.back().name = "other";
  spec.steps[0].arguments.push_back("other");
  CHECK(planned(spec).steps[0].operands.size() == 2);
  spec.arguments.back().texture->shape = expressions({"32", "2"});
  CHECK(refusal_of(spec) == "surface `other`: y lies in an array of another shape already");
  for (const auto& [type, name] :
       {std::pair{model::ElementType::float64, "double"}, std::pair{model::ElementType::float3, "float3"}}) {
    spec = with_surface();
    spec.arguments[1].type = type;
    CHECK(validate(spec).at(0).message == std::string("a surface over `y`, of ") + name);
    CHECK(validate(spec).at(0).where.line == spec.arguments.back().texture->where.line);
  }
  spec = with_surface([](Spec& surface) { surface.buffer = "N"; });
  CHECK(validate(spec).at(0).message == "a surface over `N`, which is no buffer");
}

TEST_CASE("what lies in an array is found there alone") {
  const auto mistake = [](const model::KernelSpec& spec) { return validate(spec).at(0).message; };
  model::KernelSpec spec = with_surface();
  spec.steps[0].arguments = {"y", "image"};
  CHECK(mistake(spec) == "`y` is passed to a kernel, and `y` lies in an array");
  spec.steps[0].arguments.clear();
  CHECK(mistake(spec) == "`y` is passed to a kernel, and `y` lies in an array");
  spec = with_surface();
  spec.arguments.push_back(spec.arguments.back());
  spec.arguments.back().name = "pitched";
  spec.arguments.back().texture->kind = {};
  spec.steps[0].arguments.push_back("pitched");
  CHECK(mistake(spec) == "`pitched` is passed to a kernel, and `y` lies in an array");
  spec = with_surface();
  spec.arguments[1].symbol = "values";
  CHECK(mistake(spec) == "an array over `y`, which is a symbol");
  spec = with_texture([](model::TextureSpec& texture) { texture.kind.in_array = true; });
  CHECK(validate(spec).empty());  // nobody writes x
  model::StepSpec upload;
  upload.upload = "x";
  spec.steps.insert(spec.steps.begin(), upload);
  CHECK(mistake(spec) == "upload of `x`, which lies in an array");
}

TEST_CASE("a comparison is compiled with the reference, and may do without one") {
  model::KernelSpec spec = scale_spec();
  spec.verify->comparison = {launch("compare", {"1"}, {"B"})};
  spec.verify->comparison[0].arguments = {"y", "y.expected", "y.error", "N"};
  const model::Plan plan = planned(spec);
  REQUIRE(plan.verify.comparison.size() == 1);
  CHECK(plan.verify.comparison[0].operands[2].kind == model::Operand::Kind::error);
  CHECK(plan.has_comparison(1));
  CHECK(is_another(spec, scale_spec()));
  CHECK(reference_job(spec, problem_of(spec, 96), "sm_90", "nvrtc 13.0")->entries ==
        std::vector<std::string>{"reference", "compare"});
  spec.verify->steps.clear();
  spec.verify->comparison[0].arguments = {"y", "y.error"};
  CHECK(validate(spec).empty());
  spec.verify->second_is_exact = true;
  CHECK(validate(spec).at(0).message == "second_is_exact, and nothing writes what `y` must be equal to");
  spec.verify->comparison[0].arguments = {"y"};
  CHECK(validate(spec).at(0).message == "[verify] without a launch");
  spec = scale_spec();
  spec.verify->steps[0].arguments.push_back("y.error");
  CHECK(validate(spec).at(0).message == "step argument `y.error` outside [verify.compare]");
}

TEST_SUITE_END();
