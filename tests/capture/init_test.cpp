// From a captured program to a spec that runs: `tuner init --from`.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/capture/fixture.hpp"
#include "tests/support/contains.hpp"

namespace {

using tests::Capture;
using tests::Words;
using tuner::test::ProgramResult;
using tuner::test::read_text;

constexpr const char* scale_source = R"(
__global__ void scale(float* y, const float* x, int n, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
)";

constexpr const char* scale_spec = R"toml(verify = "none"
[kernel]
name = "scale"
source = "scale.cu"
entry = "scale"
sizes = ["N"]
default = { THREADS = 32 }
[parameters]
THREADS = { values = [32, 64], runtime = true }
[launch]
block = "THREADS"
grid = "ceil_div(N, THREADS)"
[[arguments]]
name = "y"
type = "float*"
access = "out"
extent = "N"
[[arguments]]
name = "x"
type = "float*"
access = "in"
extent = "N"
init = "uniform(-1, 1)"
[[arguments]]
name = "n"
type = "int"
value = "N"
[[arguments]]
name = "a"
type = "float"
value = "2"
)toml";

/// A program that was captured in the folder `kept`, and the source of its kernel.
struct Captured {
  Captured(const Words& does, const std::string& save = "scale:sizes", const Words& flags = {},
           bool varies = false) {
    if (varies) capture.environment["STAND_IN_VARIES"] = "1";
    Words words = {"--folder", "kept", "--save", save};
    words.insert(words.end(), flags.begin(), flags.end());
    capture.run(words, does);
    write("scale.cu", scale_source);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(capture.folder / name) << text;
  }
  /// Without the driver that the program had.
  ProgramResult types(Words words) const {
    words.insert(words.begin(), TUNER_BINARY);
    return tuner::test::run_program(words, {{"HOME", capture.folder.path()}, {"COLUMNS", "400"}},
                                    capture.folder.path());
  }
  std::string spec() const { return read_text(capture.folder / "scale.toml"); }
  ProgramResult runs(const std::string& size) const {
    return types({"run", "--kernel", "scale.toml", "--device", "cpu", "--sizes", size});
  }
  void refused(const Words& words, const std::string& why, int code = 2) const {
    const ProgramResult result = types(words);
    CHECK(result.exit_code == code);
    CHECK_MESSAGE(contains(result.err, why), result.err);
  }

  Capture capture;
};

/// Puts `by` in the place of `text`, which is there.
void replace(const std::string& path, const std::string& text, const std::string& by) {
  std::string all = read_text(path);
  REQUIRE(contains(all, text));
  all.replace(all.find(text), text.size(), by);
  std::ofstream(path) << all;
}

}  // namespace

TEST_SUITE("init from a capture") {
  TEST_CASE("a captured kernel is tuned and verified without a line written") {
    const Captured captured({"init", "scale"});
    const ProgramResult init = captured.types({"init", "--from", "kept", "scale.cu"});
    INFO(init.err);
    REQUIRE(init.exit_code == 0);
    CHECK(init.out == "scale.toml\n");
    const std::string spec = captured.spec();
    INFO(spec);
    CHECK(contains(spec, "sizes = [\"N\"]  # 1000 in the program"));
    CHECK(contains(spec, "block = [\"BLOCK_SIZE\"]"));
    CHECK(contains(spec, "grid = [\"ceil_div(N, BLOCK_SIZE)\"]"));
    CHECK(contains(spec, "default = { BLOCK_SIZE = 100 }"));
    CHECK(contains(spec, "init = \"file(scale_recorded/x.npy)\""));
    CHECK(contains(spec, "expected = \"file(scale_recorded/y.expected.npy)\""));
    CHECK(contains(spec, "value = \"2\""));
    const ProgramResult check = captured.types({"check", "scale.toml"});
    INFO(check.out, check.err);
    CHECK(check.exit_code == 0);
    const ProgramResult run = captured.runs("1000");
    INFO(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK_FALSE(contains(run.out, "unverified"));
    CHECK(contains(run.out, "BLOCK_SIZE="));

    SUBCASE("another result than the recorded one is wrong") {
      replace(captured.capture.folder / "scale.cu", "a * x[i]", "a + x[i]");
      CHECK(captured.runs("1000").exit_code == 1);
    }
    SUBCASE("a second draft takes the place of the first only when told to") {
      captured.refused({"init", "--from", "kept", "scale.cu"}, "scale.toml is there already");
      CHECK(captured.types({"init", "--from", "kept", "scale.cu", "--force"}).exit_code == 0);
    }
  }

  TEST_CASE("launches of several sizes are one spec, and each size is held against its own launch") {
    const Captured captured({"init", "scale", "small", "add"}, "scale:sizes", {"--twice"});
    const ProgramResult init = captured.types({"init", "--from", "kept", "scale.cu"});
    INFO(init.err);
    CHECK(contains(init.err, "tuner run --kernel scale.toml --sizes 1000,300"));
    const std::string spec = captured.spec();
    INFO(spec);
    CHECK(contains(spec, "access = \"out\"  # written, never read"));
    CHECK(contains(spec, "init = \"file(scale_recorded/x.{N}.bin)\""));
    CHECK(contains(spec, "expected = \"file(scale_recorded/y.expected.{N}.bin)\""));
    CHECK(contains(spec, "# equal: two runs of each launch gave the same bits"));
    const std::string small = captured.capture.folder / "scale_recorded/y.expected.300.bin";
    CHECK(std::filesystem::file_size(small) == 1200);
    const ProgramResult run = captured.runs("kept");
    INFO(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.err, "scale: 2 sizes of kept with 100 % of its time"));
    CHECK_FALSE(contains(run.out, "unverified"));
    // A size that no launch was kept of has nothing to be held against.
    const ProgramResult unkept = captured.runs("1000,500");
    CHECK_MESSAGE(contains(unkept.err, "there is no scale_recorded/y.expected.{N}.bin for 500"), unkept.out,
                  unkept.err);
    std::string wrong = read_text(small);
    wrong[1199] = '\1';
    std::ofstream(small, std::ios::binary) << wrong;
    const ProgramResult judged = captured.types(
        {"run", "--kernel", "scale.toml", "--device", "cpu", "--sizes", "kept", "--db", "other.db"});
    CHECK_MESSAGE(contains(judged.out, "300: no usable trial among "), judged.out);
  }

  TEST_CASE(
      "memory that is as much in every launch, and more than any needs, is enough for all their sizes") {
    const Captured captured({"roomy", "init", "small", "scale"}, "scale:sizes", {"--twice"});
    const ProgramResult init = captured.types({"init", "--from", "kept", "scale.cu"});
    INFO(init.err);
    CHECK(contains(init.err, "tuner run --kernel scale.toml --sizes 1000,300"));
    const std::string spec = captured.spec();
    INFO(spec);
    CHECK(contains(spec, "extent = [\"1500\"]"));
    CHECK(contains(spec, "constraints = [\"N <= 1000\"]"));
    const ProgramResult run = captured.runs("kept");
    INFO(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.err, "scale: 2 sizes of kept with 100 % of its time"));
    CHECK_FALSE(contains(run.out, "unverified"));
  }

  TEST_CASE("a check looks at the sizes that were recorded, and says once where there is no file for one") {
    const Captured captured({"init", "scale", "small"}, "scale:sizes");
    REQUIRE(captured.types({"init", "--from", "kept", "scale.cu"}).exit_code == 0);
    const auto checks = [&](const Words& more) {
      Words words = {"check", "scale.toml", "--device", "cpu"};
      words.insert(words.end(), more.begin(), more.end());
      return captured.types(words);
    };
    const ProgramResult plain = checks({});
    INFO(plain.out, plain.err);
    CHECK(plain.exit_code == 0);
    CHECK(contains(plain.out, "at 2 sizes, the last 1000"));
    CHECK_FALSE(contains(plain.out, "there is no"));
    std::ofstream(captured.capture.folder / "tuner.toml") << "sizes = \"64\"\n";  // for other kernels
    CHECK(checks({}).out == plain.out);
    const ProgramResult asked = checks({"--sizes", "300,500,600"});
    INFO(asked.out, asked.err);
    CHECK(asked.exit_code == 0);
    CHECK(contains(asked.out, "at 300"));
    CHECK(contains(asked.err, "scale: not looked at 500, 600: its files are of 300, 1000"));
    CHECK_FALSE(contains(asked.out, "there is no"));
    const ProgramResult sanitized = checks({"--sanitize"});
    CHECK_MESSAGE(sanitized.exit_code == 0, sanitized.out, sanitized.err);
    CHECK_MESSAGE(contains(sanitized.out, "at 2 sizes each run, 0 findings"), sanitized.out, sanitized.err);
    const ProgramResult one = checks({"--sanitize", "--sizes", "300,500"});
    CHECK_MESSAGE(contains(one.out, "at 1 size each run, 0 findings"), one.out, one.err);
    CHECK(contains(one.err, "scale: not looked at 500: its files are of 300, 1000"));
    const ProgramResult none = checks({"--sizes", "500"});
    CHECK(none.exit_code == 1);
    CHECK_MESSAGE(contains(none.err, "its files are of 300, 1000"), none.out, none.err);
    std::filesystem::remove(captured.capture.folder / "scale_recorded/x.1000.bin");
    CHECK(contains(checks({}).out, "at 300"));
  }

  TEST_CASE("a check of a spec of one launch looks at its size, and tells one refusal of all once") {
    const Captured captured({"init", "scale"});
    REQUIRE(captured.types({"init", "--from", "kept", "scale.cu"}).exit_code == 0);
    const ProgramResult plain = captured.types({"check", "scale.toml", "--device", "cpu"});
    CHECK_MESSAGE(contains(plain.out, "at 1000"), plain.out, plain.err);
    CHECK_FALSE(contains(plain.out, "holds"));
    for (int i = 0; i < 2; ++i)
      replace(captured.capture.folder / "scale.toml", "extent = [\"N\"]", "extent = [\"N + 0\"]");
    const ProgramResult other = captured.types({"check", "scale.toml", "--device", "cpu", "--sizes", "500"});
    INFO(other.out, other.err);
    const std::string why = "`y` is 500, and its file";
    CHECK(other.exit_code == 1);
    REQUIRE(contains(other.err, why));
    CHECK(other.err.find(why) == other.err.rfind(why));
  }

  TEST_CASE("a part of a sweep takes its sizes from a capture, and the parts together are the sweep") {
    const Captured captured({"init", "scale", "small"}, "scale:sizes");
    captured.types({"init", "--from", "kept", "scale.cu"});
    const auto shard = [&](const std::string& part) {
      return captured.types({"run", "--kernel", "scale.toml", "--device", "cpu", "--sizes", "kept", "--shard",
                             part, "--db", "shard" + part.substr(0, 1) + ".db", "--measure", "quick"});
    };
    for (const char* part : {"1/2", "2/2"}) {
      const ProgramResult result = shard(part);
      INFO(result.out, result.err);
      CHECK(result.exit_code == 0);
      CHECK(contains(result.err, "scale: 2 sizes of kept with 100 % of its time"));
    }
    CHECK(captured.types({"merge", "shard1.db", "shard2.db", "--db", "all.db"}).exit_code == 0);
    const ProgramResult rest = captured.types({"run", "--kernel", "scale.toml", "--device", "cpu", "--sizes",
                                               "kept", "--db", "all.db", "--measure", "quick"});
    INFO(rest.out, rest.err);
    CHECK(contains(rest.err, "10 trials, all of them known already"));
    CHECK(contains(rest.out, "searched: whole at all 2 sizes"));
    // A cover of the merged database weighs its sizes by the capture.
    const ProgramResult cover = captured.types(
        {"cover", "--kernel", "scale.toml", "--weights", "kept", "--db", "all.db", "--format", "json"});
    INFO(cover.out, cover.err);
    CHECK(cover.exit_code == 0);
    CHECK(contains(cover.out, "\"weight\": 50000.0"));
    CHECK(contains(cover.out, "\"weight\": 6000.0"));
  }

  TEST_CASE("launches with the same inputs say how exact results are") {
    const Captured once({"init", "scale"}, "scale");
    once.types({"init", "--from", "kept", "scale.cu"});
    CHECK(contains(once.spec(), "# ? how exact a second run is was not recorded"));
    const Captured twice({"init", "scale"}, "scale:1");
    twice.types({"init", "--from", "kept", "scale.cu"});
    CHECK(contains(twice.spec(), "gave the same bits"));
    CHECK_FALSE(contains(twice.spec(), "tolerance"));
    const ProgramResult run = twice.runs("1000");
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  }

  TEST_CASE("a launch that was run twice says how exact results are: its tolerance is measured") {
    const Captured exact({"init", "scale"}, "scale", {"--twice"});
    exact.types({"init", "--from", "kept", "scale.cu"});
    CHECK(contains(exact.spec(), "# equal: two runs of launch 1 gave the same bits"));
    CHECK_FALSE(contains(exact.spec(), "tolerance"));
    CHECK(exact.runs("1000").exit_code == 0);
    const Captured varying({"init", "scale"}, "scale", {"--twice"}, true);
    const ProgramResult init = varying.types({"init", "--from", "kept", "scale.cu"});
    CHECK(contains(varying.spec(), "tolerance = { absolute = 1, "));
    CHECK(contains(varying.spec(), "# two runs of launch 1 differ by 0.25"));
    CHECK_FALSE(contains(init.err, "how exact are results?"));
    CHECK(varying.runs("1000").exit_code == 0);
  }

  TEST_CASE("macros of the source are parameters, and the launch of the source is kept where it agrees") {
    const Captured captured({"init", "scale"});
    captured.write("scale.cu",
                   "#ifndef THREADS\n#define THREADS 256\n#endif\n#ifndef UNROLL\n#define UNROLL 1\n#endif\n"
                   "__global__ void scale(float* y, const float* x, int n, float a) {\n"
                   "  for (int u = 0; u < UNROLL; ++u) {\n"
                   "  int i = (blockIdx.x * THREADS + threadIdx.x) * UNROLL + u;\n"
                   "  if (i < n) y[i] = a * x[i]; } }\n");
    const ProgramResult init = captured.types({"init", "--from", "kept", "scale.cu"});
    INFO(init.err, captured.spec());
    CHECK(contains(captured.spec(), "default = { THREADS = 100, UNROLL = 1 }"));
    CHECK(contains(captured.spec(), "THREADS is 256 in the source, and the program was built with 100"));
    CHECK(captured.runs("1000").exit_code == 0);
  }

  TEST_CASE("an output that held its result already is said to prove nothing where the kernel reads it") {
    const Captured captured({"init", "scale"}, "scale:3");
    // The launch that is left found what others had left before it.
    for (const auto& entry : std::filesystem::recursive_directory_iterator(captured.capture.folder / "kept"))
      if (entry.path().parent_path().filename() == "launch-1") std::filesystem::remove(entry.path());
    captured.write("scale.cu",
                   "__global__ void scale(float* y, const float* x, int n, float a) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "  if (i < n) y[i] = y[i] > 9 ? y[i] : a * x[i]; }\n");
    const ProgramResult init = captured.types({"init", "--from", "kept", "scale.cu"});
    CHECK(contains(init.err, "launch-1 was left half written"));
    CHECK(contains(init.err, "a kernel that does nothing passes there"));
    CHECK(contains(init.err, "keep another one, whose results are new"));
    CHECK(contains(captured.spec(), "access = \"inout\"  # ? it may be written, and did not change"));
  }

  TEST_CASE("a capture says which sizes are swept, what they weigh, and what the program gains") {
    const Captured captured({"init", "scale", "small", "add"});
    captured.write("scale.toml", scale_spec);
    const ProgramResult run = captured.runs("kept");
    INFO(run.out, run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(contains(run.err, "scale: 2 sizes of kept with 100 % of its time"));
    CHECK(contains(run.err, "the kernel takes 65.1 % of the program's GPU time"));
    const ProgramResult cover = captured.types({"cover", "--kernel", "scale.toml", "--weights", "kept"});
    CHECK_MESSAGE(cover.exit_code == 0, cover.err);
    const ProgramResult best = captured.types({"best", "--kernel", "scale.toml", "--program", "kept"});
    CHECK_MESSAGE(contains(best.err, "the default's speed on 65.1 % of the GPU time, which "), best.err);
    // By its name the kernel is the one that was measured, though no shipped kernel is called so.
    CHECK(captured.types({"best", "--kernel", "scale", "--program", "kept"}).err == best.err);
    CHECK(captured.types({"cover", "--kernel", "scale", "--weights", "kept"}).out == cover.out);
    const ProgramResult report =
        captured.types({"report", "--kernel", "scale", "--program", "kept", "-o", "report.md"});
    CHECK_MESSAGE(report.exit_code == 0, report.err);
    CHECK(contains(read_text(captured.capture.folder / "report.md"), "kept: "));
    CHECK(contains(read_text(captured.capture.folder / "report.md"),
                   "the default's speed on 65.1 % of the GPU time, which "));
    captured.refused({"report", "--kernel", "scale.toml", "--program", "kept", "-o", "report.csv"},
                     "rows of CSV have no room");
    captured.refused({"report", "--program", "kept"},
                     "a capture has sizes for each of its kernels, and none was named");
    captured.refused({"best", "--program", "kept"},
                     "a capture has sizes for each of its kernels, and none was named");
    replace(captured.capture.folder / "scale.toml", "value = \"N\"", "value = \"N + 0\"");
    captured.refused({"run", "--kernel", "scale.toml", "--device", "cpu", "--sizes", "kept"},
                     "scale: no argument of the kernel is the size N");
    std::filesystem::remove(captured.capture.folder / "scale.toml");
    captured.refused({"best", "--kernel", "scale", "--program", "kept"},
                     "no kernel or family is called 'scale'");
  }

  TEST_CASE("launches without kept integers are the kernel's time, at sizes that are not known") {
    const Captured captured({"init", "scale", "small", "lengths", "add"}, "add");
    captured.write("scale.toml", scale_spec);
    const ProgramResult plan =
        captured.types({"plan", "--kernel", "scale.toml", "--device", "cpu", "--sizes", "kept"});
    CHECK_MESSAGE(contains(plan.err,
                           "scale: 60 sizes of kept with 73.1 % of its time; 6 that cost less are left out; "
                           "the sizes of 23.1 % are not known; the kernel takes 83.9 % of the program's GPU "
                           "time"),
                  plan.err);
    REQUIRE(captured.runs("1000,300").exit_code == 0);
    const ProgramResult best = captured.types({"best", "--kernel", "scale.toml", "--program", "kept"});
    CHECK_MESSAGE(contains(best.err, "the default's speed on 30.1 % of the GPU time"), best.err);
    CHECK_MESSAGE(contains(best.err, "64.1 % of the kernel's time is at sizes without an answer"), best.err);
  }

  TEST_CASE(
      "kernels of the same name and other types are not the spec's, and those that it cannot tell are "
      "named") {
    const Captured captured({"init", "scale", "small", "add"}, "add");
    captured.write("scale.toml", scale_spec);
    const std::string file = captured.capture.folder / "kept/capture.json";
    nlohmann::json capture = nlohmann::json::parse(read_text(file));
    nlohmann::json& kernels = capture["processes"][0]["kernels"];
    nlohmann::json other = kernels.at(0);
    other["name"] = "_Z5scalePdPKdid";
    kernels.push_back(other);
    std::ofstream(file) << capture;
    REQUIRE(captured.runs("1000,300").exit_code == 0);
    const Words asks = {"best", "--kernel", "scale.toml", "--program", "kept"};
    const ProgramResult best = captured.types(asks);
    CHECK_MESSAGE(contains(best.err, "the default's speed on 39.4 % of the GPU time"), best.err);
    CHECK(!contains(best.err, "counted as one kernel"));
    kernels.back()["name"] = "_Z5scalePfPKfif13StructOfOther";
    std::ofstream(file) << capture;
    CHECK_MESSAGE(contains(captured.types(asks).err, "the default's speed on 39.4 % of the GPU time"),
                  best.err);
    kernels.back()["name"] = "_ZN3ops5scaleEPfPKfif";
    std::ofstream(file) << capture;
    const ProgramResult both = captured.types(asks);
    CHECK_MESSAGE(contains(both.err, "the default's speed on 78.9 % of the GPU time"), both.err);
    CHECK_MESSAGE(contains(both.err,
                           "kept: counted as one kernel: scale(float*, float const*, int, float), "
                           "ops::scale(float*, float const*, int, float)"),
                  both.err);
    kernels.clear();
    other["name"] = "_Z5scaleIdEvPT_PKS0_iS0_";
    kernels.push_back(other);
    std::ofstream(file) << capture;
    captured.refused(
        asks, "kept has no launch of scale with its types and sizes; it has void scale<double>(double*");
  }

  TEST_CASE("a capture that does not fit the source is refused") {
    const Captured captured({"init", "scale", "add"});
    const Words init = {"init", "--from", "kept", "scale.cu"};
    captured.refused({"init", "--from", "nowhere", "scale.cu"}, "nowhere is no capture");
    captured.refused({"init", "--from", "scale.cu", "scale.cu"}, "scale.cu is damaged", 1);
    captured.write("other.cu", "__global__ void other(float* y) { y[0] = 1; }\n");
    captured.refused({"init", "--from", "kept", "other.cu"},
                     "no kernel of other.cu is one that kept has launches of");
    captured.write("both.cu", std::string(scale_source) + "__global__ void add(float* y) { y[0] = 1; }\n");
    captured.refused({"init", "--from", "kept", "both.cu", "--entry", "add"},
                     "kept has no launch of add that was kept, of 3 that it counted");
    captured.write("scale.cu", "__global__ void scale(float* y, const float* x, int n) { y[0] = x[n]; }\n");
    captured.refused(init, "scale takes 3 arguments, and the captured kernel 4");
    captured.write(
        "scale.cu",
        "__global__ void scale(float* y, const float* x, long long n, float a) { y[0] = x[n]; }\n");
    captured.refused(init,
                     "argument 3 of scale, `long long n`, has 8 bytes, and that of the captured kernel 4");
    CHECK_FALSE(std::filesystem::exists(captured.capture.folder / "scale_recorded"));
  }

  TEST_CASE("a folder that was left half written is told with what is missing") {
    const Captured captured({"init", "scale"});
    const Words init = {"init", "--from", "kept", "scale.cu"};
    const std::filesystem::path kept = captured.capture.folder / "kept";
    std::filesystem::path launch;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kept))
      if (entry.path().filename() == "launch.json") launch = entry.path().parent_path();
    SUBCASE("a file of the launch ends early") {
      for (const auto& entry : std::filesystem::directory_iterator(launch))
        if (contains(entry.path().string(), ".before.npy.gz"))
          std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
      CHECK(captured.types(init).exit_code == 1);
      CHECK_FALSE(std::filesystem::exists(captured.capture.folder / "scale.toml"));
    }
    SUBCASE("a file of the launch is missing") {
      for (const auto& entry : std::filesystem::directory_iterator(launch))
        if (contains(entry.path().string(), ".after.npy.gz")) std::filesystem::remove(entry.path());
      captured.refused(init, "is missing");
    }
    SUBCASE("the launch has no manifest") {
      std::filesystem::remove(launch / "launch.json");
      captured.refused(init, "was left half written");
    }
    SUBCASE("the capture has none") {
      std::filesystem::remove(kept / "capture.json");
      captured.refused(init, "a capture that was left half written");
    }
  }
}
