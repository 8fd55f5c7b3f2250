#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "config/kernel_file.hpp"
#include "config/mistakes.hpp"
#include "tests/config/spec_texts.hpp"

using tuner::model::Access;
using tuner::model::ElementType;
using tuner::model::Init;
using tuner::model::KernelSpec;
using tuner::model::Value;

namespace {

KernelSpec load_good(std::string_view text) {
  config::LoadedKernels loaded = spec_texts::load(text);
  INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.mistakes.empty());
  REQUIRE(loaded.kernels.size() == 1);
  return loaded.kernels[0];
}

std::vector<Value> numbers(std::initializer_list<std::int64_t> list) {
  return {list.begin(), list.end()};
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("a spec is read whole") {
  const KernelSpec spec = load_good(spec_texts::good);
  CHECK(spec.name == "vector_add");
  CHECK(spec.family == "vectors");
  CHECK(spec.description == "one element a thread");
  CHECK(spec.path == "shipped:k.toml");
  REQUIRE(spec.source.size() == 1);
  CHECK(spec.source[0].name == "k.cu");
  CHECK(spec.source[0].text == "__global__ void vector_add() {}\n");
  CHECK(spec.sizes == std::vector<std::string>{"N"});
  CHECK(spec.types == std::vector{ElementType::float32, ElementType::int32});
  CHECK(spec.row_padding == "PAD");
  CHECK(spec.deterministic);
  REQUIRE(spec.defaults.size() == 1);
  CHECK(spec.defaults[0].name == "BLOCK");
  CHECK(spec.defaults[0].value == Value(128));
  REQUIRE(spec.constraints.size() == 1);
  CHECK(spec.constraints[0].text == "BLOCK <= max_threads_per_block");
  REQUIRE(spec.derived.size() == 1);
  CHECK(spec.derived[0].name == "total");
  REQUIRE(spec.parameters.size() == 2);
  CHECK(spec.parameters[0].values == numbers({64, 128, 256}));
  CHECK(spec.parameters[1].values == std::vector{Value("up"), Value("down")});
  REQUIRE(spec.steps.size() == 1);
  CHECK(spec.steps[0].entry == "vector_add");
  CHECK(spec.steps[0].block.size() == 1);
  REQUIRE(spec.arguments.size() == 3);
  CHECK(spec.arguments[0].pointer);
  CHECK(!spec.arguments[0].type);
  CHECK(spec.arguments[0].init.for_type(ElementType::float32) == Init{Init::Kind::uniform, -1, 1});
  CHECK(spec.arguments[0].init.for_type(ElementType::int32) == Init{Init::Kind::integers, -8, 8});
  CHECK(spec.arguments[1].access == Access::out);
  CHECK(spec.arguments[1].init.usual == Init{});
  CHECK(!spec.arguments[2].pointer);
  CHECK(spec.arguments[2].type == ElementType::int32);
  CHECK(!spec.arguments[2].value);
  REQUIRE(spec.verify);
  CHECK(spec.verify->rounding_terms.text == "1");
  CHECK(spec.verify->source[0].name == "reference.cu");
  CHECK(spec.verify->steps[0].arguments[1] == "C.expected");
  REQUIRE(spec.metrics.size() == 1);
  CHECK(spec.metrics[0].name == "GB/s");
}

TEST_CASE("what a spec leaves out has a default") {
  const KernelSpec spec = load_good(R"(verify = "none"
[kernel]
name = "k"
source = "k.cu"
entry = "k"
sizes = ["N"]
[launch]
block = 32
grid = 1
)");
  CHECK(spec.family == "k");
  CHECK(spec.types == std::vector{ElementType::float32});
  CHECK(spec.deterministic);
  CHECK(spec.device_kinds.empty());
  CHECK(spec.row_padding.empty());
  CHECK(!spec.verify);
  CHECK(spec.unverified);
  CHECK(spec.steps[0].block[0].text == "32");
}

TEST_CASE("parameters, derived values and metrics keep the order they are written in") {
  std::string text = spec_texts::with("ORDER = [\"up\", \"down\"]", "ZEBRA = [1]\nALPHA = [1]\nMIDDLE = [1]");
  text += "\"zeta\" = \"1.0 * N\"\n\"alpha\" = \"1.0 * N\"\n";
  text.replace(text.find("total = "), 0, "zz = \"N\"\naa = \"N\"\n");
  const KernelSpec spec = load_good(text);
  std::string order;
  for (const auto& parameter : spec.parameters) order += parameter.name + " ";
  for (const auto& derived : spec.derived) order += derived.name + " ";
  for (const auto& metric : spec.metrics) order += metric.name + " ";
  CHECK(order == "BLOCK ZEBRA ALPHA MIDDLE zz aa total GB/s zeta alpha ");
}

TEST_CASE("an expression's place is the first character inside its quotes") {
  const KernelSpec spec = load_good(spec_texts::good);
  const auto position = spec_texts::position_of(spec_texts::good, "ceil_div(N, BLOCK)");
  CHECK(spec.steps[0].grid[0].where.line == position.line);
  CHECK(spec.steps[0].grid[0].where.column == position.column);
}

TEST_CASE("an expression in triple quotes begins where its text does") {
  const KernelSpec spec = load_good(
      spec_texts::with("grid = [\"ceil_div(N, BLOCK)\"]", "grid = \"\"\"\nceil_div(N, BLOCK)\"\"\""));
  const auto line = spec_texts::position_of(spec_texts::good, "grid").line;
  CHECK(spec.steps[0].grid[0].where.line == line + 1);
  CHECK(spec.steps[0].grid[0].where.column == 1);
  const KernelSpec same_line =
      load_good(spec_texts::with("grid = [\"ceil_div(N, BLOCK)\"]", "grid = \"\"\"ceil_div(N, BLOCK)\"\"\""));
  CHECK(same_line.steps[0].grid[0].where.line == line);
  CHECK(same_line.steps[0].grid[0].where.column == 11);  // behind `grid = """`
}

TEST_CASE("ranges multiply or step") {
  const KernelSpec spec = load_good(spec_texts::with("ORDER = [\"up\", \"down\"]",
                                                     "DOUBLES = { from = 8, to = 100, times = 2 }\n"
                                                     "STEPS = { from = 0, to = 32, step = 8 }"));
  CHECK(spec.parameters[1].values == numbers({8, 16, 32, 64}));
  CHECK(spec.parameters[2].values == numbers({0, 8, 16, 24, 32}));
}

TEST_CASE("a parameter may exist under a condition and be passed at run time") {
  std::string text = spec_texts::with("ORDER = [\"up\", \"down\"]",
                                      "ORDER = [\"up\", \"down\"]\nREPEAT = { values = [1, 2], when = "
                                      "\"ORDER == 'up'\", otherwise = 1, runtime = true }");
  text.replace(text.find("[verify]"), 0, "[[arguments]]\nname = \"REPEAT\"\ntype = \"int\"\n\n");
  const KernelSpec spec = load_good(text);
  const auto& repeat = spec.parameters[2];
  CHECK(repeat.runtime);
  REQUIRE(repeat.when);
  CHECK(repeat.when->text == "ORDER == 'up'");
  CHECK(repeat.otherwise == Value(1));
}

TEST_CASE("several launches run in order, with uploads, streams and workspaces") {
  std::string text =
      spec_texts::with("[launch]\nblock = [\"BLOCK\"]\ngrid = [\"ceil_div(N, BLOCK)\"]\n", R"toml([[launch]]
upload = "A"
first = 0
count = "N"
stream = 1

[[launch]]
block = ["BLOCK", 1, 1]
grid = ["ceil_div(N, BLOCK)", 1]
dynamic_shared_bytes = "BLOCK * ELEMENT_BYTES"
overlap = "BLOCK > 64"
arguments = ["A", "partial", "N"]
after = [0]

[[launch]]
entry = "reduce<float>"
block = 32
grid = 1
when = "N > BLOCK"
)toml");
  text.replace(
      text.find("[[arguments]]\nname = \"N\""), 0,
      "[[arguments]]\nname = \"partial\"\ntype = \"double *\"\naccess = \"workspace\"\nextent = \"N\"\n\n");
  const KernelSpec spec = load_good(text);
  REQUIRE(spec.steps.size() == 3);
  CHECK(spec.steps[0].upload == "A");
  CHECK(spec.steps[0].entry.empty());
  CHECK(spec.steps[0].stream == 1);
  CHECK(spec.steps[0].count->text == "N");
  CHECK(spec.steps[1].entry == "vector_add");
  CHECK(spec.steps[1].arguments == std::vector<std::string>{"A", "partial", "N"});
  CHECK(spec.steps[1].after == std::vector{0});
  CHECK(spec.steps[1].dynamic_shared_bytes->text == "BLOCK * ELEMENT_BYTES");
  CHECK(spec.steps[1].overlap->text == "BLOCK > 64");
  CHECK(spec.steps[2].entry == "reduce<float>");
  CHECK(spec.steps[2].when->text == "N > BLOCK");
  CHECK(spec.arguments[2].type == ElementType::float64);
  CHECK(spec.arguments[2].access == Access::workspace);
}

TEST_CASE("a scalar may have a value of its own, a fraction where its type has them") {
  std::string text{spec_texts::good};
  text.replace(text.find("[verify]"), 0,
               "[[arguments]]\nname = \"alpha\"\ntype = \"float\"\nvalue = 0.5\n\n"
               "[[arguments]]\nname = \"twice\"\ntype = \"long long\"\nvalue = \"2 * N\"\n\n");
  const KernelSpec spec = load_good(text);
  CHECK(spec.arguments[3].value->text == "0.5");
  CHECK(spec.arguments[4].value->text == "2 * N");
}

TEST_CASE("a second input set may be of another kind, for some types, and exact") {
  const std::string_view init = "init = { float = \"uniform(-1, 1)\", int = \"integers(-8, 8)\" }";
  std::string text = spec_texts::with("rounding_terms = 1", "rounding_terms = 1\nsecond_is_exact = true");
  text.replace(text.find(init), init.size(),
               std::string(init) + "\nsecond_init = { float = \"odd_integers(4097, 8191)\" }");
  const KernelSpec spec = load_good(text);
  CHECK(spec.verify->second_is_exact);
  REQUIRE(spec.arguments[0].second_init);
  CHECK(spec.arguments[0].second_init->for_type(ElementType::float32) ==
        Init{Init::Kind::odd_integers, 4097, 8191});
  CHECK(spec.arguments[0].second_init->for_type(ElementType::int32) == Init{});
  CHECK_FALSE(spec.arguments[1].second_init);
  const KernelSpec all_types =
      load_good(spec_texts::with(init, std::string(init) + "\nsecond_init = \"signs(2048)\""));
  CHECK(all_types.arguments[0].second_init->for_type(ElementType::int32) == Init{Init::Kind::signs, 2048, 0});
  CHECK_FALSE(all_types.verify->second_is_exact);
}

TEST_CASE("one init serves all types that can hold it") {
  const KernelSpec spec = load_good(spec_texts::with(
      "init = { float = \"uniform(-1, 1)\", int = \"integers(-8, 8)\" }", "init = \"iota(0, 1)\""));
  CHECK(spec.arguments[0].init.for_type(ElementType::int32) == Init{Init::Kind::iota, 0, 1});
}

TEST_CASE("options, kinds of devices and nondeterminism are kept") {
  const KernelSpec spec = load_good(
      spec_texts::with("deterministic = true",
                       "deterministic = false\ndevices = [\"cuda\"]\noptions = [\"--use_fast_math\"]"));
  CHECK(!spec.deterministic);
  CHECK(spec.device_kinds == std::vector<std::string>{"cuda"});
  REQUIRE(spec.compile_options.size() == 1);
  CHECK(spec.compile_options[0].text == "--use_fast_math");
  CHECK_FALSE(spec.by_nvcc);
}

TEST_CASE("constraints may be an empty list") {
  CHECK(load_good(spec_texts::with("[\"BLOCK <= max_threads_per_block\"]", "[]")).constraints.empty());
}

TEST_CASE("what a launch asks of the device, and loops, are read") {
  const KernelSpec spec = load_good(spec_texts::with(
      "grid = [\"ceil_div(N, BLOCK)\"]",
      "grid = [\"ceil_div(N, BLOCK)\"]\ncooperative = true\noverlap = false\ncluster = [\"BLOCK / 64\", 1]\n"
      "shared_carveout = 50\nrepeat = \"N / 2\""));
  const auto& step = spec.steps.at(0);
  CHECK(step.cooperative->text == "1");
  CHECK(step.overlap->text == "0");
  REQUIRE(step.cluster.size() == 2);
  CHECK(step.cluster[0].text == "BLOCK / 64");
  CHECK(step.shared_carveout_percent->text == "50");
  CHECK(step.repeat->text == "N / 2");
  CHECK(step.repeat_steps == 1);
}

TEST_CASE("parameters may be real numbers, or words that the source sees as they are") {
  const KernelSpec spec = load_good(spec_texts::with(
      "ORDER = [\"up\", \"down\"]",
      "ORDER = { values = [\"float4\", \"Tile<8, 4>\"], spelled = true }\nRATE = [1, 0.5, 1e-20]"));
  CHECK(spec.parameters[1].spelled);
  CHECK(spec.parameters[1].values[1].text() == "Tile<8, 4>");
  CHECK(spec.parameters[2].spelled);
  CHECK(spec.parameters[2].values[0].text() == "1.0");
  CHECK(spec.parameters[2].values[1].text() == "0.5");
  CHECK(spec.parameters[2].values[2].text() == "1e-20");
}

TEST_CASE("spelled integers stay integers, beside words too, and not beside real numbers") {
  const auto first = [](const std::string& values) {
    const KernelSpec spec = load_good(spec_texts::with(
        "ORDER = [\"up\", \"down\"]", "ORDER = { values = " + values + ", spelled = true }"));
    return spec.parameters[1].values[0].text();
  };
  CHECK(first("[1, 2]") == "1");
  CHECK(first("[1, \"e5\"]") == "1");
  CHECK(first("[1, 2.5, \"x\"]") == "1.0");
}

TEST_CASE("the compiler is read") {
  CHECK(load_good(spec_texts::with("deterministic = true", "compiler = \"nvcc\"")).by_nvcc);
  CHECK_FALSE(load_good(spec_texts::with("deterministic = true", "compiler = \"nvrtc\"")).by_nvcc);
}

TEST_CASE("macros and options with conditions are read") {
  std::string text =
      spec_texts::with("deterministic = true",
                       "options = [\"--maxrregcount=${BLOCK}\", { option = \"--use_fast_math\", when = "
                       "\"BLOCK > 64\" }]");
  text.replace(text.find("[launch]"), 0, "[macros]\nHALF = \"BLOCK / 2\"\n\n");
  const KernelSpec spec = load_good(text);
  REQUIRE(spec.compile_options.size() == 1);
  CHECK(spec.compile_options[0].text == "--maxrregcount=${BLOCK}");
  REQUIRE(spec.conditional_options.size() == 1);
  CHECK(spec.conditional_options[0].text == "--use_fast_math");
  CHECK(spec.conditional_options[0].when.text == "BLOCK > 64");
  REQUIRE(spec.macros.size() == 1);
  CHECK(spec.macros[0].name == "HALF");
  CHECK(spec.derived.back().value.text == "BLOCK / 2");
}

TEST_CASE("a buffer that runs change may be restored before each") {
  const KernelSpec spec = load_good(
      spec_texts::with("access = \"out\"", "access = \"inout\"\ninit = \"constant(0)\"\nrestore = true"));
  CHECK(spec.arguments[1].restore);
  CHECK_FALSE(spec.arguments[0].restore);
}

TEST_CASE("a workspace may begin with what the spec says") {
  const KernelSpec spec =
      load_good(spec_texts::with("[[arguments]]\nname = \"C\"",
                                 "[[arguments]]\nname = \"done\"\ntype = \"int*\"\naccess = \"workspace\"\n"
                                 "extent = 4\ninit = \"constant(0)\"\n\n[[arguments]]\nname = \"C\""));
  CHECK(spec.arguments[1].access == Access::workspace);
  CHECK(spec.arguments[1].init.for_type(tuner::model::ElementType::int32).kind ==
        tuner::model::Init::Kind::constant);
}

TEST_CASE("every key of a step and of a tensor map has its place in the documents") {
  std::string text;
  for (const char* page : {"docs/kernel-specs.md", "docs/specs-launches.md", "docs/specs-data.md"}) {
    std::ifstream in(std::filesystem::path(TUNER_SOURCE_DIR) / page);
    text.append(std::istreambuf_iterator<char>(in), {});
  }
  const auto is_named = [&](const auto& key) {
    const std::string name = key.name;
    CHECK_MESSAGE(
        (text.find("`" + name) != std::string::npos || text.find("\n" + name + " = ") != std::string::npos),
        name, " is in no page");
    return true;
  };
  tuner::model::each_key(is_named);
  tuner::model::each_map_key(is_named);
}

TEST_SUITE_END();
