// Programs that compile with NVRTC: a spec from the capture alone. The compiler is NVIDIA's, the driver is
// not.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/capture/fixture.hpp"
#include "tests/support/contains.hpp"

namespace {

using tests::Capture;
using tests::Words;
using tuner::test::ProgramResult;
using tuner::test::read_text;

constexpr const char* source =
    "#include \"offset.h\"\n"
    "__global__ void scale(float* y, const float* x, int n, float a) {\n"
    "  REAL value = 0;\n"
    "  int i = blockIdx.x * THREADS + threadIdx.x + OFFSET;\n"
    "  for (int u = 0; u < UNROLL; ++u) value = a * x[min(i, n - 1)];\n"
    "  if (i < n) y[i] = value;\n"
    "}\n";

// NVRTC's own cache wants more of a driver than the stand-in has.
const Words options = {"--gpu-architecture=compute_90",
                       "-DTHREADS=100",
                       "-D",
                       "UNROLL=2",
                       "-DREAL=float",
                       "-DOTHER=1",
                       "--fmad=false",
                       "--no-cache"};

/// A program that compiles `text` with NVRTC, captured in `kept`.
struct Compiled {
  explicit Compiled(const std::string& text = source, const char* user = CAPTURE_NVRTC_ASKS,
                    const std::string& architecture = "compute_90") {
    capture.program = CAPTURE_NVRTC_PROGRAM;
    std::ofstream(capture.folder / "text") << text;
    Words does = {user, capture.folder / "text", "--gpu-architecture=" + architecture};
    does.insert(does.end(), options.begin(), options.end());
    const ProgramResult result = capture.run({"--folder", "kept", "--save", "scale"}, does);
    INFO(result.err);
    CHECK(result.out == "done\n");
  }
  ProgramResult types(Words words) const {
    words.insert(words.begin(), TUNER_BINARY);
    return tuner::test::run_program(words, {{"HOME", capture.folder.path()}, {"COLUMNS", "400"}},
                                    capture.folder.path());
  }
  std::string file(const std::string& name) const { return read_text(capture.folder / name); }

  Capture capture;
};

}  // namespace

TEST_SUITE("programs that compile with NVRTC") {
  TEST_CASE(
      "a spec needs neither a file nor a value: source, headers, macros and options are the program's") {
    const char* user = CAPTURE_NVRTC_ASKS;
    std::string architecture = "compute_90";
    SUBCASE("NVRTC is opened and asked for its functions") {}
    SUBCASE("it makes a cubin") {
      architecture = "sm_90";
    }
    SUBCASE("a library of the program is linked to NVRTC") {
      user = CAPTURE_NVRTC_LINKED;
    }
    const Compiled program(source, user, architecture);
    const ProgramResult init = program.types({"init", "--from", "kept"});
    INFO(init.err);
    REQUIRE(init.exit_code == 0);
    CHECK(init.out == "scale.toml\nscale.cu\n");
    CHECK(contains(init.err, "then:\n  tuner check scale.toml --sizes "));
    CHECK(contains(init.err, "\n  tuner run --kernel scale.toml --sizes "));
    const std::string spec = program.file("scale.toml");
    INFO(spec);
    CHECK(contains(spec, "source = \"scale.cu\""));
    CHECK(contains(spec, "default = { THREADS = 100, UNROLL = 2 }"));
    CHECK(contains(spec, "include = [\"scale_recorded/include\"]"));
    CHECK(contains(spec, "options = [\"--fmad=false\"]"));
    CHECK(contains(spec, "block = [\"THREADS\"]"));
    CHECK(contains(program.file("scale.cu"), "#ifndef THREADS\n#define THREADS 100\n#endif\n"));
    CHECK(contains(program.file("scale.cu"), "#define REAL float\n"));
    CHECK_FALSE(contains(program.file("scale.cu"), "OTHER"));
    const ProgramResult run =
        program.types({"run", "--kernel", "scale.toml", "--device", "cpu", "--sizes", "1000"});
    INFO(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "THREADS="));
    CHECK_FALSE(contains(run.out, "unverified"));
    CHECK(program.types({"init", "--from", "kept"}).exit_code == 2);
    CHECK(program.types({"init", "--from", "kept", "--force"}).exit_code == 0);
    // A source of someone's own is not written over.
    std::ofstream(program.capture.folder / "scale.cu") << "mine";
    const ProgramResult other = program.types({"init", "--from", "kept", "--force"});
    CHECK(other.exit_code == 2);
    CHECK(contains(other.err, "scale.cu is there already, and is not what the program compiled"));
    CHECK(program.file("scale.cu") == "mine");
  }

  TEST_CASE("a later process that loads the binary an earlier one kept has its source") {
    Capture capture;
    std::ofstream(capture.folder / "text") << source;
    capture.environment["KEPT_BINARY"] = capture.folder / "binary";
    std::string once =
        std::string(CAPTURE_NVRTC_PROGRAM) + " " + CAPTURE_NVRTC_ASKS + " text --gpu-architecture=sm_90";
    for (const std::string& option : options) once += " '" + option + "'";
    capture.program = "/bin/sh";
    capture.run({"--folder", "kept", "--save", "scale", "--children"}, {"-c", once + " && " + once});
    const auto init = tuner::test::run_program({TUNER_BINARY, "init", "--from", "kept"},
                                               {{"HOME", capture.folder.path()}, {"COLUMNS", "400"}},
                                               capture.folder.path());
    CHECK_MESSAGE(init.exit_code == 0, init.err);
    CHECK_FALSE(contains(init.err, "left out"));
  }

  TEST_CASE("numbers that a program writes above its source become parameters") {
    const std::string defines = "#define THREADS 100\n#define UNROLL 2\n#define REAL float\n";
    const Compiled program(defines + source);
    CHECK(program.types({"init", "--from", "kept"}).exit_code == 0);
    CHECK(contains(program.file("scale.toml"), "default = { THREADS = 100, UNROLL = 2 }"));
    // The file itself has no numbers: they are the capture's.
    std::ofstream(program.capture.folder / "mine.cu") << source;
    std::ofstream(program.capture.folder / "offset.h") << "#define OFFSET 0\n";
    const ProgramResult init = program.types({"init", "--from", "kept", "mine.cu", "--force"});
    INFO(init.err);
    CHECK(contains(program.file("scale.toml"), "source = \"mine.cu\""));
    CHECK(contains(program.file("scale.toml"), "default = { THREADS = 100, UNROLL = 2 }"));
    CHECK(contains(program.file("scale.toml"), "options = [\"--fmad=false\", \"-DREAL=float\"]"));
    CHECK_FALSE(contains(init.err, "which value had it"));
    const ProgramResult run =
        program.types({"run", "--kernel", "scale.toml", "--device", "cpu", "--sizes", "1000"});
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  }

  TEST_CASE("a value of the command line takes the place of the capture's") {
    const Compiled program;
    CHECK(program.types({"init", "--from", "kept", "-D", "UNROLL=8"}).exit_code == 0);
    CHECK(contains(program.file("scale.toml"), "UNROLL = 8"));
    const ProgramResult wrong = program.types({"init", "--from", "kept", "-D", "8=UNROLL"});
    CHECK(wrong.exit_code == 2);
    CHECK(contains(wrong.err, "-D 8=UNROLL names no macro"));
  }

  TEST_CASE("a capture without sources asks for a file, and nothing is kept where nothing is saved") {
    const Compiled program;
    const auto launch = std::filesystem::path(nlohmann::json::parse(program.file("kept/capture.json"))
                                                  .at("saved")
                                                  .at(0)
                                                  .at("folder")
                                                  .get<std::string>());
    CHECK(contains(program.file("kept" / launch / "source.cu"), "THREADS"));
    std::filesystem::remove(program.capture.folder / ("kept" / launch / "header-0"));
    CHECK(contains(program.types({"init", "--from", "kept"}).err, "header-0 is missing"));
    const ProgramResult none = program.types({"init"});
    CHECK(none.exit_code == 2);
    CHECK(contains(none.err, "no kernel was named for the spec"));
    Capture other;
    other.run({"--folder", "kept", "--save", "scale"}, {"init", "scale"});
    const ProgramResult init = tuner::test::run_program({TUNER_BINARY, "init", "--from", "kept"},
                                                        {{"HOME", other.folder.path()}}, other.folder.path());
    CHECK(init.exit_code == 2);
    CHECK(contains(init.err, "kept has no source of a kernel that was kept"));
  }
}
