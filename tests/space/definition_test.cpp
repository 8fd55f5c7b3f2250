// What makes two kernels the same: a part that a definition forgets is a result remembered for what its spec
// no longer says.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

using Spec = model::KernelSpec;
using Change = void (*)(Spec&);

/// scale_spec() with all there is, whether or not one spec can have all at once.
Spec full_spec() {
  Spec spec = scale_spec();
  spec.compile_options = {"-O3", "-G"};
  spec.conditional_options = {{"-lineinfo", expression("B > 32")}};
  spec.by_nvcc = true;
  spec.macros = {{"length", {}}};
  spec.constraints = {expression("B > 1")};
  spec.device_kinds = {"cuda"};
  spec.parameters.push_back(parameter_when("P", numbers({1, 2}), "B > 32", 7));
  spec.parameters.back().runtime = true;

  model::ArgumentSpec& argument = spec.arguments[1];
  argument.init.usual = {model::Init::Kind::sparse, -1, 1};
  argument.init.usual.c = 0.5;
  argument.init.usual.expressions = {expression("N")};
  argument.init.usual.contents = {"a.bin", model::DigestBuilder().add("a").finish(), 0,
                                  model::ElementType::int8, 12};
  argument.init.usual.shape = {3, 4};
  argument.init.by_type[model::ElementType::int32] = {model::Init::Kind::integers, 1, 2};
  argument.second_init.emplace().usual = {model::Init::Kind::uniform, 0, 1};
  argument.value = expression("N");
  argument.restore = true;
  argument.components = {expression("1"), expression("2")};
  argument.ignores_unwritten = true;
  argument.unordered = expression("N");
  argument.expected = argument.init.usual;
  argument.tolerance = model::Tolerance{1, 2, 3, 0.5};
  argument.symbol = "variable";
  argument.memory = model::Memory::pinned;
  argument.field_length = 3;
  argument.structure = model::StructLayout{"Pair", 8, {0, 4}};
  model::TensorMapSpec& map = argument.tensor.emplace();
  map.buffer = "x";
  map.shape = {expression("32"), expression("N")};
  map.strides = {expression("128")};
  map.box = {expression("8"), expression("8")};
  map.element_strides = {expression("1"), expression("1")};
  map.interleave = map.swizzle = map.l2_promotion = expression("32");
  model::TextureSpec& texture = argument.texture.emplace();
  texture.buffer = "x";
  texture.shape = {expression("32"), expression("N")};
  texture.pitch = expression("128");
  texture.kind.in_array = true;

  model::StepSpec& step = spec.steps[0];
  step.dynamic_shared_bytes = step.overlap = step.cooperative = step.shared_carveout_percent = step.repeat =
      step.first = step.count = step.when = expression("N");
  step.cluster = {expression("2")};
  step.repeat_steps = 2;
  step.arguments = {"x", "y"};
  step.upload = "x";
  step.stream = 1;
  step.after = {0};
  step.calls = true;
  step.workspace = "w";

  spec.verify->accumulator = model::ElementType::float32;
  spec.verify->tolerance = {1, 2, 3, 0.5};
  spec.verify->second_is_exact = true;
  spec.verify->comparison = {launch("compare", {"1"}, {"B"})};
  spec.generator.emplace();
  spec.generator->source = {{"generate.cu", "text"}};
  spec.generator->steps = {launch("generate", {"1"}, {"B"})};
  return spec;
}

model::ArgumentSpec& argument(Spec& spec) {
  return spec.arguments[1];
}

/// Expects each change to give a digest of its own.
void check_told_apart(const std::vector<Change>& changes, model::Digest (*digest_of)(const Spec&)) {
  std::vector<model::Digest> found = {digest_of(full_spec())};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Spec spec = full_spec();
    changes[i](spec);
    CAPTURE(i);
    CHECK(std::find(found.begin(), found.end(), digest_of(spec)) == found.end());
    found.push_back(digest_of(spec));
  }
}

const auto other = expression("N + 1");

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("sources, names, options and parameters are part of a definition, each") {
  check_told_apart({
                       [](Spec& s) { s.source[0].name = "other.cu"; },
                       [](Spec& s) { s.source[0].text = "other"; },
                       [](Spec& s) { s.sizes[0] = "M"; },
                       [](Spec& s) { s.sizes.push_back("M"); },
                       [](Spec& s) { s.row_padding = "PADDING"; },
                       [](Spec& s) { s.deterministic = false; },
                       [](Spec& s) { s.compile_options[1] = "-g"; },
                       [](Spec& s) { s.compile_options.pop_back(); },
                       [](Spec& s) { s.conditional_options[0].text = "-g"; },
                       [](Spec& s) { s.conditional_options[0].when = other; },
                       [](Spec& s) { s.conditional_options.clear(); },
                       [](Spec& s) { s.by_nvcc = false; },
                       [](Spec& s) { s.macros[0].name = "other"; },
                       [](Spec& s) { s.macros.clear(); },
                       [](Spec& s) { s.derived[0].name = "other"; },
                       [](Spec& s) { s.derived[0].value = other; },
                       [](Spec& s) { s.parameters[0].name = "other"; },
                       [](Spec& s) { s.parameters.pop_back(); },
                       [](Spec& s) { s.parameters[1].runtime = false; },
                       [](Spec& s) { s.parameters[1].spelled = true; },
                       [](Spec& s) { s.parameters[1].when = other; },
                       [](Spec& s) { s.parameters[1].when.reset(); },
                       [](Spec& s) { s.parameters[1].otherwise = 8; },
                       [](Spec& s) { s.parameters[1].otherwise = model::Value("8"); },
                   },
                   definition_of);
}

TEST_CASE("all that an argument is and holds is part of a definition") {
  check_told_apart(
      {
          [](Spec& s) { argument(s).name = "z"; },
          [](Spec& s) { argument(s).type = model::ElementType::float64; },
          [](Spec& s) { argument(s).type = model::ElementType::float32; },
          [](Spec& s) { argument(s).pointer = false; },
          [](Spec& s) { argument(s).access = model::Access::inout; },
          [](Spec& s) { argument(s).extent[0] = other; },
          [](Spec& s) { argument(s).extent.push_back(other); },
          [](Spec& s) { argument(s).init.usual.kind = model::Init::Kind::uniform; },
          [](Spec& s) { argument(s).init.usual.a = -2; },
          [](Spec& s) { argument(s).init.usual.b = 2; },
          [](Spec& s) { argument(s).init.usual.c = 0.25; },
          [](Spec& s) { argument(s).init.usual.expressions[0] = other; },
          [](Spec& s) { argument(s).init.usual.contents.digest = {}; },
          [](Spec& s) { argument(s).init.usual.contents.type = model::ElementType::uint8; },
          [](Spec& s) {
            argument(s).init.usual.shape = {4, 3};
          },
          [](Spec& s) { argument(s).init.usual.shape.clear(); },
          [](Spec& s) { argument(s).init.by_type[model::ElementType::int32].b = 3; },
          [](Spec& s) { argument(s).init.by_type.clear(); },
          [](Spec& s) {
            argument(s).init.by_type.clear();
            argument(s).init.by_type[model::ElementType::int8] = {model::Init::Kind::integers, 1, 2};
          },
          [](Spec& s) { argument(s).second_init->usual.b = 3; },
          [](Spec& s) { argument(s).second_init.reset(); },
          [](Spec& s) { argument(s).value = other; },
          [](Spec& s) { argument(s).value.reset(); },
          [](Spec& s) { argument(s).restore = false; },
          [](Spec& s) { argument(s).components[1] = other; },
          [](Spec& s) { argument(s).components.clear(); },
          [](Spec& s) { argument(s).ignores_unwritten = false; },
          [](Spec& s) { argument(s).unordered = other; },
          [](Spec& s) { argument(s).unordered.reset(); },
          [](Spec& s) { argument(s).expected->contents.digest = {}; },
          [](Spec& s) { argument(s).expected.reset(); },
          [](Spec& s) { argument(s).tolerance->absolute = 9; },
          [](Spec& s) { argument(s).tolerance->relative = 9; },
          [](Spec& s) { argument(s).tolerance->ulps = 9; },
          [](Spec& s) { argument(s).tolerance->share = 0.25; },
          [](Spec& s) { argument(s).tolerance.reset(); },
          [](Spec& s) { argument(s).symbol = "other"; },
          [](Spec& s) { argument(s).symbol.clear(); },
          [](Spec& s) { argument(s).memory = model::Memory::managed; },
          [](Spec& s) { argument(s).memory = model::Memory::device; },
          [](Spec& s) { argument(s).field_length = 4; },
          [](Spec& s) { argument(s).field_length = 0; },
          [](Spec& s) { argument(s).structure->bytes = 16; },
          [](Spec& s) { argument(s).structure->offsets[1] = 8; },
          [](Spec& s) { argument(s).structure.reset(); },
      },
      definition_of);
}

TEST_CASE("all that a tensor map and a texture are is part of a definition") {
  check_told_apart({
                       [](Spec& s) { argument(s).tensor->buffer = "z"; },
                       [](Spec& s) { argument(s).tensor->shape[1] = other; },
                       [](Spec& s) { argument(s).tensor->strides[0] = other; },
                       [](Spec& s) { argument(s).tensor->box[1] = other; },
                       [](Spec& s) { argument(s).tensor->element_strides[1] = other; },
                       [](Spec& s) { argument(s).tensor->interleave = other; },
                       [](Spec& s) { argument(s).tensor->swizzle = other; },
                       [](Spec& s) { argument(s).tensor->l2_promotion = other; },
                       [](Spec& s) { argument(s).tensor->interleave.reset(); },
                       [](Spec& s) { argument(s).tensor->nan_outside = true; },
                       [](Spec& s) { argument(s).tensor.reset(); },
                       [](Spec& s) { argument(s).texture->buffer = "z"; },
                       [](Spec& s) { argument(s).texture->shape[1] = other; },
                       [](Spec& s) { argument(s).texture->pitch = other; },
                       [](Spec& s) { argument(s).texture->kind.outside = model::Texture::Outside::wrap; },
                       [](Spec& s) { argument(s).texture->kind.interpolates = true; },
                       [](Spec& s) { argument(s).texture->kind.reads_normalized = true; },
                       [](Spec& s) { argument(s).texture->kind.normalized_coordinates = true; },
                       [](Spec& s) { argument(s).texture->kind.in_array = false; },
                       [](Spec& s) { argument(s).texture->kind.is_surface = true; },
                       [](Spec& s) { argument(s).texture.reset(); },
                   },
                   definition_of);
}

TEST_CASE("all that a step is, and all that says what is right, is part of a definition") {
  check_told_apart({
                       [](Spec& s) { s.steps[0].entry = "other"; },
                       [](Spec& s) { s.steps[0].upload = "y"; },
                       [](Spec& s) { s.steps[0].stream = 2; },
                       [](Spec& s) { s.steps[0].grid[0] = other; },
                       [](Spec& s) { s.steps[0].block[0] = other; },
                       [](Spec& s) { s.steps[0].dynamic_shared_bytes = other; },
                       [](Spec& s) { s.steps[0].arguments[1] = "z"; },
                       [](Spec& s) { s.steps[0].first = other; },
                       [](Spec& s) { s.steps[0].count = other; },
                       [](Spec& s) { s.steps[0].after = {1}; },
                       [](Spec& s) { s.steps[0].when = other; },
                       [](Spec& s) { s.steps[0].calls = false; },
                       [](Spec& s) { s.steps[0].workspace = "other"; },
                       [](Spec& s) { s.steps[0].overlap = other; },
                       [](Spec& s) { s.steps[0].cooperative = other; },
                       [](Spec& s) { s.steps[0].cluster[0] = other; },
                       [](Spec& s) { s.steps[0].shared_carveout_percent = other; },
                       [](Spec& s) { s.steps[0].repeat = other; },
                       [](Spec& s) { s.steps[0].repeat_steps = 3; },
                       [](Spec& s) { s.steps.push_back(s.steps[0]); },
                       [](Spec& s) { s.verify->source[0].text = "other"; },
                       [](Spec& s) { s.verify->second_is_exact = false; },
                       [](Spec& s) { s.verify->steps[0].entry = "other"; },
                       [](Spec& s) { s.verify->rounding_terms = other; },
                       [](Spec& s) { s.verify->accumulator = model::ElementType::float64; },
                       [](Spec& s) { s.verify->accumulator.reset(); },
                       [](Spec& s) { s.verify->comparison[0].entry = "other"; },
                       [](Spec& s) { s.verify->tolerance.share = 0.25; },
                       [](Spec& s) { s.verify.reset(); },
                       [](Spec& s) { s.generator->source[0].text = "other"; },
                       [](Spec& s) { s.generator->steps[0].entry = "other"; },
                       [](Spec& s) { s.generator.reset(); },
                   },
                   definition_of);
}

TEST_CASE("what selects configurations is part of a spec's identity, and of no definition") {
  const std::vector<Change> changes = {
      [](Spec& s) { s.role = model::Role::ceiling; },
      [](Spec& s) {
        s.parameters[1].values = numbers({2, 1});
      },
      [](Spec& s) { s.parameters[1].values.pop_back(); },
      [](Spec& s) { s.constraints[0] = other; },
      [](Spec& s) { s.constraints.clear(); },
      [](Spec& s) { s.types.pop_back(); },
      [](Spec& s) { s.device_kinds = {"cpu"}; },
      [](Spec& s) { s.device_kinds.clear(); },
  };
  check_told_apart(changes, spec_digest);
  check_told_apart({[](Spec& s) { s.steps[0].grid[0] = other; }}, spec_digest);
  for (const Change change : changes) {
    Spec spec = full_spec();
    change(spec);
    CHECK(definition_of(spec) == definition_of(full_spec()));
  }
}

TEST_CASE("what merely describes a kernel, and blanks, are part of no identity") {
  Spec spec = full_spec();
  spec.description = "other";
  spec.path = "/elsewhere/k.toml";
  spec.metrics.clear();
  spec.workload.bytes = other;
  spec.counted = {{"dram__bytes_read.sum", {}}};
  spec.defaults = {{"B", 64}};
  spec.steps[0].grid[0].text = " ceil_div ( N,\tB )\n";
  spec.arguments[1].init.usual.contents.path = "b.bin";
  CHECK(definition_of(spec) == definition_of(full_spec()));
  CHECK(spec_digest(spec) == spec_digest(full_spec()));
}

TEST_CASE("identities of specs that use everything stay what they were") {
  // Recorded: what is remembered of such a kernel would be another kernel's.
  CHECK(definition_of(full_spec()).hex() == "4a36fce6adaebf7a522e12de855faf0e");
  CHECK(spec_digest(full_spec()).hex() == "a852f7e095248ff55e4fa5a5c82d62dd");
}

TEST_SUITE_END();
