// Inits with expressions, files, generators and judgements, from a spec to a plan; and what is identity of
// it.
#include <doctest/doctest.h>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;
using model::Init;

namespace {

std::variant<model::Plan, Rejection> try_plan(const model::KernelSpec& spec, std::int64_t n) {
  return make_plan(spec, make_problem(spec, {n}, std::nullopt, 0), model::Configuration({{"B", 32}}), {});
}

model::Plan plan_of(const model::KernelSpec& spec, std::int64_t n = 100) {
  const auto made = try_plan(spec, n);
  if (const auto* rejection = std::get_if<Rejection>(&made)) FAIL(rejection->reason);
  return std::get<model::Plan>(made);
}

std::string rejection_of(const model::KernelSpec& spec, std::int64_t n = 100) {
  const auto made = try_plan(spec, n);
  REQUIRE(std::holds_alternative<Rejection>(made));
  return std::get<Rejection>(made).reason;
}

/// scale_spec() whose input is filled so.
model::KernelSpec filled_with(Init::Kind kind, std::vector<std::string> numbers,
                              model::ElementType type = model::ElementType::float32) {
  model::KernelSpec spec = scale_spec();
  spec.arguments[0].type = type;
  model::InitRule& rule = spec.arguments[0].init.usual;
  rule.kind = kind;
  for (std::string& number : numbers) rule.expressions.push_back(expression(std::move(number)));
  return spec;
}

model::KernelSpec from_file(std::int64_t elements, std::vector<std::int64_t> shape,
                            const std::string& contents = "a") {
  model::KernelSpec spec = scale_spec();
  model::InitRule& rule = spec.arguments[0].init.usual;
  rule.kind = Init::Kind::file;
  rule.contents = {"/data/x.npy", model::DigestBuilder().add(contents).finish(), 128,
                   model::ElementType::float32, elements};
  rule.shape = std::move(shape);
  return spec;
}

model::Digest key_of(const model::Plan& plan) {
  model::DigestBuilder digest;
  plan.add_to(digest);
  return digest.finish();
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("the numbers of an init may depend on the problem") {
  CHECK(
      plan_of(filled_with(Init::Kind::integers, {"0", "N - 1"}, model::ElementType::int32)).buffers[0].init ==
      Init{Init::Kind::integers, 0, 99});
  CHECK(plan_of(filled_with(Init::Kind::integers, {"N / -3", "N / 3 - 1"}, model::ElementType::int32))
            .buffers[0]
            .init == Init{Init::Kind::integers, -33, 32});
  CHECK(plan_of(filled_with(Init::Kind::sparse, {"1.0 / N", "-1", "1"})).buffers[0].init ==
        Init{Init::Kind::sparse, -1, 1, 0.01});
  CHECK(rejection_of(filled_with(Init::Kind::integers, {"N", "0"}, model::ElementType::int32)) ==
        "init of `x`: integers(100, 0) holds no whole range; two whole numbers, the smaller first");
  CHECK(
      rejection_of(filled_with(Init::Kind::integers, {"0", "N"}, model::ElementType::int8), 200) ==
      "init of `x`: elements of type signed char cannot hold these numbers: whole numbers from -128 to 127");
}

TEST_CASE("a permutation and sorted numbers know how many there are") {
  model::KernelSpec spec = filled_with(Init::Kind::permutation, {}, model::ElementType::int32);
  CHECK(plan_of(spec).buffers[0].init == Init{Init::Kind::permutation, 0, 0, 100});
  spec.arguments[0].type = model::ElementType::int2;
  CHECK(plan_of(spec).buffers[0].init.c == 200);
  spec.arguments[0].type = model::ElementType::uint8;
  CHECK(rejection_of(spec, 257).find("unsigned char cannot hold") != std::string::npos);
  CHECK(plan_of(spec, 256).buffers[0].init.c == 256);
}

TEST_CASE("what counts up ends where its type does") {
  model::KernelSpec spec = filled_with(Init::Kind::iota, {}, model::ElementType::int16);
  spec.arguments[0].init.usual.b = 100;
  CHECK(plan_of(spec, 328).buffers[0].init == Init{Init::Kind::iota, 0, 100});
  CHECK(rejection_of(spec, 329).find("short cannot hold") != std::string::npos);
}

TEST_CASE("a file has to hold the buffer, in its shape where it has one") {
  CHECK(plan_of(from_file(100, {})).buffers[0].file.first_byte == 128);
  CHECK(plan_of(from_file(100, {100})).buffers[0].file.elements == 100);
  CHECK(rejection_of(from_file(99, {99})) == "`x` is 100, and its file /data/x.npy holds 99");
  CHECK(rejection_of(from_file(100, {10, 10})) == "`x` is 100, and its file /data/x.npy holds 10 x 10");
  model::KernelSpec vectors = from_file(200, {100, 2});
  vectors.arguments[0].type = model::ElementType::float2;
  CHECK(plan_of(vectors).buffers[0].bytes() == 800);
}

TEST_CASE("each problem takes the file of its sizes, and all of them are the spec's") {
  const auto with_files = [](const std::vector<std::int64_t>& sizes) {
    model::KernelSpec spec = from_file(0, {});
    model::InitRule& rule = spec.arguments[0].init.usual;
    rule.contents.path = "x.{N}.npy";
    for (const std::int64_t size : sizes) {
      rule.of_sizes.push_back(from_file(size, {size}, "a").arguments[0].init.usual);
      rule.of_sizes.back().sizes["N"] = size;
    }
    return spec;
  };
  CHECK(plan_of(with_files({7, 100}), 100).buffers[0].file.elements == 100);
  CHECK(plan_of(with_files({7, 100}), 7).buffers[0].file.elements == 7);
  CHECK(rejection_of(with_files({7, 100}), 8) == "there is no x.{N}.npy for 8");
  CHECK(definition_of(with_files({7, 100})) != definition_of(with_files({7})));
}

TEST_CASE("what a file holds is identity, where it lies is not") {
  const auto keys = [](const model::KernelSpec& spec) {
    return std::pair(key_of(plan_of(spec)), definition_of(spec));
  };
  model::KernelSpec moved = from_file(100, {});
  moved.arguments[0].init.usual.contents.path = "/elsewhere";
  CHECK(keys(moved) == keys(from_file(100, {})));
  CHECK(keys(from_file(100, {}, "b")).first != keys(from_file(100, {})).first);
  CHECK(keys(from_file(100, {}, "b")).second != keys(from_file(100, {})).second);
}

TEST_CASE("a vector by value has a number for each component") {
  model::KernelSpec spec = scale_spec();
  spec.arguments.push_back(scalar("v", model::ElementType::float2));
  spec.arguments.back().components = {expression("N / 8"), expression("0.5")};
  CHECK(plan_of(spec).steps[0].operands[3].reals == std::vector<double>{12.5, 0.5});
  spec.arguments.back().components.clear();
  spec.arguments.back().value = expression("3");
  CHECK(plan_of(spec).steps[0].operands[3].real == 3);
  spec.arguments.back().type = model::ElementType::uchar4;
  spec.arguments.back().components = {expression("1"), expression("2"), expression("3"), expression("N * 3")};
  CHECK(rejection_of(spec) == "argument `v` has `N * 3` = 300, more than its type uchar4 holds");
}

TEST_CASE("a generator gets its draw's seed, and shares the reference's binary") {
  model::KernelSpec spec = filled_with(Init::Kind::generated, {});
  model::GeneratorSpec& generator = spec.generator.emplace();
  generator.source = {{"inputs.cu", "fill text"}, {"common.cuh", "shared text"}};
  generator.steps = {launch("fill", {"1"}, {"1"})};
  generator.steps[0].arguments = {"x", "seed", "length"};
  spec.verify->source.push_back({"common.cuh", "shared text"});
  const model::Plan made = plan_of(spec);
  REQUIRE(made.generator.size() == 1);
  CHECK(made.generator[0].operands[1].kind == model::Operand::Kind::seed);
  CHECK(made.generator[0].operands[2].integer == 100);
  const auto job = reference_job(spec, make_problem(spec, {100}, std::nullopt, 0), "sm_90", "nvrtc 13.0");
  REQUIRE(job);
  CHECK(job->entries == std::vector<std::string>{"reference", "fill"});
  REQUIRE(job->source.size() == 4);
  CHECK(job->source[0].text == "#include \"inputs.cu\"\n#include \"reference.cu\"\n");
  CHECK(definition_of(spec) != definition_of(filled_with(Init::Kind::generated, {})));
  generator.steps[0].arguments = {"seed"};
  CHECK(validate(spec).at(0).message == "nothing generates `x`");
}

TEST_CASE("how results are judged is identity, and shared by a problem's configurations") {
  const model::KernelSpec plain = scale_spec();
  const auto differs = [&](const model::KernelSpec& changed) {
    return definition_of(changed) != definition_of(plain) &&
           key_of(plan_of(changed)) != key_of(plan_of(plain));
  };
  model::KernelSpec changed = plain;
  changed.verify->tolerance.ulps = 2;
  CHECK(differs(changed));
  changed = plain;
  changed.verify->accumulator = model::ElementType::float64;
  CHECK(differs(changed));
  changed = plain;
  changed.arguments[1].ignores_unwritten = true;
  CHECK(differs(changed));
  changed = plain;
  changed.arguments[1].unordered = expression("N");
  CHECK(differs(changed));
  CHECK(plan_of(changed).buffers[1].unordered_within == 100);
  changed.arguments[1].unordered = expression("N - 100");
  CHECK(rejection_of(changed) == "unordered `N - 100` = 0 of `y` is no number of elements");
  changed = plain;
  changed.unverified = true;
  CHECK(definition_of(changed) == definition_of(plain));
}

TEST_CASE("identities of specs that use nothing new are what they were") {
  CHECK(definition_of(scale_spec()).hex() == "86aad78dd6d6e475a77aa35b0f9d7310");
  CHECK(spec_digest(scale_spec()).hex() == "d4e4b60858ea9147f8b357e614f46851");
  CHECK(key_of(plan_of(scale_spec())).hex() == "6f58885a785d0c150a0482b758138fb9");
}

TEST_SUITE_END();
