#include <doctest/doctest.h>

#include <functional>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

TEST_SUITE("tuner::space, baselines") {
  namespace {

  /// The scale spec with a workspace that every tile size has its own of, and a library that has one too.
  model::KernelSpec spec_with_library() {
    model::KernelSpec spec = scale_spec();
    spec.derived.push_back({"tiles", expression("ceil_div(N, B)")});
    spec.arguments.insert(spec.arguments.begin() + 1, buffer("partial", model::Access::workspace, {"tiles"}));
    model::BaselineSpec library;
    library.name = "libscale";
    library.description = "one call";
    library.source = {{"libscale.cpp", "host text"}};
    library.arguments = {{"x", {}}, {"y", {}}, {"N", {}}, {"length", {}}};
    library.workspace_bytes = expression("1 << 10");
    library.rounding_terms = expression("2 * N");
    library.types = {model::ElementType::float32};
    library.device_kinds = {"cuda"};
    library.where = {"k.toml", 7, 3};
    spec.baselines = {library};
    return spec;
  }

  model::Plan plan_of(const model::KernelSpec& spec, std::vector<model::Assignment> configuration) {
    const model::Problem problem = make_problem(spec, {100}, std::nullopt, 3);
    const auto plan = make_plan(spec, problem, model::Configuration(std::move(configuration)), {});
    REQUIRE(std::holds_alternative<model::Plan>(plan));
    return std::get<model::Plan>(plan);
  }

  /// The one mistake of a spec.
  model::Diagnostic mistake(const model::KernelSpec& spec) {
    const auto found = validate(spec);
    REQUIRE(found.size() == 1);
    return found.front();
  }

  }  // namespace

  TEST_CASE("a baseline is a kernel of one call, with the kernel's inputs and its own bound") {
    const model::KernelSpec spec = spec_with_library();
    REQUIRE(validate(spec).empty());
    const auto all = baselines(spec);
    REQUIRE(all.size() == 1);
    const model::KernelSpec& library = all.front();
    CHECK(validate(library).empty());
    CHECK(library.name == "libscale");
    CHECK(library.family == spec.family);
    CHECK(library.role == model::Role::baseline);
    CHECK(library.parameters.empty());
    CHECK(library.device_kinds == std::vector<std::string>{"cuda"});

    const model::Plan plan = plan_of(library, {});
    REQUIRE(plan.steps.size() == 1);
    const model::Step& call = plan.steps.front();
    CHECK(call.kind == model::Step::Kind::call);
    CHECK(call.entry == "tuner_baseline");
    REQUIRE(call.operands.size() == 4);
    CHECK(plan.buffers.at(static_cast<std::size_t>(call.operands[1].buffer)).name == "y");
    CHECK(call.operands[2].integer == 100);
    CHECK(call.operands[3].integer == 103);
    CHECK(plan.buffers.at(static_cast<std::size_t>(call.buffer)).elements == 1024);
    CHECK(plan.verify.rounding_terms == 200);
    CHECK(plan.calls_library());
  }

  TEST_CASE("a baseline's inputs and reference are its kernel's, whatever workspaces either has") {
    const model::KernelSpec spec = spec_with_library();
    const model::Plan of_library = plan_of(baselines(spec).front(), {});
    for (const std::int64_t tile : {32, 64}) {
      const model::Plan of_kernel = plan_of(spec, {{"B", tile}});
      CHECK(model::preparation_key(of_library, {}) == model::preparation_key(of_kernel, {}));
    }
    model::KernelSpec other = spec;
    other.arguments[0].init.usual = {model::Init::Kind::constant, 1, 0};
    CHECK(model::preparation_key(plan_of(other, {{"B", 32}}), {}) != model::preparation_key(of_library, {}));
    const model::Problem problem = make_problem(spec, {100}, std::nullopt, 0);
    CHECK(reference_job(spec, problem, "sm_90", "nvrtc")->key() ==
          reference_job(baselines(spec).front(), problem, "sm_90", "nvrtc")->key());
  }

  TEST_CASE("a baseline is compiled for the host, from its own source and without the kernel's options") {
    model::KernelSpec spec = spec_with_library();
    spec.compile_options = {"--use_fast_math"};
    const model::KernelSpec library = baselines(spec).front();
    const model::Problem problem = make_problem(spec, {100}, std::nullopt, 0);
    const model::CompileJob job = compile_job(library, problem, model::Configuration(), "sm_90", "nvrtc");
    CHECK(job.host_library);
    CHECK(job.options.empty());
    CHECK(job.entries == std::vector<std::string>{"tuner_baseline"});
    model::CompileJob kernel = job;
    kernel.host_library = false;
    CHECK(kernel.key() != job.key());
  }

  TEST_CASE("options that are tuned are the kernel's alone") {
    model::KernelSpec spec = spec_with_library();
    spec.compile_options = {"--maxrregcount=${B}", "-DWIDE=4"};
    REQUIRE(validate(spec).empty());
    const model::KernelSpec library = baselines(spec).front();
    for (const model::Diagnostic& mistake : validate(library)) FAIL_CHECK(mistake.message);
    const model::Problem problem = make_problem(spec, {100}, std::nullopt, 0);
    CHECK(reference_job(spec, problem, "sm_90", "nvrtc")->key() ==
          reference_job(library, problem, "sm_90", "nvrtc")->key());
  }

  TEST_CASE("a baseline has of its kernel what is not its own") {
    model::KernelSpec spec = spec_with_library();
    spec.path = "/specs/k.toml";
    spec.compile_options = {"-DWIDE=4"};
    spec.by_nvcc = true;
    spec.unverified = true;
    spec.generator.emplace().source = {{"generate.cu", "text"}};
    spec.generator->steps = {launch("generate", {"1"}, {"1"})};
    spec.generator->steps[0].arguments = {"x", "seed"};
    spec.workload.bytes = expression("8 * N");
    spec.metrics.push_back({"of a parameter", expression("B / time_ns")});
    spec.arguments[0].symbol = "values";
    spec.arguments.push_back(scalar("B", model::ElementType::int32));
    spec.constraints = {expression("B > 1")};
    const model::KernelSpec library = baselines(spec).front();
    CHECK(library.path == "/specs/k.toml");
    CHECK(library.description == "one call");
    CHECK(library.source.at(0).text == "host text");
    CHECK(library.sizes == spec.sizes);
    CHECK(library.types == std::vector<model::ElementType>{model::ElementType::float32});
    CHECK(library.row_padding == "PAD");
    CHECK(library.compile_options.at(0).text == "-DWIDE=4");
    CHECK(library.by_nvcc);
    CHECK(library.unverified);
    CHECK_FALSE(library.deterministic);
    CHECK(library.generator);
    REQUIRE(library.verify);
    CHECK(library.verify->rounding_terms.text == "2 * N");
    CHECK(library.workload.bytes);
    REQUIRE(library.metrics.size() == 1);
    CHECK(library.metrics[0].name == "GFLOP/s");
    CHECK(library.constraints.empty());
    REQUIRE(library.derived.size() == 1);
    CHECK(library.derived[0].name == "length");
    std::string names;
    for (const model::ArgumentSpec& argument : library.arguments) {
      CHECK(argument.symbol.empty());
      names += argument.name + ' ';
    }
    CHECK(names == "x partial y N the library's workspace ");
    spec.baselines[0].types.clear();
    spec.baselines[0].rounding_terms.reset();
    spec.baselines[0].workspace_bytes.reset();
    const model::KernelSpec usual = baselines(spec).front();
    CHECK(usual.types == spec.types);
    CHECK(usual.verify->rounding_terms.text == "1");
    CHECK(usual.arguments.size() == 4);
    CHECK(usual.steps.at(0).workspace.empty());
  }

  TEST_CASE("naming libraries changes nothing of what the kernel itself has measured") {
    model::KernelSpec without = spec_with_library();
    without.baselines.clear();
    const KernelSpace with_library(spec_with_library());
    CHECK(with_library.definition() == KernelSpace(without).definition());
    CHECK(with_library.spec_digest() == KernelSpace(without).spec_digest());
  }

  TEST_CASE("what a library cannot be passed is told where it stands") {
    model::KernelSpec spec = spec_with_library();
    model::BaselineSpec& library = spec.baselines.front();
    SUBCASE("a name that is nowhere") {
      library.arguments.push_back({"lenght", {"k.toml", 9, 20}});
      CHECK(mistake(spec).where.column == 20);
      CHECK(mistake(spec).message.find("`lenght`, which is no argument") != std::string::npos);
      CHECK(mistake(spec).hint.find("length") != std::string::npos);
    }
    SUBCASE("a buffer of a parameter") {
      library.arguments.push_back({"partial", {"k.toml", 9, 20}});
      CHECK(mistake(spec).message.find("`partial`, which depends on a parameter") != std::string::npos);
    }
    SUBCASE("a parameter, itself or through a derived value") {
      library.arguments.push_back({"B", {"k.toml", 9, 20}});
      CHECK(mistake(spec).where.line == 9);
      library.arguments.back().name = "tiles";
      CHECK(mistake(spec).message.find("depends on a parameter") != std::string::npos);
    }
    SUBCASE("a workspace or a bound of a parameter") {
      library.workspace_bytes = expression("4 * B", 11, 19);
      CHECK(mistake(spec).where.line == 11);
      library.workspace_bytes.reset();
      library.rounding_terms = expression("tiles", 12, 19);
      CHECK(mistake(spec).message.find("\"rounding_terms\" of the baseline") != std::string::npos);
    }
    SUBCASE("a mistake inside an expression") {
      library.workspace_bytes = expression("64 <<< 20", 11, 19);
      CHECK(mistake(spec).where.line == 11);
    }
    SUBCASE("no output") {
      library.arguments = {{"x", {}}};
      CHECK(mistake(spec).where.line == 7);
      CHECK(mistake(spec).message.find("does not get the output `y`") != std::string::npos);
    }
    SUBCASE("a course of the reference by a parameter") {
      library.arguments = {{"x", {}}, {"y", {}}};
      const auto told = [&](const std::function<void(model::StepSpec&)>& edit) {
        model::KernelSpec other = spec;
        edit(other.verify->steps[0]);
        const model::Diagnostic found = mistake(other);
        return found.where.line == 14 && found.message.find("has no part in it") != std::string::npos;
      };
      CHECK(told([](model::StepSpec& step) { step.repeat = expression("B", 14, 2); }));
      CHECK(told([](model::StepSpec& step) { step.when = expression("B > 8", 14, 2); }));
      CHECK(told([](model::StepSpec& step) { step.cooperative = expression("B > 8", 14, 2); }));
      CHECK(told([](model::StepSpec& step) { step.cluster = {expression("B", 14, 2)}; }));
    }
    SUBCASE("a launch of the reference, of a generator or of a comparison by a parameter") {
      library.arguments = {{"x", {}}, {"y", {}}};
      for (const int part : {0, 1, 2}) {
        CAPTURE(part);
        model::KernelSpec other = spec;
        if (part == 0) other.verify->steps[0].grid = {expression("B", 14, 2)};
        if (part == 1) {
          other.verify->comparison = {launch("compare", {"1"}, {"1"})};
          other.verify->comparison[0].arguments = {"y", "y.error"};
          other.verify->comparison[0].block = {expression("B", 14, 2)};
        }
        if (part == 2) {
          other.generator.emplace().source = {{"generate.cu", "text"}};
          other.generator->steps = {launch("generate", {"1"}, {"1"})};
          other.generator->steps[0].arguments = {"x", "seed"};
          other.generator->steps[0].dynamic_shared_bytes = expression("B", 14, 2);
        }
        CHECK(mistake(other).where.line == 14);
        CHECK(mistake(other).message.find("has no part in it") != std::string::npos);
      }
    }
    SUBCASE("a number that the reference is passed by a parameter") {
      library.arguments = {{"x", {}}, {"y", {}}};
      model::KernelSpec named = spec;
      named.verify->steps[0].arguments.push_back("B");
      CHECK(mistake(named).message.find("has no part in it") != std::string::npos);
      spec.arguments.insert(spec.arguments.begin(), scalar("S", model::ElementType::int32, "B"));
      spec.verify->steps[0].arguments.push_back("S");
      CHECK(mistake(spec).message.find("has no part in it") != std::string::npos);
    }
    SUBCASE("a bound of the kernel's own by a parameter, unless the library has one") {
      spec.verify->rounding_terms = expression("B", 15, 2);
      CHECK(validate(spec).empty());
      library.rounding_terms.reset();
      CHECK(mistake(spec).where.line == 15);
    }
    SUBCASE("a type that the kernel does not offer") {
      library.types = {model::ElementType::float64};
      CHECK(mistake(spec).message.find("offers double") != std::string::npos);
    }
    SUBCASE("inputs that are others for each configuration") {
      library.arguments.erase(library.arguments.begin());  // which would be told as well
      spec.arguments[0].extent = {expression("tiles * B", 13, 5)};
      CHECK(mistake(spec).where.line == 13);
      CHECK(mistake(spec).message.find("has no part in it") != std::string::npos);
    }
  }
}
