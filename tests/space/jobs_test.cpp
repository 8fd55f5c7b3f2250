#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/space/spec_builder.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

std::string text(const std::vector<model::Macro>& macros) {
  std::string out;
  for (const model::Macro& macro : macros) out += (out.empty() ? "" : " ") + macro.name + '=' + macro.value;
  return out;
}

std::string code(const char* word) {
  return std::to_string(model::word_code(word));
}

model::KernelSpec spec_with_words() {
  model::KernelSpec spec = scale_spec();
  spec.parameters.push_back(
      parameter_when("ORDER", words({"row", "column"}), "B > 32", model::Value("none")));
  spec.parameters.push_back(parameter("CHUNK", numbers({1, 2})));
  spec.parameters.back().runtime = true;
  spec.arguments.push_back(scalar("CHUNK", model::ElementType::int32));
  spec.compile_options = {"--use_fast_math"};
  return spec;
}

model::CompileJob job(const model::KernelSpec& spec, const char* order, std::int64_t chunk,
                      model::ElementType type = model::ElementType::float32) {
  const model::Configuration configuration({{"B", 64}, {"ORDER", model::Value(order)}, {"CHUNK", chunk}});
  return compile_job(spec, make_problem(spec, {8}, type, 0), configuration, "sm_90", "nvrtc 13.0");
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("a parameter that is a constant stands above the source, and makes another binary for each value") {
  model::KernelSpec spec = scale_spec();
  spec.parameters.push_back(parameter("UNROLL", numbers({1, 4})));
  spec.parameters.back().constant = true;
  const auto made = [&](std::int64_t unroll) {
    return compile_job(spec, make_problem(spec, {8}, std::nullopt, 0),
                       model::Configuration({{"B", 32}, {"UNROLL", unroll}}), "sm_90", "nvrtc 13.0");
  };
  CHECK(made(4).source.at(0).text == "static constexpr auto UNROLL = 4;\n#line 1\nkernel text");
  CHECK(text(made(4).macros) == "B=32 ELEMENT_BYTES=4 ELEMENT_IS_INTEGER=0 ELEMENT_TYPE=float");
  CHECK(made(4).key() != made(1).key());
  model::KernelSpec macro = spec;
  macro.parameters.back().constant = false;
  CHECK(definition_of(macro) != definition_of(spec));
}

TEST_CASE("a binary has the parameters as macros, words by their codes") {
  const model::CompileJob made = job(spec_with_words(), "row", 1);
  CHECK(text(made.macros) ==
        "B=64 ELEMENT_BYTES=4 ELEMENT_IS_INTEGER=0 ELEMENT_TYPE=float ORDER=" + code("row"));
  CHECK(text(made.vocabulary) ==
        "ORDER_row=" + code("row") + " ORDER_column=" + code("column") + " ORDER_none=" + code("none"));
  CHECK(made.source.at(0).text == "kernel text");
  CHECK(made.options == std::vector<std::string>{"--use_fast_math"});
  CHECK(made.architecture == "sm_90");
  CHECK(made.compiler == "nvrtc 13.0");
  CHECK(text(job(spec_with_words(), "row", 1, model::ElementType::int32).macros)
            .starts_with("B=64 ELEMENT_BYTES=4 ELEMENT_IS_INTEGER=1 ELEMENT_TYPE=int"));
}

TEST_CASE("a spelled word is put into the source as it is") {
  model::KernelSpec spec = scale_spec();
  spec.parameters.push_back(parameter("VECTOR", words({"float", "float4", "Tile<8, 4>", "0.25"})));
  spec.parameters.back().spelled = true;
  const model::Configuration configuration({{"B", 64}, {"VECTOR", model::Value("Tile<8, 4>")}});
  const model::CompileJob made =
      compile_job(spec, make_problem(spec, {8}, std::nullopt, 0), configuration, "sm_90", "nvrtc 13.0");
  CHECK(text(made.macros) ==
        "B=64 ELEMENT_BYTES=4 ELEMENT_IS_INTEGER=0 ELEMENT_TYPE=float VECTOR=Tile<8, 4>");
  CHECK(made.vocabulary.empty());
}

TEST_CASE("macros are worked out for each configuration and problem") {
  model::KernelSpec spec = scale_spec();
  spec.derived.push_back({"ROWS", expression("N / B")});
  spec.macros = {{"ROWS", {}}};
  const auto made = [&](std::int64_t n, std::int64_t b) {
    return compile_job(spec, make_problem(spec, {n}, std::nullopt, 0), model::Configuration({{"B", b}}),
                       "sm_90", "nvrtc 13.0");
  };
  CHECK(text(made(256, 64).macros) == "B=64 ELEMENT_BYTES=4 ELEMENT_IS_INTEGER=0 ELEMENT_TYPE=float ROWS=4");
  CHECK_FALSE(made(256, 64).key() == made(512, 64).key());
  CHECK(made(256, 64).key() == made(319, 64).key());
  spec.derived.back().value = expression("N / (B - 64)");
  const auto rejected =
      make_plan(spec, make_problem(spec, {256}, std::nullopt, 0), model::Configuration({{"B", 64}}), {});
  REQUIRE(std::holds_alternative<Rejection>(rejected));
  CHECK(std::get<Rejection>(rejected).reason.find("ROWS: ") == 0);
}

TEST_CASE("compiler options may name parameters, and be there for some configurations") {
  model::KernelSpec spec = spec_with_words();
  spec.compile_options = {"--std=c++20", "--maxrregcount=${B}", "-Iinclude"};
  spec.conditional_options = {{"--use_fast_math", expression("ORDER == 'row'")},
                              {"-DCHUNKS=${B}", expression("B > 64")}};
  CHECK(job(spec, "row", 1).options ==
        std::vector<std::string>{"--std=c++20", "--maxrregcount=64", "--use_fast_math"});
  CHECK(job(spec, "column", 1).options == std::vector<std::string>{"--std=c++20", "--maxrregcount=64"});
  // The reference has no configuration, and what -I leads to is among the sources.
  CHECK(reference_job(spec, make_problem(spec, {8}, std::nullopt, 0), "sm_90", "nvrtc 13.0")->options ==
        std::vector<std::string>{"--std=c++20"});
}

TEST_CASE("a reference has of the options what its compiler and its binary know") {
  model::KernelSpec spec = scale_spec();
  spec.compile_options = {
      "-Iinclude",          "--include-path=include", "-DA=1",    "-UD",      "-std=c++20", "--std=c++20",
      "--define-macro=C=1", "--extended-lambda",      "-DX=${B}", "-lineinfo"};
  const auto problem = make_problem(spec, {8}, std::nullopt, 0);
  const auto options_of_reference = [&] { return reference_job(spec, problem, "sm_90", "nvrtc")->options; };
  const std::vector<std::string> of_language = {"-DA=1", "-UD", "-std=c++20", "--std=c++20",
                                                "--define-macro=C=1"};
  std::vector<std::string> all = of_language;
  all.insert(all.end(), {"--extended-lambda", "-lineinfo"});
  CHECK(options_of_reference() == all);
  spec.by_nvcc = true;
  CHECK(options_of_reference() == of_language);
  const auto of_kernel =
      compile_job(spec, problem, model::Configuration({{"B", 64}}), "sm_90", "nvrtc").options;
  CHECK(of_kernel == std::vector<std::string>{"-DA=1", "-UD", "-std=c++20", "--std=c++20",
                                              "--define-macro=C=1", "--extended-lambda", "-DX=64",
                                              "-lineinfo"});
}

TEST_CASE("variables are entries behind the kernels, each once, and not of the reference") {
  model::KernelSpec spec = scale_spec();
  spec.arguments[0].symbol = "values";
  spec.arguments[1].symbol = "results";
  spec.arguments.push_back(spec.arguments[0]);
  const auto problem = make_problem(spec, {8}, std::nullopt, 0);
  CHECK(kernel_job(spec, problem, model::Configuration({{"B", 64}}), "sm_90", "nvrtc").entries ==
        std::vector<std::string>{"scale", "&values", "&results"});
  CHECK(verification_job(spec, problem, "sm_90", "nvrtc")->entries == std::vector<std::string>{"reference"});
}

TEST_CASE("a placeholder is replaced wherever it stands, and one without an end by nothing") {
  CHECK(placeholders("-DX=${A}${B}") == std::vector<std::string>{"A", "B"});
  CHECK(placeholders("-DX=${A").empty());
  CHECK(placeholders("-DX=$A}").empty());
  const model::Configuration configuration({{"A", 1}, {"B", model::Value("row")}});
  CHECK(with_values("-DX=${A}${B}${A}", configuration) == "-DX=1row1");
  CHECK(with_values("-DX=${C}", configuration) == "-DX=${C}");
}

TEST_CASE("a generator without a reference is compiled from its own source alone") {
  model::KernelSpec spec = scale_spec();
  spec.verify.reset();
  const auto problem = make_problem(spec, {8}, std::nullopt, 0);
  CHECK(verification_source(spec).empty());
  spec.generator.emplace().source = {{"generate.cu", "text"}, {"common.cuh", "shared"}};
  spec.generator->steps = {launch("generate", {"1"}, {"1"})};
  const auto job = verification_job(spec, problem, "sm_90", "nvrtc");
  REQUIRE(job);
  REQUIRE(job->source.size() == 3);
  CHECK(job->source[0].text == "#include \"generate.cu\"\n");
  CHECK(job->source[2].text == "shared");
  CHECK(job->entries == std::vector<std::string>{"generate"});
  CHECK(job->architecture == "sm_90");
  CHECK(job->compiler == "nvrtc");
}

TEST_CASE("nvcc makes another binary than NVRTC, and leaves the reference to it") {
  model::KernelSpec spec = spec_with_words();
  spec.compile_options = {"--std=c++20", "--extended-lambda", "-DWIDE=4", "-Iinclude"};
  const model::CompileJob usual = job(spec, "row", 1);
  const auto reference = [&] {
    return *reference_job(spec, make_problem(spec, {8}, std::nullopt, 0), "sm_90", "nvrtc 13.0");
  };
  CHECK_FALSE(usual.by_nvcc);
  spec.by_nvcc = true;
  const model::CompileJob by_nvcc = job(spec, "row", 1);
  CHECK(by_nvcc.by_nvcc);
  CHECK(by_nvcc.options == std::vector<std::string>{"--std=c++20", "--extended-lambda", "-DWIDE=4"});
  CHECK_FALSE(by_nvcc.key() == usual.key());
  CHECK_FALSE(reference().by_nvcc);
  CHECK(reference().options == std::vector<std::string>{"--std=c++20", "-DWIDE=4"});
  spec.compile_options = {"--std=c++20", "-DWIDE=4"};
  const model::Digest shared = reference().key();
  spec.by_nvcc = false;
  CHECK(reference().key() == shared);
}

TEST_CASE("all that decides how a kernel is launched and compiled is part of its definition") {
  const auto of = [](void (*change)(model::KernelSpec&)) {
    model::KernelSpec spec = scale_spec();
    change(spec);
    return definition_of(spec).hex();
  };
  const std::vector<std::string> definitions = {
      of([](auto&) {}),
      of([](auto& spec) { spec.steps[0].cooperative = expression("1"); }),
      of([](auto& spec) { spec.steps[0].cluster = {expression("2")}; }),
      of([](auto& spec) { spec.steps[0].shared_carveout_percent = expression("50"); }),
      of([](auto& spec) { spec.steps[0].repeat = expression("2"); }),
      of([](auto& spec) { spec.steps[0].repeat = expression("3"); }),
      of([](auto& spec) { spec.arguments[1].restore = true; }),
      of([](auto& spec) { spec.parameters[0].spelled = true; }),
      of([](auto& spec) { spec.by_nvcc = true; }),
      of([](auto& spec) {
        spec.macros = {{"length", {}}};
      }),
      of([](auto& spec) {
        spec.conditional_options = {{"-G", expression("B > 32")}};
      }),
      of([](auto& spec) {
        spec.conditional_options = {{"-G", expression("B > 64")}};
      })};
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    CAPTURE(i);
    CHECK(std::count(definitions.begin(), definitions.end(), definitions[i]) == 1);
  }
}

TEST_CASE("run-time parameters share a binary, others do not") {
  CHECK(job(spec_with_words(), "row", 1).key() == job(spec_with_words(), "row", 2).key());
  CHECK_FALSE(job(spec_with_words(), "row", 1).key() == job(spec_with_words(), "column", 1).key());
}

TEST_CASE("the order of parameters and of their values changes no binary") {
  model::KernelSpec moved = spec_with_words();
  std::reverse(moved.parameters.begin(), moved.parameters.end());
  std::reverse(moved.parameters[1].values.begin(), moved.parameters[1].values.end());
  CHECK(job(moved, "row", 1).key() == job(spec_with_words(), "row", 1).key());
}

TEST_CASE("the size changes no binary") {
  const model::KernelSpec spec = scale_spec();
  const model::Configuration configuration({{"B", 64}});
  const auto key = [&](std::int64_t n) {
    return compile_job(spec, make_problem(spec, {n}, std::nullopt, 0), configuration, "sm_90", "nvrtc 13.0")
        .key();
  };
  CHECK(key(8) == key(4096));
}

TEST_CASE("entries are those of the launches, each once") {
  model::KernelSpec spec = scale_spec();
  spec.steps = {launch("b", {"1"}, {"1"}), upload("x"), launch("a", {"1"}, {"1"}), launch("b", {"1"}, {"1"})};
  const auto made =
      compile_job(spec, make_problem(spec, {8}, std::nullopt, 0), model::Configuration({{"B", 64}}), "", "");
  CHECK(made.entries == std::vector<std::string>{"b", "a"});
}

namespace {

model::KernelSpec spec_with_call(const std::string& library) {
  model::KernelSpec spec = scale_spec();
  spec.library = {{"calls.cpp", library}};
  model::StepSpec& call = spec.steps.emplace_back();
  call.entry = "product";
  call.calls = true;
  call.arguments = {"x", "N", "B"};
  return spec;
}

}  // namespace

TEST_CASE("what steps call is compiled beside the kernels, once for all configurations") {
  const model::KernelSpec spec = spec_with_call("host text");
  REQUIRE(validate(spec).empty());
  const model::Problem problem = make_problem(spec, {8}, std::nullopt, 0);
  const auto of = [&](const model::KernelSpec& kernel, std::int64_t block) {
    return compile_job(kernel, problem, model::Configuration({{"B", block}}), "sm_90", "nvrtc 13.0");
  };
  const model::CompileJob made = of(spec, 64);
  CHECK_FALSE(made.host_library);
  CHECK(made.entries == of(scale_spec(), 64).entries);
  REQUIRE(made.library.size() == 1);
  const model::CompileJob& library = made.library.front();
  CHECK(library.host_library);
  CHECK(library.entries == std::vector<std::string>{"product"});
  CHECK(text(library.macros) == text(element_macros(problem.type)) + " TUNER_ON_CPU=0");
  CHECK(library.key() == of(spec, 32).library.front().key());
  // Another library is another binary, and another kernel.
  CHECK(made.key() != of(scale_spec(), 64).key());
  CHECK(made.key() != of(spec_with_call("other text"), 64).key());
  CHECK(definition_of(spec) != definition_of(spec_with_call("other text")));
}

TEST_CASE("a call is passed buffers and values, and its workspace is one") {
  model::KernelSpec spec = spec_with_call("host text");
  spec.arguments.push_back(buffer("scratch", model::Access::workspace, {"2 * N"}));
  spec.steps.back().workspace = "scratch";
  REQUIRE(validate(spec).empty());
  const auto made =
      make_plan(spec, make_problem(spec, {8}, std::nullopt, 0), model::Configuration({{"B", 64}}), {});
  REQUIRE(std::holds_alternative<model::Plan>(made));
  const auto& plan = std::get<model::Plan>(made);
  const model::Step& call = plan.steps.back();
  CHECK(call.kind == model::Step::Kind::call);
  REQUIRE(call.operands.size() == 3);
  CHECK(plan.buffers.at(static_cast<std::size_t>(call.operands[0].buffer)).name == "x");
  CHECK(call.operands[1].integer == 8);
  CHECK(call.operands[2].integer == 64);
  CHECK(plan.buffers.at(static_cast<std::size_t>(call.buffer)).name == "scratch");
  spec.steps.back().workspace = "x";
  const auto mistakes = validate(spec);
  REQUIRE(mistakes.size() == 1);
  CHECK(mistakes.front().message == "`x` is no workspace");
}

TEST_CASE("the reference's binary depends on the element type alone") {
  model::KernelSpec spec = scale_spec();
  const auto made =
      reference_job(spec, make_problem(spec, {8}, model::ElementType::int32, 0), "sm_90", "nvrtc 13.0");
  REQUIRE(made.has_value());
  CHECK(text(made->macros) == "ELEMENT_BYTES=4 ELEMENT_IS_INTEGER=1 ELEMENT_TYPE=int");
  CHECK(made->source.at(0).text == "reference text");
  CHECK(made->entries == std::vector<std::string>{"reference"});
  spec.verify.reset();
  CHECK_FALSE(
      reference_job(spec, make_problem(spec, {8}, std::nullopt, 0), "sm_90", "nvrtc 13.0").has_value());
}

TEST_CASE("a configuration that leaves a parameter out has no binary") {
  const model::KernelSpec spec = scale_spec();
  CHECK_THROWS_WITH_AS(
      compile_job(spec, make_problem(spec, {8}, std::nullopt, 0), model::Configuration(), "", ""),
      doctest::Contains("`B`"), model::UsageError);
}

TEST_SUITE_END();
