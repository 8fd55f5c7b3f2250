#include "config/mistakes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/config/spec_texts.hpp"

using spec_texts::load;
using spec_texts::position_of;
using spec_texts::with;

namespace {

/// The good spec with `from` replaced by `to` has exactly one mistake: at the first `at` of the changed text,
/// saying `message`, with `hint` in its hint.
void check_mistake(std::string_view from, std::string_view to, std::string_view at, std::string_view message,
                   std::string_view hint) {
  const std::string text = with(from, to);
  const config::LoadedKernels loaded = load(text);
  const std::string all = config::diagnostics_text(loaded.mistakes, loaded.texts);
  CAPTURE(std::string(to));
  CAPTURE(all);
  CHECK(loaded.kernels.empty());
  REQUIRE(loaded.mistakes.size() == 1);
  const auto& mistake = loaded.mistakes[0];
  const spec_texts::Position place = position_of(text, at);
  CHECK(mistake.where.file == "shipped:k.toml");
  CHECK(mistake.where.line == place.line);
  CHECK(mistake.where.column == place.column);
  CHECK(mistake.message.find(message) != std::string::npos);
  CHECK(mistake.hint.find(hint) != std::string::npos);
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("a syntax error is placed") {
  check_mistake("sizes = [\"N\"]", "sizes = [\"N\"", "types",
                "syntax error while parsing array: expected comma or closing ']'", "");
  check_mistake("deterministic = true", "deterministic = yes", "yes", "syntax error", "quotes");
  check_mistake("deterministic = true", "name = \"again\"", "\"again\"", "cannot redefine", "may stand once");
  check_mistake("entry = \"vector_add\"", "entry = \u201cvector_add\u201d", "\u201cvector", "syntax error",
                "straight");
  check_mistake("entry = \"vector_add\"", "entry = \u00e9", "\u00e9", "syntax error", "in quotes");
  check_mistake("[derived]", "\u00e9 = 1\n[derived]", "\u00e9", "syntax error", "");
  check_mistake("\"one element a thread\"", "\"one \\q\"", "q\"", "unknown escape", "backslash twice");
  check_mistake("[[arguments]]", "[[>arguments]]", ">arguments", "syntax error", "");
  check_mistake("entry = \"vector_add\"", "entry = ,\"vector_add\"", ",\"vector_add\"", "syntax error", "");
}

TEST_CASE("an unknown key is told with the one that was meant, or with its home") {
  check_mistake("description =", "descripton =", "descripton", "unknown key \"descripton\" in [kernel]",
                "did you mean \"description\"?");
  check_mistake("access = \"out\"", "access = \"out\"\nshape = 3", "shape",
                "unknown key \"shape\" in [[arguments]]", "takes name, type, access");
  check_mistake("[metrics]", "[metric]", "metric]", "unknown key \"metric\" in the file",
                "did you mean \"metrics\"?");
  check_mistake("description =", "extent =", "extent", "unknown key \"extent\" in [kernel]",
                "\"extent\" belongs in [[arguments]]");
  check_mistake("description = ", "constraints = ", "constraints = \"one",
                "unknown key \"constraints\" in [kernel]", "\"constraints\" belongs at the top of the file");
}

TEST_CASE("a mistake in a baseline is told at its place") {
  const auto check_baseline = [](const std::string& lines, std::string_view at, std::string_view message,
                                 std::string_view hint) {
    check_mistake("[metrics]", "[[baseline]]\n" + lines + "\n[metrics]", at, message, hint);
  };
  const std::string name = "name = \"libadd\"\n";
  const std::string source = "source = \"k.cu\"\n";
  const std::string arguments = "arguments = [\"A\", \"C\", \"N\"]\n";
  check_baseline(source + arguments, "[[baseline]]", "[[baseline]] has no \"name\"", "name = \"cuBLAS\"");
  check_baseline(name + arguments, "[[baseline]]", "has no \"source\"", "tuner_baseline.h");
  check_baseline(name + source, "[[baseline]]", "has no \"arguments\"", "arguments =");
  check_baseline(name + source + arguments + "workspace_byte = 3", "workspace_byte = 3",
                 "unknown key \"workspace_byte\" in [[baseline]]", "did you mean \"workspace_bytes\"?");
  check_baseline(name + arguments + "source = \"gone.cpp\"", "\"gone.cpp\"", "does not exist", "looked for");
  check_baseline(name + source + "arguments = [\"A\", \"C\", \"NN\"]", "NN", "which is no argument", "N");
  check_baseline(name + source + "arguments = [\"A\", \"C\", \"BLOCK\"]", "BLOCK\"]\n[metrics",
                 "`BLOCK`, which depends on a parameter", "");
  check_baseline(name + source + arguments + "workspace_bytes = \"8 * BLOCK\"", "8 * BLOCK",
                 "depends on a parameter", "");
  check_baseline(name + source + arguments + "types = [\"quaternion\"]", "\"quaternion\"",
                 "unknown type \"quaternion\"", "");
  check_baseline(name + source + arguments + "devices = [\"tpu\"]", "\"tpu\"", "unknown kind of device",
                 "cuda");
  check_baseline("name = \"vector_add\"\n" + source + arguments, "\"vector_add\"\nsource", "is taken", "");
  check_mistake("[metrics]", "[baseline]\nname = \"x\"\n[metrics]", "[baseline]", "must be", "");
}

TEST_CASE("an unknown compiler, and an option that names no parameter, are told at their place") {
  check_mistake("deterministic = true", "compiler = \"clang\"", "clang\"", "unknown compiler \"clang\"",
                "nvrtc, or nvcc");
  check_mistake("deterministic = true", "compiler = [\"nvcc\"]", "[\"nvcc\"]", "must be a string", "");
  check_mistake("deterministic = true", "options = [\"-G\", \"--maxrregcount=${BLOK}\"]", "\"--maxrregcount",
                "option \"--maxrregcount=${BLOK}\": `BLOK` is no parameter", "BLOCK");
  check_mistake("deterministic = true", "options = [{ option = \"-DX=${N}\", when = \"BLOCK > 64\" }]",
                "\"-DX", "option \"-DX=${N}\": `N` is no parameter", "");
}

TEST_CASE("an option that would read other headers in some configurations, or define what the spec defines") {
  const auto check_option = [](const std::string& option, std::string_view message) {
    check_mistake("deterministic = true", "options = [" + option + "]",
                  option.substr(option.find(option.front() == '{' ? '-' : '"')), message, "");
  };
  check_option("{ option = \"-Ifast\", when = \"BLOCK > 64\" }", "a header or its folder is for all");
  check_option("{ option = \"-include x.h\", when = \"BLOCK > 64\" }", "a header or its folder is for all");
  check_option("\"-I${BLOCK}\"", "\"-I${BLOCK}\" depends on a parameter");
  check_option("\"--include-path=${BLOCK}\"", "depends on a parameter");
  check_option("\"-include ${BLOCK}/x.h\"", "depends on a parameter");
  check_option("\"-DBLOCK=64\"", "`BLOCK` is a macro of the spec");
  check_option("\"--define-macro=BLOCK=64\"", "`BLOCK` is a macro of the spec");
  check_option("\"-U BLOCK\"", "`BLOCK` is a macro of the spec");
  check_option("\"-DELEMENT_BYTES=8\"", "`ELEMENT_BYTES` is a macro of the spec");
}

TEST_CASE("constraints below a header are told to move to the top") {
  check_mistake("deterministic = true", "constraints = [\"BLOCK > 3\"]", "constraints = [\"BLOCK > 3",
                "unknown key \"constraints\"", "top of the file");
  check_mistake("ORDER =", "constraints = [\"BLOCK > 3\"]\nORDER =", "constraints = [\"BLOCK > 3",
                "makes it a parameter", "top of the file");
  check_mistake("ORDER =", "conditions = [\"BLOCK > 3\", \"BLOCK % 2 == 0\"]\nORDER =", "conditions",
                "makes it a parameter", "top of the file");
  check_mistake("ORDER =", "default = { BLOCK = 64 }\nORDER =", "default = { BLOCK = 64",
                "makes it a parameter", "[kernel]");
}

TEST_CASE("a missing key is told at its table") {
  check_mistake("name = \"vector_add\"\n", "", "[kernel]", "[kernel] has no \"name\"", "name =");
  check_mistake("source = \"k.cu\"\n", "", "[kernel]", "[kernel] has no \"source\"", "source =");
  check_mistake("block = [\"BLOCK\"]\n", "", "[launch]", "[launch] has no \"block\"", "block =");
  check_mistake("grid = [\"ceil_div(N, BLOCK)\"]\n", "", "[launch]", "[launch] has no \"grid\"", "grid =");
  check_mistake("entry = \"vector_add\"\n", "", "[launch]", "[launch] has no \"entry\"", "entry =");
  check_mistake("rounding_terms = 1\n", "", "[verify]", "[verify] has no \"rounding_terms\"", "0 where");
  check_mistake("access = \"out\"\n", "", "[[arguments]]\nname = \"C\"", "[[arguments]] has no \"access\"",
                "\"in\"");
  check_mistake("extent = [\"total\"]\n", "", "[[arguments]]\nname = \"A\"", "no \"extent\"", "extent =");
}

TEST_CASE("a value of the wrong type is told with what was found") {
  check_mistake("sizes = [\"N\"]", "sizes = 3", "3\n", "\"sizes\" must be a list of strings, found integer 3",
                "brackets");
  check_mistake("deterministic = true", "deterministic = \"yes\"", "\"yes\"", "found string \"yes\"", "");
  check_mistake("source = \"k.cu\"", "source = 7", "7", "\"source\" must be a string, found integer 7", "");
  check_mistake("block = [\"BLOCK\"]", "block = [1.5]", "1.5", "found number 1.5", "");
  check_mistake("BLOCK = [64, 128, 256]", "BLOCK = [128, true]", "true]", "found boolean true", "0 and 1");
  check_mistake("total = \"N + PAD\"", "total = [1]", "[1]", "total must be an integer or an expression", "");
  check_mistake("[launch]\nblock", "[[launch]]\ngrid = 1\nblock = []\n[[launch]]\nblock", "[]\n",
                "empty list", "");
}

TEST_CASE("a value list is judged value by value") {
  check_mistake("[\"up\", \"down\"]", "[]", "[]", "ORDER offers no value", "at least one");
  check_mistake("[\"up\", \"down\"]", "[\"up\", \"down\", \"up\"]", "\"up\"]", "ORDER offers up twice", "");
  check_mistake("[\"up\", \"down\"]", "[\"up\", 3]", "3]", "mixes integers and words", "");
  check_mistake("[\"up\", \"down\"]", "[\"up\", \"a b\"]", "\"a b\"", "found string \"a b\"", "letters");
  check_mistake("[\"up\", \"down\"]", "\"up\"", "\"up\"", "ORDER must be a list", "brackets");
  std::string long_list = "[0";
  for (int i = 1; i <= 5000; ++i) long_list += "," + std::to_string(i);
  check_mistake("[\"up\", \"down\"]", long_list + "]", "[0,1", "ORDER has 5001 items", "at most");
}

TEST_CASE("a range is whole") {
  const std::string_view list = "[\"up\", \"down\"]";
  check_mistake(list, "{ from = 1, to = 8 }", "{ from", "either \"times\" or \"step\"", "");
  check_mistake(list, "{ from = 1, to = 8, times = 2, step = 2 }", "{ from", "either \"times\" or \"step\"",
                "");
  check_mistake(list, "{ from = 9, to = 8, step = 2 }", "9, to", "starts at 9 and ends at 8", "smaller");
  check_mistake(list, "{ from = 0, to = 8, times = 2 }", "0, to", "starts at 0", "1 or more");
  check_mistake(list, "{ from = 1, to = 8, times = 1 }", "1 }", "\"times\" must be an integer from 2", "");
  check_mistake(list, "{ from = 0, to = 1000000, step = 1 }", "{ from", "1000001 values", "at most");
  check_mistake(list, "{ to = 8, times = 2 }", "{ to", "ORDER has no \"from\"", "a range is");
  check_mistake(list, "{ runtime = true }", "{ runtime", "neither \"values\" nor \"from\"", "");
  check_mistake(list, "{ values = [1], otherwise = 1 }", "otherwise", "no \"when\"", "");
  check_mistake(list, "{ values = [\"a\"], when = \"1\" }", "when", "no \"otherwise\"", "");
}

TEST_CASE("a default is one of the parameters' values") {
  check_mistake("default = { BLOCK = 128 }", "default = { BLOK = 128 }", "BLOK", "which is no parameter",
                "BLOCK");
  check_mistake("default = { BLOCK = 128 }", "default = { BLOCK = 127 }", "127", "BLOCK does not offer 127",
                "");
}

TEST_CASE("names that mean something already are refused") {
  check_mistake("ORDER =", "threadIdx =", "threadIdx", "used by CUDA sources", "another name");
  check_mistake("ORDER =", "x =", "x = [\"up", "used by CUDA sources", "");
  check_mistake("ORDER =", "while =", "while", "a word of C++", "");
  check_mistake("ORDER =", "ELEMENT_TYPE =", "ELEMENT_TYPE =", "set by the tuner", "");
  check_mistake("ORDER =", "TUNER_ON_CPU =", "TUNER_ON_CPU =", "set by the tuner", "");
  check_mistake("ORDER =", "__CUDA_ARCH__ =", "__CUDA_ARCH__", "reserved for compilers", "");
  check_mistake("[metrics]", "[metrics]\ntime_ms = \"1.0 * N\"", "time_ms", "may not be called",
                "another name");
  check_mistake("ORDER =", "\"OR DER\" =", "\"OR DER\"", "no name for a parameter", "letters, digits");
  check_mistake("entry = \"vector_add\"", "entry = \"a\\nb\"", "\"a\\nb\"", "no name of a kernel function",
                "");
  check_mistake("entry = \"reference\"", "entry = \"\"", "\"\"", "no name of a kernel function", "");
  check_mistake("name = \"vector_add\"", "name = \"vector add\"", "\"vector add\"", "no name for a kernel",
                "");
  check_mistake("name = \"C\"", "name = \"A\"", "A\"\ntype = \"ELEMENT_TYPE*\"\naccess = \"out\"",
                "stands twice", "line 27");
}

TEST_CASE("an argument's keys fit its type and its access") {
  check_mistake("name = \"N\"\ntype = \"int\"", "name = \"N\"\ntype = \"intt\"", "\"intt\"",
                "unknown type \"intt\"", "ELEMENT_TYPE");
  check_mistake("type = \"ELEMENT_TYPE*\"", "type = \"const float*\"", "\"const float*\"", "unknown type",
                "leave const out");
  check_mistake("access = \"out\"", "access = \"write\"", "write\"", "unknown access \"write\"", "inout");
  check_mistake("type = \"int\"\n\n[verify]", "type = \"int\"\nextent = 1\n\n[verify]", "extent = 1",
                "N is a number", "buffers");
  check_mistake("extent = \"total\"", "extent = \"total\"\nvalue = 1", "value", "C is a buffer", "");
  check_mistake("extent = \"total\"", "extent = \"total\"\ninit = \"constant(0)\"", "init = \"constant",
                "not read", "inout");
  check_mistake("types = [\"float\", \"int\"]", "types = [\"float\", \"quaternion\"]", "\"quaternion\"",
                "unknown type \"quaternion\"", "known types");
}

TEST_CASE("an input says what it is filled with, for every type") {
  const std::string_view init = "init = { float = \"uniform(-1, 1)\", int = \"integers(-8, 8)\" }";
  check_mistake(init, "", "[[arguments]]", "A is read, but has no \"init\"", "uniform");
  check_mistake(init, "init = \"uniform(1)\"", "uniform(1)", "no way to fill", "uniform(a, b)");
  check_mistake(init, "init = \"random(0, 1)\"", "random(0, 1)", "no way to fill", "uniform(a, b)");
  check_mistake(init, "init = \"constant(1e999)\"", "constant(1e999)", "no way to fill", "");
  check_mistake(init, "init = \"uniform(-1, 1)\"", "uniform(-1", "may be of type int", "integers");
  check_mistake(init, "init = { float = \"uniform(-1, 1)\" }", "{ float", "no init for the type int",
                "int =");
  check_mistake(init, "init = { float = \"uniform(1, 1)\", int = \"constant(0)\" }", "uniform(1, 1)",
                "empty interval", "less");
  check_mistake(init, "init = { float = \"constant(0)\", int = \"integers(8, -8)\" }", "integers(8",
                "no whole range", "");
  check_mistake(init, "init = { float = \"constant(0)\", int = \"constant(3000000000)\" }", "constant(3",
                "type int cannot hold", "2147483647");
  check_mistake(init, "init = { float = \"constant(0)\", int = \"constant(0)\", double = \"constant(0)\" }",
                "double", "not among its types", "");
}

TEST_CASE("odd integers and signs are judged as the other ways to fill a buffer") {
  const std::string_view init = "init = { float = \"uniform(-1, 1)\", int = \"integers(-8, 8)\" }";
  check_mistake(init, "init = \"odd_integers(8, 8)\"", "odd_integers(8", "holds no odd number", "an odd one");
  check_mistake(init, "init = \"odd_integers(9, 1)\"", "odd_integers(9", "holds no odd number",
                "the smaller first");
  check_mistake(init, "init = \"odd_integers(1, 16777217)\"", "odd_integers(1", "type float cannot hold",
                "16777216");
  check_mistake(init, "init = \"signs(0)\"", "signs(0)", "signs(0) says how many", "from 1 on");
  check_mistake(init, "init = \"signs(2.5)\"", "signs(2.5)", "signs(2.5) says how many", "whole number");
  check_mistake(init, "init = \"signs(1, 2)\"", "signs(1, 2)", "no way to fill", "signs(n)");
}

TEST_CASE("the second input set is judged as the first, but may leave types out") {
  const std::string_view init = "init = { float = \"uniform(-1, 1)\", int = \"integers(-8, 8)\" }";
  const auto with_second = [init](std::string_view second) {
    return std::string(init) + "\nsecond_init = " + std::string(second);
  };
  check_mistake(init, with_second("\"odd(1, 9)\""), "odd(1, 9)", "no way to fill", "odd_integers(a, b)");
  check_mistake(init, with_second("7"), "7\n", "\"second_init\" must be a string, found integer 7", "");
  check_mistake(init, with_second("\"uniform(-2, 2)\""), "uniform(-2", "may be of type int", "integers");
  check_mistake(init, with_second("{ double = \"constant(0)\" }"), "double", "not among its types",
                "second_init takes one entry");
  check_mistake("extent = \"total\"", "extent = \"total\"\nsecond_init = \"signs(1)\"", "second_init",
                "C is not read, so it has no \"second_init\"", "inout");
  check_mistake("type = \"int\"\n\n[verify]", "type = \"int\"\nsecond_init = \"signs(1)\"\n\n[verify]",
                "second_init", "N is a number", "buffers");
  check_mistake(init, "second_init = { float = \"signs(1)\" }", "[[arguments]]",
                "A is read, but has no \"init\"", "uniform");
  check_mistake("rounding_terms = 1", "rounding_terms = 1\nsecond_is_exact = \"yes\"", "\"yes\"",
                "\"second_is_exact\" must be true or false", "");
  check_mistake("deterministic = true", "second_is_exact = true", "second_is_exact",
                "unknown key \"second_is_exact\" in [kernel]", "[verify]");
}

TEST_CASE("a missing source or reference is told where it is named") {
  check_mistake("source = \"k.cu\"", "source = \"other.cu\"", "\"other.cu\"", "\"other.cu\" does not exist",
                "looked for other.cu");
  check_mistake("reference = \"reference.cu\"", "reference = \"ref.cu\"", "\"ref.cu\"", "does not exist",
                "relative to the spec");
}

TEST_CASE("a step waits only for earlier ones, and uploads or launches") {
  check_mistake("grid = [\"ceil_div(N, BLOCK)\"]", "grid = 1\nafter = [0]", "0]",
                "the number of an earlier step", "");
  check_mistake("grid = [\"ceil_div(N, BLOCK)\"]", "grid = 1\nstream = 99", "99", "from 0 to 15", "");
  check_mistake("[launch]\n", "[[launch]]\nupload = \"A\"\ngrid = 1\n\n[[launch]]\n", "grid = 1",
                "an upload has no \"grid\"", "");
  check_mistake("block = [\"BLOCK\"]", "block = [1, 1, 1, 1]", "[1, 1", "\"block\" has 4 items", "at most 3");
}

TEST_CASE("a mistake in a call of a library is told at its place") {
  const std::string library = "source = \"k.cu\"\nlibrary = \"reference.cu\"\n";
  const std::string call = "[[launch]]\ncall = \"reference\"\narguments = [\"A\", \"C\", \"N\"]\n";
  const auto check_call = [&](const std::string& top, const std::string& step, std::string_view at,
                              std::string_view message, std::string_view hint) {
    std::string text = with("source = \"k.cu\"\n", top);
    text.replace(text.find("[launch]\n"), 9, step + "\n[[launch]]\n");
    const config::LoadedKernels loaded = load(text);
    CAPTURE(config::diagnostics_text(loaded.mistakes, loaded.texts));
    REQUIRE(loaded.mistakes.size() == 1);
    CHECK(loaded.mistakes[0].where.line == position_of(text, at).line);
    CHECK(loaded.mistakes[0].message.find(message) != std::string::npos);
    CHECK(loaded.mistakes[0].hint.find(hint) != std::string::npos);
  };
  check_call("source = \"k.cu\"\n", call, "[[launch]]\ncall",
             "`reference` is called, and there is no library", "[kernel] library");
  check_call(library, "[[launch]]\ncall = \"other\"\narguments = [\"A\"]\n", "[[launch]]\ncall",
             "reference.cu has no function `other`", "tuner_baseline.h");
  check_call(library, call + "block = 3\n", "block = 3", "a call has no \"block\"", "calls a library");
  check_call(library, call + "entry = \"x\"\n", "entry = \"x\"", "a call has no \"entry\"", "");
  check_call(library, "[[launch]]\ncall = \"reference\"\n", "[[launch]]\ncall", "has no \"arguments\"",
             "what the call gets");
  check_call(library, "[[launch]]\ncall = \"a b\"\narguments = [\"A\"]\n", "\"a b\"", "is no C function", "");
  check_call(library, call + "workspace = \"C\"\n", "[[launch]]\ncall", "`C` is no workspace", "access");
  check_call(library, "[[launch]]\ncall = \"reference\"\narguments = [\"D\"]\n", "[[launch]]\ncall", "D", "");
  check_mistake("source = \"k.cu\"", library, "\"reference.cu\"", "no step calls the library",
                "[[baseline]]");
}

TEST_CASE("a metric's name stands in quotes") {
  check_mistake("\"GB/s\" =", "GB.s =", "GB.s", "found table", "in quotes");
}

TEST_CASE("counters are named as NVIDIA does") {
  const std::string names =
      "[profile]\nmetrics = [\"dram__bytes_read.sum\", \"smsp__inst_issued.sum\"]\n[metrics]";
  const config::LoadedKernels loaded = load(with("[metrics]", names));
  REQUIRE(loaded.kernels.size() == 1);
  REQUIRE(loaded.kernels[0].counted.size() == 2);
  CHECK(loaded.kernels[0].counted[1].name == "smsp__inst_issued.sum");
  check_mistake("[metrics]", "[profile]\nmetrics = [\"a b\"]\n[metrics]", "\"a b\"",
                "\"a b\" is no name of a metric", "NVIDIA");
  check_mistake("[metrics]", "[profile]\n[metrics]", "[profile]", "metrics", "dram__bytes_read.sum");
  check_mistake("[metrics]", "[profile]\nmetric = [\"a\"]\nmetrics = [\"a\"]\n[metrics]",
                "metric =", "unknown key", "metrics");
}

TEST_CASE("names inside expressions are judged with the column of the name") {
  check_mistake("ceil_div(N, BLOCK)", "ceil_div(N, BLOK)", "BLOK)", "BLOK", "BLOCK");
}

TEST_CASE("all mistakes of a file are told at once, in the order of the file") {
  std::string text = with("types = [\"float\", \"int\"]", "types = [\"flaot\"]");
  text.replace(text.find("access = \"out\""), 14, "access = \"output\"");
  text.replace(text.find("ORDER = [\"up\", \"down\"]"), 22, "ORDER = []");
  const config::LoadedKernels loaded = load(text);
  std::vector<int> lines;
  for (const auto& mistake : loaded.mistakes) lines.push_back(mistake.where.line);
  CHECK(std::count(lines.begin(), lines.end(), position_of(text, "flaot").line) == 1);
  CHECK(std::count(lines.begin(), lines.end(), position_of(text, "output").line) == 1);
  CHECK(std::count(lines.begin(), lines.end(), position_of(text, "ORDER").line) == 1);
  CHECK(std::is_sorted(lines.begin(), lines.end()));
}

TEST_CASE("files that are too large or too deep are refused before they are read") {
  const std::string large(config::most_file_bytes + 1, '#');
  CHECK(load(large).mistakes.at(0).message.find("has 1048577 bytes") != std::string::npos);
  std::string dots = "a";
  for (int i = 0; i < 100000; ++i) dots += ".a";
  const auto deep = load("\n" + dots + " = 1");
  REQUIRE(deep.mistakes.size() == 1);
  CHECK(deep.mistakes[0].message.find("dots") != std::string::npos);
  CHECK(deep.mistakes[0].where.line == 2);
  CHECK(!load("a = " + std::string(100000, '[')).mistakes.empty());
}

TEST_CASE("what launches, parameters and options may not be is told") {
  const auto launch = [](const std::string& line, std::string_view at, std::string_view message,
                         std::string_view hint) {
    check_mistake("grid = [\"ceil_div(N, BLOCK)\"]", "grid = [\"ceil_div(N, BLOCK)\"]\n" + line, at, message,
                  hint);
  };
  launch("cluster = [1, 1, 1, 1]", "[1, 1, 1, 1]", "\"cluster\" has 4 items", "at most 3");
  launch("cooperative = 0.5", "0.5", "\"cooperative\" must be an integer or an expression in quotes", "");
  launch("repeat_steps = 2", "repeat_steps", "\"repeat_steps\" without \"repeat\"", "ITERATIONS");
  launch("shared_carveout = \"\"", "\"\"", "\"shared_carveout\" is empty", "");
  check_mistake("access = \"in\"", "access = \"in\"\nrestore = true", "restore", "A is never restored",
                "inout");
  check_mistake("ORDER = [\"up\", \"down\"]", "ORDER = { values = [\"a'b\"], spelled = true }", "\"a'b\"",
                "a value of ORDER must be a number, or a word as the source has it", "without quotes");
  check_mistake("ORDER = [\"up\", \"down\"]", "ORDER = { values = [0.5], runtime = true }", "runtime",
                "ORDER is put into the source", "leave out");
  check_mistake("[derived]", "[macros]\nint = \"N\"\n[derived]", "int =", "a word of C++", "another name");
  check_mistake("[derived]", "[macros]\nBLOCK = \"N\"\n[derived]", "N\"\n[derived]", "already a parameter",
                "");
  check_mistake("deterministic = true", "options = [{ option = \"-G\" }]", "{ option", "has no \"when\"",
                "FAST_MATH");
  check_mistake("deterministic = true", "options = [3]", "3]", "an item of \"options\" must be a string", "");
}

TEST_SUITE_END();
