// What is nearly a spec or a setting, and how it is told.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "config/kernel_file.hpp"
#include "config/mistakes.hpp"
#include "config/settings.hpp"
#include "tests/config/spec_texts.hpp"
#include "tests/config/temporary_folder.hpp"
#include "tests/support/contains.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;
using spec_texts::with;

namespace {

std::string mistakes_in(std::string_view spec) {
  const config::LoadedKernels loaded = spec_texts::load(spec);
  return config::diagnostics_text(loaded.mistakes, loaded.texts);
}

/// The good spec with `from` replaced by `to` has the mistake `message`.
void check_refused(std::string_view from, std::string_view to, std::string_view message) {
  CAPTURE(std::string(to));
  const std::string found = mistakes_in(with(from, to));
  CAPTURE(found);
  CHECK(contains(found, message));
}

void check_good(std::string_view from, std::string_view to) {
  CAPTURE(std::string(to));
  CHECK(mistakes_in(with(from, to)) == "");
}

constexpr std::string_view arguments_of_good =
    "[[arguments]]\nname = \"A\"\ntype = \"ELEMENT_TYPE*\"\naccess = \"in\"\nextent = [\"total\"]\n"
    "init = { float = \"uniform(-1, 1)\", int = \"integers(-8, 8)\" }\n\n[[arguments]]\nname = \"C\"\n"
    "type = \"ELEMENT_TYPE*\"\naccess = \"out\"\nextent = \"total\"\n\n[[arguments]]\nname = \"N\"\n"
    "type = \"int\"\n";

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("a value where a table belongs is told, in every place") {
  const std::string top(with("constraints =", "generate = 3\nconstraints ="));
  CHECK(contains(mistakes_in(top), "\"generate\" must be a table, found integer 3"));
  check_refused("constraints =", "baseline = [3]\nconstraints =", "an item of \"baseline\" must be a table");
  check_refused("constraints =", "workload = 3\nconstraints =", "\"workload\" must be a table");
  check_refused("constraints =", "macros = 3\nconstraints =", "\"macros\" must be a table");
  check_refused("constraints =", "structs = 3\nconstraints =", "\"structs\" must be a table");
  check_refused("constraints =", "structs = { S = 3 }\nconstraints =", "\"S\" must be a table");
  CHECK(contains(mistakes_in("metrics = 3\n" + with("[metrics]", "[other]")), "\"metrics\" must be a table"));
  std::string text(spec_texts::good);
  const std::size_t at = text.find(arguments_of_good);
  REQUIRE(at != std::string::npos);
  text.erase(at, arguments_of_good.size()).insert(0, "arguments = [3]\n");
  CHECK(contains(mistakes_in(text), "must be a table, found integer 3"));
  text = with("[launch]\nblock = [\"BLOCK\"]\ngrid = [\"ceil_div(N, BLOCK)\"]\n", "");
  CHECK(
      contains(mistakes_in("launch = [3]\n" + text), "an item of \"launch\" must be a table, found integer"));
  CHECK(contains(mistakes_in("launch = 3\n" + text), "\"launch\" must be"));
  check_refused("[verify]\nreference = \"reference.cu\"\nrounding_terms = 1\n\n[verify.launch]",
                "[verify]\nreference = \"reference.cu\"\nrounding_terms = 1\nlaunch = 3\n[other]",
                "\"verify.launch\" must be");
}

TEST_CASE("names that differ in nothing are told where the second stands") {
  check_refused("sizes = [\"N\"]", "sizes = [\"N\", \"N\"]", "the size \"N\" stands twice");
  check_refused("types = [\"float\", \"int\"]", "types = [\"float\", \"int\", \"float\"]",
                "the type \"float\" stands twice");
}

TEST_CASE("a list that says nothing, or holds what it should not, is told") {
  check_refused("sizes = [\"N\"]", "sizes = [\"N\", 3]",
                "an item of \"sizes\" must be a string, found integer 3");
  check_refused("sizes = [\"N\"]", "sizes = []", "\"sizes\" has 0 names");
  check_refused("types = [\"float\", \"int\"]", "types = []", "\"types\" is an empty list");
  check_refused("sizes = [\"N\"]", "sizes = [\"N\", \"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]",
                "\"sizes\" has 9 names");
  check_good("sizes = [\"N\"]", "sizes = [\"N\", \"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\"]");
}

TEST_CASE("a kernel's name and description are one line of their letters") {
  check_good("name = \"vector_add\"", "name = \"vector-add.v2_x\"");
  const std::string long_name(64, 'n');
  check_good("name = \"vector_add\"", "name = \"" + long_name + "\"");
  for (const std::string& name :
       {long_name + "n", std::string("-a"), std::string(".a"), std::string("a/b"), std::string()}) {
    check_refused("name = \"vector_add\"", "name = \"" + name + "\"", "is no name for a kernel");
  }
  check_refused("family = \"vectors\"", "family = \"a b\"", "is no name for a family");
  check_refused("\"one element a thread\"", "\"one\\nelement\"", "\"description\" is more than a line");
  check_refused("row_padding = \"PAD\"", "row_padding = \"int\"", "a word of C++");
  check_refused("sizes = [\"N\"]", "sizes = [\"_N\", \"N\"]", "reserved for compilers");
  check_good("sizes = [\"N\"]", "sizes = [\"_n\", \"N\"]");
}

TEST_CASE("a baseline has a name, a line of description, and arguments with names") {
  const auto baseline = [](const std::string& name, const std::string& lines) {
    return mistakes_in(with(
        "[metrics]", "[[baseline]]\nname = \"" + name + "\"\nsource = \"k.cu\"\n" + lines + "\n[metrics]"));
  };
  const std::string arguments = "arguments = [\"A\", \"C\", \"N\"]";
  CHECK(baseline("libadd", arguments) == "");
  CHECK(contains(baseline("lib add", arguments), "\"lib add\" is no name for a baseline"));
  CHECK(contains(baseline("libadd", arguments + "\ndescription = \"a\\nb\""), "more than a line"));
  CHECK(contains(baseline("libadd", "arguments = [\"A\", \"\", \"C\"]"), "an empty name among"));
  CHECK(contains(baseline("libadd", "arguments = []"), "\"arguments\" has 0 names"));
  CHECK(contains(
      baseline("libadd", arguments + "\n[[baseline]]\nname = \"libadd\"\nsource = \"k.cu\"\n" + arguments),
      "the name \"libadd\" is taken"));
}

TEST_CASE("words and spellings of parameters are as long as they may be, and no longer") {
  const auto value = [](const std::string& text) { return "[\"" + text + "\", \"down\"]"; };
  check_good("[\"up\", \"down\"]", value("u2_Z9"));
  check_good("[\"up\", \"down\"]", value(std::string(64, 'u')));
  check_refused("[\"up\", \"down\"]", value(std::string(65, 'u')), "letters");
  check_refused("[\"up\", \"down\"]", value(""), "found string \"\"");
  const auto spelled = [](const std::string& text) {
    return "{ values = [\"" + text + "\"], spelled = true }";
  };
  check_good("[\"up\", \"down\"]", spelled(std::string(256, 'u')));
  check_refused("[\"up\", \"down\"]", spelled(std::string(257, 'u')), "a word as the source has it");
  check_refused("[\"up\", \"down\"]", spelled(" "), "a word as the source has it");
  check_refused("[\"up\", \"down\"]", spelled("a\\nb"), "a word as the source has it");
}

TEST_CASE("an upload says what it uploads, and nothing of a launch") {
  const auto uploading = [](const std::string& lines) {
    return mistakes_in(with("[launch]\n", "[[launch]]\n" + lines + "\n[[launch]]\n"));
  };
  CHECK(uploading("upload = \"A\"") == "");
  CHECK_FALSE(uploading("upload = \"\"").empty());
  CHECK(contains(uploading("upload = 3"), "\"upload\" must be a string, found integer 3"));
  for (const char* key : {"block", "grid", "dynamic_shared_bytes", "overlap", "cooperative"}) {
    CAPTURE(key);
    CHECK(contains(uploading("upload = \"A\"\n" + std::string(key) + " = 1"), "has no \""));
  }
  CHECK_FALSE(uploading("upload = \"A\"\nentry = \"k\"").empty());
}

TEST_CASE("a pointer without a buffer is NULL, and nothing else") {
  const auto with_value = [](const std::string& value) {
    return mistakes_in(with("[verify]", "[[arguments]]\nname = \"extra\"\ntype = \"float*\"\nvalue = \"" +
                                            value + "\"\n\n[verify]"));
  };
  CHECK(with_value("NULL") == "");
  CHECK(with_value("nullptr") == "");
  CHECK(contains(with_value("N"), "extra is a buffer and has a \"value\""));
}

TEST_CASE("a memset says what it sets, and nothing of a launch") {
  const auto setting = [](const std::string& lines) {
    return mistakes_in(with("[launch]\n", "[[launch]]\n" + lines + "\n[[launch]]\n"));
  };
  CHECK(contains(setting("memset = \"A\"\nvalue = 0"), "memset of `A`, which runs do not write"));
  CHECK(contains(setting("memset = \"\""), "\"memset\" names nothing"));
  CHECK(contains(setting("memset = \"A\"\nblock = 1"), "a memset has no \"block\""));
}

TEST_CASE("a constant is a number, and no argument") {
  const auto constant = [](const std::string& values) {
    return "{ values = " + values + ", constexpr = true }";
  };
  check_good("[\"up\", \"down\"]", constant("[\"up\", \"down\"]"));
  check_refused("[\"up\", \"down\"]", "{ values = [\"float4\"], spelled = true, constexpr = true }",
                "ORDER has values that are no numbers");
  check_refused("[\"up\", \"down\"]", "{ values = [1, 2], runtime = true, constexpr = true }",
                "ORDER is an argument, and no constant of the source");
}

TEST_CASE("an option that includes a header names one") {
  const auto options = [](const std::string& list) {
    return mistakes_in(with("sizes = [\"N\"]", "sizes = [\"N\"]\noptions = " + list));
  };
  CHECK(contains(options("[\"-include\"]"), "\"-include\" names no header"));
}

TEST_CASE("a step waits for a list of steps") {
  check_refused("grid = [\"ceil_div(N, BLOCK)\"]", "grid = 1\nafter = 0",
                "\"after\" must be a list of step numbers");
}

TEST_CASE("a struct is as large as its fields, and no larger than it may be") {
  const auto declared = [](const std::string& lines) {
    return mistakes_in(with("[launch]", "[structs.S]\n" + lines + "\n[launch]"));
  };
  const std::string fields = "fields = [\"int a\", \"char b\"]\n";
  CHECK(declared(fields) == "");
  CHECK(declared(fields + "size = 8") == "");
  CHECK(declared(fields + "size = 12") == "");
  CHECK(contains(declared(fields + "size = 4"), "size = 4"));
  CHECK(contains(declared(fields + "size = 10"), "size = 10"));
  CHECK(declared(fields + "align = 4") == "");
  CHECK(declared(fields + "align = 16") == "");
  CHECK(contains(declared(fields + "align = 2"), "align = 2"));
  CHECK(contains(declared(fields + "align = 12"), "align = 12"));
  CHECK(contains(declared("fields = []"), "0 fields"));
  CHECK(contains(declared("fields = [\"int a\", \"char a\"]"), "the field \"a\" stands twice"));
  CHECK(declared("fields = [\"int a[4096]\"]") == "");
  for (const char* field :
       {"int a[4097]", "int a[0]", "int a[]", "int a[x]", "int a[2", "int", "a[2]", "]"}) {
    CAPTURE(field);
    CHECK(contains(declared("fields = [\"" + std::string(field) + "\"]"), "is no field"));
  }
  CHECK(contains(declared("fields = [\"double4 a[2049]\"]"), "a struct of 65568 bytes"));
  CHECK(declared("fields = [\"double4 a[2048]\"]") == "");
  CHECK(contains(mistakes_in(with("[launch]", "[structs.float]\n" + fields + "[launch]")), "name of a type"));
}

TEST_CASE("a tensor map has a shape and a box") {
  const auto map = [](const std::string& lines) {
    return mistakes_in(with("[verify]\n",
                            "[[arguments]]\nname = \"map\"\ntype = \"CUtensorMap\"\n"
                            "tensor = \"A\"\n" +
                                lines + "\n[verify]\n"));
  };
  CHECK(map("shape = [\"N\"]\nbox = [32]") == "");
  CHECK(contains(map("box = [32]"), "has no \"shape\""));
  CHECK(contains(map("shape = [\"N\"]"), "has no \"box\""));
  CHECK(contains(map("shape = [\"N\"]\nbox = [32]\noutside = \"one\""), "unknown outside \"one\""));
  CHECK(map("shape = [\"N\"]\nbox = [32]\noutside = \"zero\"") == "");
}

TEST_CASE("a text of the most bytes is read, and one more is not") {
  std::string text(spec_texts::good);
  text.resize(config::most_file_bytes, '#');
  text[spec_texts::good.size()] = '#';
  CHECK(mistakes_in(text) == "");
  CHECK(contains(mistakes_in(text + "#"), "bytes"));
}

TEST_CASE("a mistyped variable of the tuner is told with what was meant, others are let be") {
  const std::vector<std::string> names = {"TUNER_SEDE",     "TUNER_SEED", "TUNER_NVRTC", "TUNER_NVRTX",
                                          "TUNER_QQQQQQQQ", "TUNER_",     "SEDE",        "PATH"};
  std::string told;
  for (const config::MistypedVariable& one : config::mistyped_variables(names))
    told += one.name + ">" + one.meant + " ";
  CHECK(told == "TUNER_SEDE>TUNER_SEED TUNER_NVRTX>TUNER_NVRTC ");
}

TEST_CASE("variables of the process are told by name, and empty ones are none") {
  ::setenv("TUNER_VARIABLE_OF_A_TEST", "a=b", 1);
  ::setenv("TUNER_EMPTY_IN_A_TEST", "", 1);
  const std::vector<std::string> names = config::process_variables();
  ::unsetenv("TUNER_VARIABLE_OF_A_TEST");
  ::unsetenv("TUNER_EMPTY_IN_A_TEST");
  CHECK(std::count(names.begin(), names.end(), "TUNER_VARIABLE_OF_A_TEST") == 1);
  CHECK(std::count(names.begin(), names.end(), "TUNER_EMPTY_IN_A_TEST") == 0);
}

TEST_CASE("a header that is no text is told where it is included") {
  const TemporaryFolder folder;
  folder.write("k.cu", "#include \"bad.cuh\"\n");
  folder.write("reference.cu", "void");
  folder.write("bad.cuh", std::string_view("a\0b", 3));
  const auto loaded = config::load_kernel_file(folder.write("k.toml", spec_texts::good));
  REQUIRE(loaded.mistakes.size() == 1);
  CHECK(loaded.mistakes[0].message == "\"bad.cuh\" is not a text file");
  CHECK(loaded.mistakes[0].where.line == 1);
}

TEST_CASE("a library's source finds the header of baselines, and the user's own before it") {
  const TemporaryFolder folder;
  folder.write("k.cu", "void");
  folder.write("reference.cu", "void");
  folder.write("library.cpp", "#include \"tuner_baseline.h\"\n");
  const auto path = folder.write("k.toml", with("[metrics]",
                                                "[[baseline]]\nname = \"library\"\nsource = \"library.cpp\"\n"
                                                "arguments = [\"A\", \"C\", \"N\"]\n[metrics]"));
  const auto header = [&] {
    const auto loaded = config::load_kernel_file(path);
    INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
    REQUIRE(loaded.kernels.size() == 1);
    const auto& source = loaded.kernels[0].baselines.at(0).source;
    REQUIRE(source.size() == 2);
    return source[1].text;
  };
  CHECK(contains(header(), "tuner_baseline"));
  folder.write("tuner_baseline.h", "int own;\n");
  CHECK(header() == "int own;\n");
}

TEST_CASE("what is expected from a file needs inputs that both sets share") {
  const TemporaryFolder folder;
  folder.write("k.cu", "void");
  folder.write("reference.cu", "void");
  folder.write("c.bin", std::string(8, '\3'));
  folder.write("a.bin", std::string(8, '\3'));
  const auto filled = [&](const std::string& init) {
    std::string text = with("extent = \"total\"", "extent = \"total\"\nexpected = \"file(c.bin)\"");
    const auto put = [&](std::string_view what, std::string_view by) {
      text.replace(text.find(what), what.size(), by);
    };
    put("types = [\"float\", \"int\"]", "types = [\"float\"]");
    put("init = { float = \"uniform(-1, 1)\", int = \"integers(-8, 8)\" }", init);
    const auto loaded = config::load_kernel_file(folder.write("k.toml", text));
    return config::diagnostics_text(loaded.mistakes, loaded.texts);
  };
  for (const char* init : {"init = \"file(a.bin)\"", "init = \"constant(1)\"", "init = \"iota(0, 1)\"",
                           "init = { float = \"iota(0, 1)\" }"}) {
    CAPTURE(init);
    CHECK(filled(init) == "");
  }
  for (const char* init : {"init = \"uniform(0, 1)\"", "init = { float = \"uniform(0, 1)\" }",
                           "init = \"constant(1)\"\nsecond_init = \"constant(2)\""}) {
    CAPTURE(init);
    CHECK(contains(filled(init), "A differs between the two input sets"));
  }
}

TEST_CASE("a folder holds a thousand specs at most") {
  const TemporaryFolder folder;
  for (int i = 0; i < 1000; ++i) folder.write(std::to_string(i) + ".toml", "");
  CHECK_FALSE(contains(config::load_kernel_folder(folder.path()).mistakes.at(0).message, "holds more than"));
  folder.write("another.toml", "");
  CHECK(contains(config::load_kernel_folder(folder.path()).mistakes.at(0).message, "holds more than 1000"));
}

TEST_CASE("a settings file that cannot be read is told, not passed over") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(config::read_settings_file(folder.path(), {}), doctest::Contains("is a folder"),
                       model::UsageError);
  const auto binary = folder.write("tuner.toml", std::string_view("seed = 1\n\0", 10));
  CHECK_THROWS_WITH_AS(config::read_settings_file(binary, {}), doctest::Contains("is not a text file"),
                       model::UsageError);
}

TEST_SUITE_END();
