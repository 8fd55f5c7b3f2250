// What a spec says of types, of where contents come from, and of what is right.
#include <doctest/doctest.h>

#include <string>

#include "config/kernel_file.hpp"
#include "config/mistakes.hpp"
#include "tests/config/spec_texts.hpp"
#include "tests/config/temporary_folder.hpp"

using tuner::model::ElementType;
using tuner::model::Init;
using tuner::model::KernelSpec;

namespace {

/// The good spec with float alone and `from` replaced by `to`, in a folder that has its sources and whatever
/// a test puts there.
class SpecFolder {
 public:
  SpecFolder() {
    m_folder.write("k.cu", "void");
    m_folder.write("reference.cu", "void");
    m_folder.write("inputs.cu", "void");
  }
  void write(const std::string& name, std::string_view bytes) const { m_folder.write(name, bytes); }

  config::LoadedKernels load(std::string_view from, std::string_view to) const {
    std::string text = spec_texts::with("types = [\"float\", \"int\"]", "types = [\"float\"]");
    const auto put = [&text](std::string_view what, std::string_view with) {
      const std::size_t at = text.find(what);
      REQUIRE_MESSAGE(at != std::string::npos, "the good spec has no ", std::string(what));
      text.replace(at, what.size(), with);
    };
    put("{ float = \"uniform(-1, 1)\", int = \"integers(-8, 8)\" }", "\"uniform(-1, 1)\"");
    put(from, to);
    return config::load_kernel_file(m_folder.write("k.toml", text));
  }

  KernelSpec good(std::string_view from, std::string_view to) const {
    const config::LoadedKernels loaded = load(from, to);
    INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
    REQUIRE(loaded.kernels.size() == 1);
    return loaded.kernels.front();
  }

  /// `LINE:COLUMN message` of the only mistake; the line counts from that of `near`.
  std::string mistake(std::string_view from, std::string_view to) const {
    const config::LoadedKernels loaded = load(from, to);
    INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
    REQUIRE(loaded.mistakes.size() == 1);
    const auto& found = loaded.mistakes.front();
    CHECK(found.where.line > 0);
    CHECK(found.where.column > 0);
    const std::string text = loaded.texts.front().text;
    std::size_t begin = 0;
    for (int line = 1; line < found.where.line; ++line) begin = text.find('\n', begin) + 1;
    const std::size_t at = begin + static_cast<std::size_t>(found.where.column) - 1;
    return text.substr(at, text.find_first_of("\n ()\"", at + 1) - at) + ": " + found.message;
  }

 private:
  TemporaryFolder m_folder;
};

/// A .npy of version 1 with this header and contents.
std::string npy(const std::string& dictionary, std::size_t bytes) {
  std::string header = dictionary;
  header.resize(118, ' ');
  header.back() = '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header + std::string(bytes, '\1');
}

constexpr std::string_view filled = "init = \"uniform(-1, 1)\"";
constexpr std::string_view bound = "rounding_terms = 1\n";
constexpr std::string_view extent = "extent = \"total\"";

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("arguments may have narrow types, vectors and what others call them") {
  const SpecFolder folder;
  const auto type = [&](const std::string& name) {
    return *folder.good("name = \"N\"\ntype = \"int\"", "name = \"N\"\ntype = \"" + name + "\"")
                .arguments[2]
                .type;
  };
  CHECK(type("__half") == ElementType::float16);
  CHECK(type("half2") == ElementType::half2);
  CHECK(type("__nv_bfloat16") == ElementType::bfloat16);
  CHECK(type("__nv_fp8_e5m2") == ElementType::float8_e5m2);
  CHECK(type("bool") == ElementType::boolean);
  CHECK(type("uint16_t") == ElementType::uint16);
  CHECK(type("size_t") == ElementType::uint64);
  CHECK(type("uchar4") == ElementType::uchar4);
  CHECK(type("cuDoubleComplex") == ElementType::double2);
}

TEST_CASE("a vector by value has one expression for all components, or one for each") {
  const SpecFolder folder;
  const std::string number = "name = \"N\"\ntype = \"int\"";
  const auto vector = [&](const std::string& value) {
    return folder.good(number, "name = \"v\"\ntype = \"float2\"\nvalue = " + value).arguments[2];
  };
  CHECK(vector("\"N / 2\"").value->text == "N / 2");
  REQUIRE(vector("[\"N\", 0.5]").components.size() == 2);
  CHECK(vector("[\"N\", 0.5]").components[0].text == "N");
  CHECK(folder.mistake(number, "name = \"N\"\ntype = \"float2\"\nvalue = [1, 2, 3]") ==
        "[1,: 3 values for N, which has 2");
  CHECK(folder.mistake(number, "name = \"N\"\ntype = \"int\"\nvalue = [1]") ==
        "[1]: 1 values for N, which has 1");
}

TEST_CASE("an init has the usual distributions, with expressions for numbers") {
  const SpecFolder folder;
  const auto init = [&](const std::string& text) {
    return folder.good(filled, "init = \"" + text + "\"").arguments[0].init.usual;
  };
  CHECK(static_cast<Init>(init("normal(0, 2)")) == Init{Init::Kind::normal, 0, 2});
  CHECK(static_cast<Init>(init("sparse(0.1, -1, 1)")) == Init{Init::Kind::sparse, -1, 1, 0.1});
  CHECK(init("permutation(0)").kind == Init::Kind::permutation);
  const auto sorted = init("sorted(0, min(N, 7) - 1)");
  REQUIRE(sorted.expressions.size() == 2);
  CHECK(sorted.expressions[1].text == "min(N, 7) - 1");
  CHECK(folder.mistake(filled, "init = \"normal(0, -1)\"") == "normal: normal(0, -1) has no spread");
  CHECK(folder.mistake(filled, "init = \"sparse(2, 0, 1)\"") ==
        "sparse: sparse(2, 0, 1) is no share and an interval");
  CHECK(folder.mistake(filled, "init = \"sorted(1, 0)\"") == "sorted: sorted(1, 0) descends");
  CHECK(folder.mistake(filled, "init = \"permutation(0.5)\"") ==
        "permutation: permutation(0.5) begins with no whole number");
  CHECK(folder.mistake(filled, "init = \"uniform(0, M)\"") == "M: unknown name `M` in `M`");
  CHECK(folder.mistake(filled, "init = \"uniform(0, BLOCK)\"") == "BLOCK: `BLOCK` depends on a parameter");
  CHECK(folder.mistake(filled, "init = \"generated\"") == "A: nothing generates `A`");
  CHECK(folder.mistake(filled, "init = \"constant(1)\"\nsecond_init = \"generated\"") ==
        "A: nothing generates `A`");
  CHECK(
      folder.mistake("access = \"in\"\nextent = [\"total\"]\n" + std::string(filled),
                     "access = \"workspace\"\nrestore = true\nextent = [\"total\"]\ninit = \"generated\"") ==
      "A: `A` is generated, and is a workspace");
}

TEST_CASE("narrow types hold what they hold") {
  const SpecFolder folder;
  const auto with_type = [&](const std::string& type, const std::string& init) {
    return folder.mistake(
        "type = \"ELEMENT_TYPE*\"\naccess = \"in\"\nextent = [\"total\"]\n" + std::string(filled),
        "type = \"" + type + "*\"\naccess = \"in\"\nextent = [\"total\"]\ninit = \"" + init + "\"");
  };
  const std::string no = "elements of type ";
  CHECK(with_type("half", "constant(70000)").find(no + "__half cannot hold") != std::string::npos);
  CHECK(with_type("half", "integers(0, 4096)").find(no + "__half cannot hold") != std::string::npos);
  CHECK(with_type("__nv_fp8_e4m3", "uniform(-500, 500)").find(no + "__nv_fp8_e4m3") != std::string::npos);
  CHECK(with_type("bool", "integers(0, 2)").find(no + "bool cannot hold") != std::string::npos);
  CHECK(with_type("short", "constant(40000)").find(no + "short cannot hold") != std::string::npos);
  CHECK(with_type("int4", "normal(0, 1)").find("normal makes real numbers") != std::string::npos);
}

TEST_CASE("a .npy says its type and shape; anything else is elements as they are") {
  const SpecFolder folder;
  folder.write("a.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }", 60));
  const auto rule = folder.good(filled, "init = \"file(a.npy)\"").arguments[0].init.usual;
  CHECK(rule.kind == Init::Kind::file);
  CHECK(rule.shape == std::vector<std::int64_t>{3, 5});
  CHECK(rule.contents.elements == 15);
  CHECK(rule.contents.first_byte == 128);
  CHECK(rule.contents.type == ElementType::float32);
  folder.write("a.bin", std::string(24, '\2'));
  const auto raw = folder.good(filled, "init = \"file(a.bin)\"").arguments[0].init.usual;
  CHECK(raw.shape.empty());
  CHECK(raw.contents.elements == 6);
  CHECK(raw.contents.digest != rule.contents.digest);
}

TEST_CASE("a file's name may have sizes in it: then each file that is there is one problem's") {
  const SpecFolder folder;
  folder.write("a.7.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }", 28));
  folder.write("a.12.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (12,), }", 48));
  folder.write("a.x.npy", "of nobody");
  folder.write("a.7.npy.old", "of nobody");
  const auto rule = folder.good(filled, "init = \"file(a.{N}.npy)\"").arguments[0].init.usual;
  REQUIRE(rule.of_sizes.size() == 2);
  for (const auto& one : rule.of_sizes) CHECK(one.contents.elements == one.sizes.at("N"));
  CHECK(folder.mistake(filled, "init = \"file(b.{N}.npy)\"") == "file: no file is called \"b.{N}.npy\"");
  CHECK(folder.mistake(filled, "init = \"file(a.{O}.npy)\"") == "file: {O} in \"a.{O}.npy\" is no size");
  folder.write("a.3.npy", "1 2 3");
  CHECK(folder.mistake(filled, "init = \"file(a.{N}.npy)\"") == "file: \"a.3.npy\" is no .npy");
}

TEST_CASE("a file that does not fit is told with what it holds") {
  const SpecFolder folder;
  const auto mistake = [&](const std::string& name) {
    return folder.mistake(filled, "init = \"file(" + name + ")\"");
  };
  CHECK(mistake("none.npy") == "file: \"none.npy\" is no file");
  folder.write("double.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 16));
  CHECK(mistake("double.npy") ==
        "file: \"double.npy\" holds elements of type double, and the buffer's are float");
  folder.write("columns.npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1), }", 8));
  CHECK(mistake("columns.npy") == "file: \"columns.npy\" is in column-major order");
  folder.write("short.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }", 8));
  CHECK(mistake("short.npy") == "file: \"short.npy\" ends before its last element");
  folder.write("huge.npy",
               npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 8));
  CHECK(mistake("huge.npy") == "file: \"huge.npy\" ends before its last element");
  folder.write("text.npy", "1 2 3");
  CHECK(mistake("text.npy") == "file: \"text.npy\" is no .npy");
  folder.write("long.npy", "1 2 3 4 5 6 7 8 9 10 11 12 13 14");
  CHECK(mistake("long.npy") == "file: \"long.npy\" is no .npy");
  std::string other_magic = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 8);
  other_magic[1] = 'n';
  folder.write("magic.npy", other_magic);
  CHECK(mistake("magic.npy") == "file: \"magic.npy\" is no .npy");
  folder.write("fields.npy", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", 8));
  CHECK(mistake("fields.npy") == "file: \"fields.npy\" is no .npy");
  folder.write("odd.bin", "12345");
  CHECK(mistake("odd.bin") == "file: \"odd.bin\" has 5 bytes, which is no number of elements of type float");
}

TEST_CASE("a tolerance stands for the rounding bound, or beside it") {
  const SpecFolder folder;
  const auto verify = [&](const std::string& lines) { return *folder.good(bound, lines + "\n").verify; };
  const auto all =
      verify("tolerance = { absolute = 1e-6, relative = 1e-5, ulp = 2, share = 0.25 }").tolerance;
  CHECK(all == tuner::model::Tolerance{1e-6, 1e-5, 2, 0.25});
  CHECK(verify("tolerance = { ulp = 2 }").rounding_terms.text == "0");
  CHECK(verify("rounding_terms = \"N\"\ntolerance = { ulp = 2 }").rounding_terms.text == "N");
  CHECK(verify("rounding_terms = 1\naccumulate = \"float\"").accumulator == ElementType::float32);
  const auto mistake = [&](const std::string& lines) { return folder.mistake(bound, lines + "\n"); };
  CHECK(mistake("tolerance = 1e-6") == "1e-6: \"tolerance\" must be a table, found number 1e-06");
  CHECK(mistake("tolerance = { absolut = 1e-6 }").find("unknown key \"absolut\" in tolerance") !=
        std::string::npos);
  CHECK(mistake("tolerance = { share = 1 }") ==
        "1: \"share\" must be a number from 0 to less than 1, found integer 1");
  CHECK(mistake("tolerance = { relative = -1e-6 }").find("\"relative\" must be a number from 0 on") !=
        std::string::npos);
  CHECK(mistake("tolerance = { relative = 0 }") == "{: \"tolerance\" allows nothing");
  CHECK(mistake("rounding_terms = 1\naccumulate = \"int\"") == "int: \"int\" is no type that rounds");
}

TEST_CASE("outputs may count in part, in any order, and be known from a file") {
  const SpecFolder folder;
  const auto output = [&](const std::string& line) {
    return folder.good(extent, std::string(extent) + "\n" + line).arguments[1];
  };
  CHECK(output("unwritten = \"ignored\"").ignores_unwritten);
  CHECK_FALSE(output("unwritten = \"untouched\"").ignores_unwritten);
  CHECK(output("unordered = \"N\"").unordered->text == "N");
  const auto mistake = [&](std::string_view at, const std::string& line) {
    return folder.mistake(at, std::string(at) + "\n" + line);
  };
  CHECK(mistake(extent, "unwritten = true") ==
        "true: \"unwritten\" must be \"untouched\" or \"ignored\", found boolean true");
  CHECK(mistake(extent, "unordered = \"BLOCK\"") == "BLOCK: `BLOCK` depends on a parameter");
  CHECK(mistake(filled, "unordered = 4") == "unordered: A is no output, so it has no \"unordered\"");
  CHECK(mistake(extent, "expected = \"uniform(0, 1)\"").find("\"expected\" is no file") != std::string::npos);
  folder.write("c.bin", std::string(8, '\3'));
  CHECK(mistake(extent, "expected = \"file(c.bin)\"") ==
        "A: A differs between the two input sets, and what is expected comes from a file");
}

TEST_CASE("a generator is device code with launches of its own") {
  const SpecFolder folder;
  const std::string generate =
      "[generate]\nsource = \"inputs.cu\"\n[generate.launch]\nentry = \"f\"\nblock = 1\ngrid = 1\narguments "
      "= "
      "[\"A\", \"seed\", \"N\"]\n[verify]";
  const KernelSpec spec = folder.good("[verify]", generate);
  REQUIRE(spec.generator);
  CHECK(spec.generator->source[0].name == "inputs.cu");
  CHECK(spec.generator->steps[0].arguments[1] == "seed");
  CHECK(folder.mistake("[verify]", "[generate]\nsource = \"inputs.cu\"\n[verify]") ==
        "[generate]: [generate] has no \"launch\"");
  CHECK(folder.mistake("arguments = [\"A\", \"C.expected\"", "arguments = [\"A\", \"seed\", \"C.expected\"")
            .find("unknown argument `seed`") != std::string::npos);
}

TEST_CASE("a source and a header may begin with a mark of their encoding, as editors write it") {
  const SpecFolder folder;
  const std::string mark = "\xEF\xBB\xBF";
  folder.write("h.cuh", mark + "int n;");
  folder.write("k.cu", mark + "#include \"h.cuh\"\nvoid");
  const KernelSpec spec = folder.good(bound, bound);
  REQUIRE(spec.source.size() == 2);
  CHECK(spec.source[0].text == "#include \"h.cuh\"\nvoid");
  CHECK(spec.source[1].text == "int n;");
}

TEST_CASE("a spec says what is right, or that nobody knows") {
  const SpecFolder folder;
  CHECK(folder.mistake("constraints", "verify = \"nothing\"\nconstraints").find("redefine") !=
        std::string::npos);
  const TemporaryFolder bare;
  bare.write("k.cu", "");
  const std::string text =
      "[kernel]\nname = \"k\"\nsource = \"k.cu\"\nentry = \"k\"\nsizes = [\"N\"]\n[launch]\nblock = 32\ngrid "
      "= 1\n";
  const config::LoadedKernels none = config::load_kernel_file(bare.write("k.toml", text));
  REQUIRE(none.mistakes.size() == 1);
  CHECK(none.mistakes[0].message == "the file has no \"verify\"");
  CHECK(none.mistakes[0].hint.find("verify = \"none\"") != std::string::npos);
  const config::LoadedKernels unknown =
      config::load_kernel_file(bare.write("k.toml", "verify = \"nothing\"\n" + text));
  REQUIRE(unknown.mistakes.size() == 1);
  CHECK(unknown.mistakes[0].message == "\"verify\" must be a table or \"none\", found string \"nothing\"");
  CHECK(
      config::load_kernel_file(bare.write("k.toml", "verify = \"none\"\n" + text)).kernels.at(0).unverified);
}

TEST_SUITE_END();
