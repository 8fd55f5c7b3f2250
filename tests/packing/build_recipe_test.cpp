// The printed flags alone make nvcc compile every kernel that is shipped, and every example.
#include "tuner/packing/build_recipe.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "config/kernel_file.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/run_program.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;

namespace {

const std::string root = TUNER_SOURCE_DIR;

/// As a sweep on an H100 would have recorded it.
model::TrialRecord recorded(const model::KernelSpec& spec, const model::Configuration& configuration) {
  const space::KernelSpace space(spec);
  model::TrialRecord trial;
  trial.kernel = spec.name;
  trial.configuration = configuration;
  trial.problem = space::make_problem(spec, {1024}, std::nullopt, 0);
  trial.environment.toolkit = "nvrtc 13.0";
  trial.environment.type = trial.problem.type;
  trial.binary_key = space.compile_job(trial.problem, configuration, "sm_90", "nvrtc 13.0").key();
  return trial;
}

/// The first, and the last of the first thousand: with other words.
std::vector<model::Configuration> two_of(const model::KernelSpec& spec) {
  std::vector<model::Configuration> found;
  int seen = 0;
  space::KernelSpace(spec).enumerate(space::make_problem(spec, {1024}, std::nullopt, 0),
                                     device::cuda::known_device("sm_90")->limits,
                                     [&](const model::Configuration& one) {
                                       if (found.size() > 1) found.pop_back();
                                       found.push_back(one);
                                       return ++seen < 1000;
                                     });
  return found;
}

test::ProgramResult in_shell(const std::string& command) {
  return test::run_program({"/bin/sh", "-c", command}, {{"PATH", std::getenv("PATH")}}, root);
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// What the compiler makes of each name, by lines `@NAME@VALUE`.
std::string probe_of(const model::CompileJob& job) {
  std::string text;
  for (const auto* macros : {&job.vocabulary, &job.macros})
    for (const model::Macro& macro : *macros) text += fmt::format("\"{0}\"@{0}@\n", macro.name);
  return text;
}

}  // namespace

TEST_SUITE("build recipe") {
  TEST_CASE("a shell and CMake read what the flags say") {
    packing::BuildRecipe recipe;
    recipe.kernel = "two words";
    recipe.macros = {{"TYPE", "unsigned int"}, {"TILE", "Tile<8, 4>"}, {"LIST", "a;b"}};
    recipe.options = {"-arch=sm_90a", "-std=c++17", "--use_fast_math"};
    recipe.includes = {"-Ifolder"};
    recipe.arguments = {{"CHUNK", model::Value(4)}};
    const test::TemporaryFolder folder;
    test::write_text(folder / "best.env", packing::build_env(recipe));
    const auto shell =
        in_shell(". " + folder / "best.env" + "; echo \"$TUNER_KERNEL|$TUNER_FLAGS|$TUNER_ARGUMENTS\"");
    CHECK(shell.out == "two words|" + packing::build_flags(recipe) + "|CHUNK=4\n");
    test::write_text(folder / "best.cmake", packing::build_cmake(recipe));
    test::write_text(
        folder / "show.cmake",
        "include(best.cmake)\nforeach(one IN LISTS TUNER_DEFINITIONS TUNER_OPTIONS TUNER_ARCHITECTURE "
        "TUNER_STANDARD TUNER_ARGUMENTS)\nmessage(\"${one}\")\nendforeach()\n");
    const auto cmake = in_shell("cd " + folder.path() + " && cmake -P show.cmake");
    CHECK(cmake.err ==
          "TUNER_KERNEL=two words\nTYPE=unsigned int\nTILE=Tile<8\\, "
          "4>\nLIST=a;b\n--use_fast_math\n-Ifolder\n90a\n17\n"
          "CHUNK=4\n");
  }

  TEST_CASE("a parameter that is a constant is a macro of the flags, and a constant of the header") {
    config::LoadedKernels loaded = config::load_kernel_folder(root + "/kernels/textbook");
    for (model::KernelSpec& spec : loaded.kernels) {
      const auto found = std::find_if(spec.parameters.begin(), spec.parameters.end(), [](const auto& one) {
        return !one.runtime && !one.spelled && !one.values.empty() && !one.values.front().is_word();
      });
      if (found == spec.parameters.end()) continue;
      found->constant = true;
      const model::Configuration configuration = two_of(spec).front();
      const packing::BuildRecipe recipe = packing::build_recipe(recorded(spec, configuration), spec, "sm_90");
      CHECK(recipe.doubt.empty());
      const std::string value = configuration.find(found->name)->text();
      CHECK(contains(packing::build_flags(recipe), fmt::format(" -D{}={}", found->name, value)));
      const std::string header = packing::build_defines(recipe);
      CHECK(contains(header, fmt::format("static constexpr auto {} = {};\n", found->name, value)));
      CHECK_FALSE(contains(header, fmt::format("#define {} ", found->name)));
      return;
    }
    FAIL("no kernel has a parameter of numbers");
  }

  TEST_CASE("a constant that is a sum is one value as a macro, and one word") {
    packing::BuildRecipe recipe;
    recipe.kernel = "k";
    recipe.constants = {{"SUM", "1.5f + 2.0f"}, {"TILE", "8"}};
    CHECK(packing::build_flags(recipe) == "-DTUNER_KERNEL=k -DSUM=(1.5f/**/+/**/2.0f) -DTILE=8");
    CHECK(contains(packing::build_cmake(recipe), "[[SUM=(1.5f + 2.0f)]]\n  [[TILE=8]]"));
    CHECK(contains(packing::build_defines(recipe), "static constexpr auto SUM = 1.5f + 2.0f;\n"));
  }

  TEST_CASE("macros that follow the size are of the size that was asked for") {
    model::KernelSpec spec = config::load_kernel_file(root + "/kernels/matmul/naive.toml").kernels.front();
    spec.derived.push_back({"ROWS", {spec.sizes.front(), {}}});
    spec.macros.push_back({"ROWS", {}});
    const model::TrialRecord trial = recorded(spec, two_of(spec).front());
    CHECK(contains(packing::build_flags(packing::build_recipe(trial, spec, "sm_90")), " -DROWS=1024 "));
    const model::Problem asked = space::make_problem(spec, {640}, std::nullopt, 0);
    const packing::BuildRecipe recipe = packing::build_recipe(trial, spec, "sm_90", asked);
    CHECK(contains(packing::build_flags(recipe), " -DROWS=640 "));
    CHECK(recipe.doubt.empty());
    CHECK(contains(packing::build_recipe(trial, std::nullopt, "sm_90", asked).doubt,
                   "what follows the size is of 1024"));
  }

  TEST_CASE("the printed flags alone build every kernel, and define what was measured") {
    std::string why_not;
    const auto nvcc = compile::host::find_nvcc(why_not);
    if (!nvcc) {
      MESSAGE("no nvcc here: " << why_not);
      return;
    }
    const test::TemporaryFolder folder;
    int built = 0;
    for (const char* specs : {"/kernels", "/examples"}) {
      const config::LoadedKernels loaded = config::load_kernel_folder(root + specs);
      REQUIRE(loaded.mistakes.empty());
      for (const model::KernelSpec& spec : loaded.kernels) {
        const std::vector<model::Configuration> configurations = two_of(spec);
        for (const model::Configuration& configuration : configurations) {
          CAPTURE(spec.path);
          const model::TrialRecord trial = recorded(spec, configuration);
          packing::BuildRecipe recipe = packing::build_recipe(trial, spec, "sm_90");
          CHECK(recipe.doubt.empty());
          recipe.includes = config::include_options(spec.path);
          const std::string flags = packing::build_flags(recipe);
          CAPTURE(flags);
          test::write_text(folder / "flags", flags);
          const std::filesystem::path source =
              std::filesystem::path(spec.path).parent_path() / spec.source.front().name;
          const std::string nvcc_with_flags = *nvcc + " $(cat " + (folder / "flags") + ") ";
          if (&configuration == &configurations.back()) {  // compiling takes seconds: once a kernel
            const auto compiled =
                in_shell(nvcc_with_flags + "-ptx -fdevice-syntax-only -o /dev/null " + source.string());
            CHECK_MESSAGE(compiled.exit_code == 0, compiled.out, compiled.err);
          }
          const auto job =
              space::KernelSpace(spec).compile_job(trial.problem, configuration, "sm_90", "nvrtc 13.0");
          test::write_text(folder / "probe.cu", probe_of(job));
          const std::string seen =
              without_blanks(in_shell(nvcc_with_flags + "-E " + (folder / "probe.cu")).out);
          for (const auto* macros : {&job.vocabulary, &job.macros}) {
            for (const model::Macro& macro : *macros) {
              CHECK_MESSAGE(
                  contains(seen, without_blanks(fmt::format("\"{}\"@{}@\n", macro.name, macro.value))),
                  macro.name, " is not ", macro.value);
            }
          }
          ++built;
        }
      }
    }
    CHECK(built > 60);
  }

  TEST_CASE("values with blanks and commas reach nvcc through a shell that splits and takes no quotes away") {
    packing::BuildRecipe recipe;
    recipe.kernel = "k";
    recipe.macros = {{"TILE", "Tile<8, 4>"}, {"INDEX", "unsigned  long long"}, {"N", "(2 << 3) + 1"}};
    recipe.options = {"--use_fast_math"};
    recipe.includes = {"-Ikernels/matmul"};
    const std::string flags = packing::build_flags(recipe);
    CHECK(
        flags ==
        R"(-DTUNER_KERNEL=k -DTILE=Tile<8\,/**/4> -DINDEX=unsigned/**/long/**/long -DN=(2/**/<</**/3)/**/+/**/1 )"
        "--use_fast_math -Ikernels/matmul");
    recipe.macros = {{"NAME", "\"two words\""}};
    recipe.includes = {"-Itwo words"};
    CHECK_THROWS_AS(packing::build_flags(recipe), model::Error);
    CHECK(packing::build_words(recipe) ==
          "-DTUNER_KERNEL=k '-DNAME=\"two words\"' --use_fast_math '-Itwo words'");
    CHECK(contains(packing::build_defines(recipe), "#define NAME \"two words\"\n"));
    std::string why_not;
    const auto nvcc = compile::host::find_nvcc(why_not);
    if (!nvcc) return;
    const test::TemporaryFolder folder;
    test::write_text(folder / "flags", flags);
    test::write_text(folder / "k.cu",
                     "template <int A, int B> struct Tile { static constexpr int product = A * B; };\n"
                     "static_assert(TILE::product == 32 && N == 17 && sizeof(INDEX) == 8);\n"
                     "__global__ void TUNER_KERNEL(INDEX* x) { *x = TILE::product; }\n");
    const auto built =
        in_shell(*nvcc + " $(cat " + (folder / "flags") + ") -ptx -o /dev/null " + (folder / "k.cu"));
    CHECK_MESSAGE(built.exit_code == 0, built.err);
  }

  TEST_CASE("options reach nvcc as they are, or not at all") {
    packing::BuildRecipe recipe;
    recipe.kernel = "k";
    recipe.options = {"-DLIST=7,USE", "-DSUM=1 + 2", "-Xptxas=-v,-O2", "-std=gnu++17"};
    CHECK(packing::build_flags(recipe) ==
          "-DTUNER_KERNEL=k -DLIST=7\\,USE -DSUM=1/**/+/**/2 -Xptxas=-v,-O2 -std=gnu++17");
    const std::string cmake = packing::build_cmake(recipe);
    CHECK(contains(cmake, "set(TUNER_STANDARD\n  [[17]])\n"));
    CHECK(contains(cmake, "\n  [[-DLIST=7\\,USE]]\n  [[-DSUM=1 + 2]]\n  [[-Xptxas=-v,-O2]])\n"));
    for (const char* taken : {"-DTEXT=\"$HOME\"", "-DTEXT=`date`", "-Ia$b", "-Xptxas=\\x"}) {
      CAPTURE(taken);
      recipe.options = {taken};
      CHECK_THROWS_AS(packing::build_flags(recipe), model::Error);
      CHECK_THROWS_AS(packing::build_cmake(recipe), model::Error);
    }
    try {
      packing::build_flags(recipe);
    } catch (const model::Error& error) {
      CHECK(error.hint() == "--format header names the options in a comment");
    }
    config::LoadedKernels loaded = config::load_kernel_file(root + "/kernels/matmul/naive.toml");
    model::KernelSpec& spec = loaded.kernels.front();
    for (const char* option : {"-D A=1", "--define-macro=B=1,2", "-UC", "--undefine-macro=D"})
      spec.compile_options.emplace_back(option);
    const model::TrialRecord trial = recorded(spec, two_of(spec).front());
    CHECK(contains(packing::build_flags(packing::build_recipe(trial, spec, "sm_90")),
                   "-DA=1 -DB=1\\,2 -UC -UD"));
  }

  TEST_CASE("run-time parameters are arguments and no macros; all words have their codes") {
    const config::LoadedKernels loaded = config::load_kernel_file(root + "/kernels/matmul/naive.toml");
    REQUIRE(loaded.kernels.size() == 1);
    model::KernelSpec spec = loaded.kernels.front();
    const model::TrialRecord trial = recorded(spec, two_of(spec).front());
    const packing::BuildRecipe recipe = packing::build_recipe(trial, spec, "sm_90");
    CHECK(recipe.doubt.empty());
    const std::string flags = packing::build_flags(recipe);
    for (const char* word : {"row", "column", "block"})
      CHECK(contains(flags, fmt::format("-DPARTITION_{}={}", word, model::word_code(word))));
    CHECK(contains(flags, "-DELEMENT_TYPE=float"));
    CHECK_FALSE(contains(flags, "-DTILES="));
    CHECK(contains(packing::arguments_text(recipe), "TILES="));

    spec.source.front().text += "\n// edited\n";
    CHECK(contains(packing::build_recipe(trial, spec, "sm_90").doubt, "has changed since this was measured"));

    const packing::BuildRecipe alone = packing::build_recipe(trial, std::nullopt, "sm_90");
    CHECK(contains(alone.doubt, "the spec of naive is not at hand"));
    CHECK(contains(packing::build_flags(alone), "-DELEMENT_TYPE=float"));
    CHECK(contains(packing::build_defines(alone), "// doubtful: the spec of naive is not at hand"));
  }

  TEST_CASE(
      "without a spec a trial tells what it knows of spelled words and of macros worked out from others") {
    const auto word = [](const char* text) { return model::Value(std::string(text)); };
    model::TrialRecord trial;
    trial.kernel = "k";
    trial.configuration = model::Configuration({{"ELEMENT", word("float4")},
                                                {"CUTOFF", word("0.5")},
                                                {"ORDER", word("row")},
                                                {"TILE", model::Value(8)}});
    trial.macros = model::Configuration({{"ELEMENT", word("float4")}, {"ROWS", word("16")}});
    const packing::BuildRecipe recipe = packing::build_recipe(trial, std::nullopt, "");
    const std::string header = packing::build_defines(recipe);
    CHECK(contains(header, "#define TUNER_KERNEL k\n"));
    CHECK(contains(header, "#define ELEMENT float4\n#define CUTOFF 0.5\n"));
    CHECK_FALSE(contains(header, "ELEMENT_float4"));
    CHECK(contains(header, "#define ORDER ORDER_row\n"));
    CHECK(contains(header, "#define TILE 8\n#define ROWS 16\n"));
    CHECK(contains(packing::build_flags(recipe), "-DTILE=8 -DROWS=16"));
    CHECK(contains(packing::build_flags(recipe), "-DCUTOFF=0.5 -DORDER_row="));
  }
}
