// Someone with a kernel of their own: what goes wrong is told, and what takes long is ended.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "tests/e2e/author.hpp"

using tuner::test::Author;
using tuner::test::filling;
using tuner::test::has;
using tuner::test::read_text;
using tuner::test::SmallKernel;
using tuner::test::User;
using tuner::test::words_of;
using tuner::test::write_text;

TEST_SUITE("tuner command line, own kernels") {
  namespace {

  std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  }  // namespace

  TEST_CASE("flags of a size between the measured ones have the macros of that size") {
    SmallKernel kernel = filling();
    kernel.parameters += "\n\n[macros]\nCOUNT = \"N\"";
    const Author author(kernel);
    const auto run = author.runs({}, "100,200");
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    for (const char* format : {"flags", "cmake", "env", "header"}) {
      const auto best = author.types({"best", "150", "--nearest", "--format", format});
      CHECK(has(best.out, format == std::string("header") ? "COUNT 150" : "COUNT=150"));
    }
    const auto header = author.types({"cover", "--format", "header", "--within", "900%"});
    CHECK(has(header.out, "of_.N = "));
  }

  TEST_CASE("a size that was never measured is not answered with what the spec excludes there") {
    SmallKernel kernel = filling();
    kernel.parameters = "WASTE = [0, 3000]";
    kernel.block = "32";
    kernel.loops = "100 * WASTE";
    kernel.before = "constraints = [\"WASTE > 0 || N % 100 == 0\"]";
    const Author author(kernel);
    REQUIRE(author.runs({}, "100,200").exit_code == 0);
    CHECK(has(author.types({"best", "200"}).out, "WASTE=0"));
    const auto allowed = author.types({"best", "150"});
    CHECK(has(allowed.out, "WASTE=3000"));
    CHECK(has(words_of(allowed.err), "which its spec excludes at 150: this is the best that it allows"));
    CHECK(has(author.types({"best", "150", "--nearest"}).out, "WASTE=0"));
    CHECK(author.types({"best", "150", "--format", "flags"}).exit_code == 3);
    kernel.before = "constraints = [\"N % 100 == 0\"]";
    const Author other(kernel);
    REQUIRE(other.runs({}, "100,200").exit_code == 0);
    const auto none = other.types({"best", "150"});
    CHECK(none.exit_code == 0);
    CHECK(has(words_of(none.err), "excludes at 150: it allows none of those that have a time"));
  }

  TEST_CASE("a question names a kernel by the folder of its spec, where that holds one") {
    const Author author(filling());
    REQUIRE(author.runs({}, "100").exit_code == 0);
    const auto by_folder = author.types({"best", "100", "--kernel", "./"});
    CHECK_MESSAGE(by_folder.exit_code == 0, by_folder.err);
    CHECK(by_folder.out == author.types({"best", "100", "--kernel", "fill.toml"}).out);
    SmallKernel other = filling();
    other.name = "other";
    other.write(author.home);
    const auto of_two = author.types({"best", "100", "--kernel", "./"});
    CHECK(of_two.exit_code == 2);
    CHECK(has(of_two.err, "./ holds 2 kernels, and --kernel is of one here"));
    CHECK(has(of_two.err, "name one: fill, other"));
  }

  TEST_CASE("flags are of no size where a constraint excludes them") {
    SmallKernel kernel = filling();
    kernel.before = "constraints = [\"N % 100 == 0\"]";
    const Author author(kernel);
    REQUIRE(author.runs({}, "100").exit_code == 0);
    CHECK(author.types({"best", "200", "--nearest", "--format", "flags"}).exit_code == 0);
    const auto refused = author.types({"best", "150", "--nearest", "--format", "flags"});
    CHECK(refused.exit_code == 3);
    CHECK(refused.out.empty());
    CHECK(has(words_of(refused.err), "may be wrong at 150: a constraint of its spec does not hold"));
  }

  TEST_CASE("kernel_launcher's wisdom has a file for each of several types") {
    const Author author(filling("types = [\"float\", \"int\"]\n"));
    for (const char* type : {"float", "int"}) REQUIRE(author.runs({"--type", type}).exit_code == 0);
    const auto written = author.types({"export", "--format", "kernel-launcher", "-o", "wisdom/"});
    CHECK_MESSAGE(has(written.err, "2 files written"), written.err);
    CHECK(has(read_text(author.home / "wisdom/fill_float.wisdom"), "\"key\":\"fill_float\""));
    CHECK(has(read_text(author.home / "wisdom/fill_int.wisdom"), "\"key\":\"fill_int\""));
  }

  TEST_CASE("flags and header of the best are what its source was compiled with") {
    SmallKernel kernel = filling("", "REAL(3) + 0 * ROWS");
    kernel.parameters +=
        "\nREAL = { values = [\"float\"], spelled = true }\n\n[macros]\nROWS = \"1024 / BLOCK\"";
    const Author author(kernel);
    const auto run = author.runs();
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    const auto best = author.types({"best", "--size", "100", "--format", "flags"});
    CHECK(has(best.out, "-DREAL=float"));
    CHECK(((has(best.out, "-DBLOCK=64 ") && has(best.out, "-DROWS=16 ")) ||
           (has(best.out, "-DBLOCK=128 ") && has(best.out, "-DROWS=8 "))));
    CHECK(has(author.types({"best", "--size", "100", "--format", "header"}).out, "#define REAL float\n"));
  }

  TEST_CASE("the documented command builds from the flags alone what was measured") {
    SmallKernel kernel = filling("options = [\"-DFACTOR=3\"]\n", "FACTOR");
    kernel.begin =
        "#if ORDER != ORDER_rows && ORDER != ORDER_columns\n#error which\n#endif\n"
        "template <int A, int B> struct Tile { static constexpr int product = A * B; };\n"
        "static_assert(FACTOR == 3 && sizeof(ELEMENT_TYPE) == 4 && Tile<1, 2>::product == 2);\n"
        "__device__ PAIR pair; __device__ WIDE wide;\n";
    kernel.parameters =
        "BLOCK = [64]\nORDER = [\"rows\", \"columns\"]\nPAIR = { values = [\"Tile<8, 4>\"], spelled = true "
        "}\n"
        "WIDE = { values = [\"unsigned int\"], spelled = true }\nCHUNK = { values = [2, 4], runtime = true }";
    kernel.block = "BLOCK * CHUNK / CHUNK";
    const Author author(kernel);
    const auto run = author.runs();
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    const auto flags = author.types({"best", "100", "--format", "flags"});
    CHECK_FALSE(has(flags.out, "CHUNK"));
    CHECK(has(flags.err, "run-time parameters, to be passed as arguments: CHUNK="));
    CHECK_FALSE(has(flags.err, "warning"));
    const auto in_shell = [&](const std::string& command) {
      return tuner::test::run_program({"/bin/sh", "-c", command},
                                      {{"HOME", author.home.path()}, {"PATH", std::getenv("PATH")}},
                                      author.home.path());
    };
    if (in_shell("PATH=$PATH:/usr/local/cuda/bin command -v nvcc").exit_code != 0) {
      MESSAGE("no nvcc here");
      return;
    }
    const std::string nvcc = "PATH=$PATH:/usr/local/cuda/bin nvcc ";
    const std::string tuner = TUNER_BINARY;
    const auto by_flags = in_shell(nvcc + "$(" + tuner + " best 100 --format flags) -c -o fill.o fill.cu");
    CHECK_MESSAGE(by_flags.exit_code == 0, by_flags.out, by_flags.err);
    const auto by_header = in_shell(tuner + " best 100 --format header > best.h && " + nvcc +
                                    "-include best.h -DFACTOR=3 -c -o fill.o fill.cu");
    CHECK_MESSAGE(by_header.exit_code == 0, by_header.out, by_header.err);

    // Without its spec the answer is what the database knows, and says so.
    std::filesystem::rename(author.home / "fill.toml", author.home / "gone.toml");
    const auto alone = author.types({"best", "100", "--format", "flags"});
    CHECK(alone.exit_code == 0);
    CHECK(has(alone.err, "warning: the spec of fill is not at hand"));
    CHECK_FALSE(has(alone.out, "-DFACTOR=3"));
    const auto named = author.types({"best", "100", "--kernel", "gone.toml", "--format", "flags"});
    CHECK(named.out == flags.out);
    CHECK_FALSE(has(named.err, "warning"));
  }

  TEST_CASE("check looks at every size that was asked for, and at 1024 where those have other dimensions") {
    SmallKernel kernel = filling();
    kernel.before = "constraints = [\"BLOCK == 64 || N * M == 10000\"]\n";
    std::string spec = kernel.spec();
    spec.replace(spec.find("[\"N\"]"), 5, "[\"N\", \"M\"]");
    const Author author(kernel);
    write_text(author.home / "fill.toml", spec);
    struct Asked {
      std::string sizes;
      std::string configurations;
    };
    for (const Asked& asked :
         {Asked{"100", "2 configurations"}, Asked{"500x20", "2 configurations"},
          Asked{"7,100", "2 configurations"}, Asked{"100,7", "1 to 2 configurations at 2 sizes, the last 7"},
          Asked{"100x100x100", "1 configuration"}}) {
      CAPTURE(asked.sizes);
      const auto said =
          author.types({"check", "--device", "cpu", "--sizes", asked.sizes, author.home / "fill.toml"});
      INFO(said.out);
      INFO(said.err);
      CHECK(said.exit_code == 0);
      CHECK(has(said.out, asked.configurations));
    }
  }

  TEST_CASE("what does not compile is not sound: equal errors are told once, with their count, and in full") {
    const Author author(filling("", "three"));
    const auto check = author.types({"check", "--device", "cpu", author.home / "fill.toml"});
    CHECK(check.exit_code == 1);
    CHECK_FALSE(has(check.out, "sound"));
    CHECK(has(check.out, "fill: none of the sample compiles; 2 configurations"));
    CHECK(has(check.err, "fill: compile_error of 2 configurations, the first BLOCK="));
    CHECK(has(check.err, "2 configurations do not compile"));
    CHECK(count(check.err + check.out, "'three' was not declared") == 1);
  }

  TEST_CASE("a mistake in some configurations alone is told with how many there are") {
    const Author author(filling("", "3.0f; static_assert(BLOCK != 64); y[i] = 3"));
    const auto check = author.types({"check", "--device", "cpu", author.home / "fill.toml"});
    CHECK(check.exit_code == 1);
    CHECK(has(check.out, "fill: 1 of the 2 compiled fail; 2 configurations"));
    CHECK(has(check.err, "fill: compile_error of 1 configuration, BLOCK=64:"));
    CHECK(has(check.err, "1 configuration does not compile"));
  }

  TEST_CASE("a run of which every trial failed is a failure, also where all were known to") {
    const Author author(filling("", "4"));
    const auto run = author.runs({}, "100,200");
    CHECK(run.exit_code == 1);
    CHECK(has(run.err, "4 trials failed, which is all of them: nothing has a result"));
    const auto again = author.runs({}, "100,200");
    CHECK(again.exit_code == 1);
    CHECK(has(again.err, "nothing has a result: all trials failed or were skipped before"));

    const auto failures = author.types({"list", "failures"});
    CHECK(failures.exit_code == 0);
    CHECK(count(failures.out, "wrong_result") == 1);  // one line of all four
    CHECK(has(failures.out, "y[0] = 4, expected 3"));
    CHECK_FALSE(has(failures.out, "whole tiles"));
  }

  TEST_CASE("a run of which every trial was skipped is a failure") {
    const Author author(filling("devices = [\"cuda\"]\n"));
    const auto run = author.runs();
    CHECK(run.exit_code == 1);
    CHECK(has(run.err, "nothing has a result: what was tried was skipped"));
    CHECK(author.runs().exit_code == 1);
  }

  TEST_CASE("a run of which one trial gave a result is none") {
    const Author author(filling("", "3 + (BLOCK == 64)"));
    const auto run = author.runs();
    CHECK(run.exit_code == 0);
    CHECK(has(run.err, "1 trial failed; "));
    // What measures another size names the only spec that there is.
    CHECK(has(author.types({"explain", "77"}).err, "fill.toml --sizes 77"));
  }

  TEST_CASE("a reference that does not compile is told by check, and by run once") {
    const Author author;
    write_text(author.home / "reference.cu",
               "__global__ void reference(double* y, double* magnitude, int N) { y[0] = three; }\n");
    const auto check = author.types({"check", "--device", "cpu", author.home / "fill.toml"});
    CHECK(check.exit_code == 1);
    CHECK(has(check.out, "fill: its reference does not compile"));
    CHECK(has(check.err, "reference.cu:1:"));
    const auto run = author.runs({}, "100,200,300");
    CHECK(run.exit_code == 1);
    CHECK(count(run.err, "does not compile") == 1);
    CHECK(has(run.err, "6 trials were left out"));
  }

  TEST_CASE("files of sizes are found beside a spec that is named without its folder") {
    const User user;
    write_text(user.home / "copy.cu",
               "__global__ void copy(float* y, const float* x, int N) {\n"
               "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < N) y[i] = x[i];\n}\n");
    write_text(user.home / "copy.toml", R"text([kernel]
name = "copy"
source = "copy.cu"
entry = "copy"
sizes = ["N"]

[parameters]
BLOCK = [32, 64]

[launch]
block = ["BLOCK"]
grid = ["ceil_div(N, BLOCK)"]

[[arguments]]
name = "y"
type = "float*"
access = "out"
extent = ["N"]
expected = "file(y.{N}.bin)"

[[arguments]]
name = "x"
type = "float*"
access = "in"
extent = ["N"]
init = "file(x.{N}.bin)"

[[arguments]]
name = "N"
type = "int"

[verify]
tolerance = { relative = 1e-6 }
)text");
    for (const int n : {300, 1000})
      for (const char* name : {"x.", "y."})
        write_text(user.home / (name + std::to_string(n) + ".bin"), std::string(std::size_t{4} * n, '\0'));
    const auto check = user.types({"check", "copy.toml", "--no-compile"});
    CHECK_MESSAGE(check.exit_code == 0, check.err);
    CHECK(has(check.out, "2 configurations at 2 sizes, the last 1000"));

    const auto run = user.types({"run", "--kernel", "copy.toml", "--device", "cpu"});
    CHECK_MESSAGE(run.exit_code == 0, run.err);
    CHECK(has(run.err, "copy: 2 sizes that its files are of: 300, 1000"));
    CHECK(has(run.err, "4 trials in"));
    CHECK(user.types({"best", "--kernel", "copy", "--size", "300"}).exit_code == 0);
    const auto plan = user.types({"plan", "--kernel", "copy.toml", "--device", "cpu"});
    CHECK_MESSAGE(has(words_of(plan.out), "4 on 2 problems; 4 known, 0 left"), plan.out);
    const auto judged = user.types({"judge", "copy.cu", "--against", "copy.toml", "--device", "cpu"});
    CHECK_MESSAGE(judged.exit_code == 0, judged.out, judged.err);
    CHECK(has(judged.err, "2 sizes that its files are of"));
    CHECK(has(judged.out, "accepted"));

    // Each file alone is of a size, and no size has both.
    std::filesystem::remove(user.home / "x.300.bin");
    std::filesystem::remove(user.home / "y.1000.bin");
    const auto parted = user.types({"run", "--kernel", "copy.toml", "--device", "cpu"});
    CHECK(parted.exit_code == 2);
    CHECK(has(parted.err, "copy: there is no size that all of its files are of"));
  }

  TEST_CASE(
      "after an edit that changed no trial packs are made; results of a broken spec come back with it") {
    const Author author;
    const std::string spec = read_text(author.home / "fill.toml");
    REQUIRE(author.runs().exit_code == 0);
    std::string edited = spec;
    const std::size_t extent = edited.find("[\"N\"]\n", edited.find("extent"));
    REQUIRE(extent != std::string::npos);
    write_text(author.home / "fill.toml", edited.replace(extent, 5, "[\"N * 1\"]"));
    CHECK(has(author.runs().err, "all of them known already"));
    const auto packed = author.types({"pack", "--kernel", author.home / "fill.toml", "-o", "fill.tuned"});
    CHECK_MESSAGE(packed.exit_code == 0, packed.err);

    const std::string reference = read_text(author.home / "reference.cu");
    write_text(author.home / "reference.cu", reference + "error\n");
    CHECK(author.runs().exit_code == 1);
    write_text(author.home / "reference.cu", reference);
    const auto best = author.types({"best", "--size", "100", "--kernel", "fill"});
    CHECK(best.exit_code == 3);
    CHECK(has(best.err, "the spec, as it was last run, no longer is what was measured"));
    CHECK(has(best.err, "this takes them back: tuner run --kernel " + (author.home / "fill.toml")));
    CHECK(has(author.runs().err, "all of them known already"));
    CHECK(author.types({"best", "--size", "100", "--kernel", "fill"}).exit_code == 0);
  }

  TEST_CASE("what cannot be packed is left out by name, and refused where it was named") {
    const Author author;
    SmallKernel other = filling();
    other.name = "other";
    other.keys = "family = \"others\"\n";
    const auto write_other = [&](const std::string& blocks) {
      other.parameters = "BLOCK = " + blocks;
      other.write(author.home);
      std::string text = read_text(author.home / "other.toml");
      text.replace(text.find("[\"N\"]\n", text.find("extent")), 5, "[\"N * BLOCK / BLOCK\"]");
      write_text(author.home / "other.toml", text);
      return author.runs({"--kernel", author.home / "other.toml"}).exit_code;
    };
    REQUIRE(write_other("[64, 128]") == 0);
    const auto all = author.types({"pack", "-o", "all.tuned", "--quiet"});
    CHECK_MESSAGE(all.exit_code == 0, all.err);
    CHECK(has(all.err, "left out: others float: other: the extent of y: `N * BLOCK / BLOCK` depends on"));
    const auto named = author.types({"pack", "--kernel", author.home / "other.toml", "-o", "other.tuned"});
    CHECK(named.exit_code == 2);
    CHECK(has(named.err, "other: the extent of y"));

    REQUIRE(write_other("[64]") == 0);
    const auto constant = author.types({"pack", "-o", "all.tuned"});
    CHECK(constant.exit_code == 0);
    CHECK_FALSE(has(constant.err, "left out"));
  }

  TEST_CASE("kernels of a family whose sizes have other names are answered apart, whatever asks") {
    const Author author;
    REQUIRE(author.runs({}, "100,200").exit_code == 0);
    SmallKernel other = filling();
    other.name = "other";
    std::string spec = other.spec();
    spec.replace(spec.find("[\"N\"]"), 5, "[\"N\", \"M\"]");
    other.write(author.home);
    write_text(author.home / "other.toml", spec);
    const auto run = author.types(
        {"run", "--device", "cpu", "--kernel", author.home / "other.toml", "--sizes", "100,200"});
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);

    CHECK(count(author.types({"best", "100", "--format", "json"}).out, "\"chosen\": true") == 2);
    CHECK(has(author.types({"best", "--kernel", "other", "100", "--format", "flags"}).out, "=other"));
    CHECK(author.types({"best", "120", "--format", "json"}).exit_code == 0);
    const std::vector<std::vector<std::string>> commands = {{"best", "100", "--format", "flags"},
                                                            {"best", "--common"},
                                                            {"cover"},
                                                            {"explain", "BLOCK"},
                                                            {"pack", "-o", "all.tuned"}};
    for (const std::vector<std::string>& command : commands) {
      const auto result = author.types(command);
      CAPTURE(command.front());
      CHECK(result.exit_code == 2);
      CHECK(has(result.err, "the kernels have different sizes: filling (N x M), filling (N)"));
      CHECK(has(result.err, "name one: --kernel "));
    }
    const std::string report = author.types({"report"}).out;
    CHECK(has(report, "### filling (N): best per size"));
    CHECK(has(report, "### filling (N x M): best per size"));
  }

  TEST_CASE("a colon in the path of a spec is a letter like others") {
    const User user;
    tuner::test::SmallKernel small;
    small.write(user.home);
    const std::filesystem::path folder = user.home / "a:b";
    std::filesystem::create_directory(folder);
    for (const char* name : {"small.toml", "small.cu", "reference.cu"})
      std::filesystem::rename(user.home / name, folder / name);
    REQUIRE(
        user.types({"run", "--kernel", "a:b/small.toml", "--device", "cpu", "--sizes", "100"}).exit_code ==
        0);
    const auto best = tuner::test::run_program({TUNER_BINARY, "best", "--size", "100", "--format", "json"},
                                               user.environment, folder);
    CHECK_MESSAGE(has(best.out, user.home / "a:b/small.toml"), best.out);
  }

  TEST_CASE("the sanitizers run once what does not end, and keep to a budget") {
    const Author author;
    std::string source = read_text(author.home / "fill.cu");
    const std::size_t body = source.find('{', source.find("__global__"));
    write_text(author.home / "fill.cu",
               source.insert(body + 1, " for (volatile int i = 0; N > 0;) i = i + 1; "));
    const auto check = author.types({"check", "--device", "cpu", "--sanitize", author.home / "fill.toml",
                                     "--budget", "1s", "--compile-jobs", "1", "--run-timeout-s", "0.1"});
    INFO(check.out, check.err);
    CHECK(check.exit_code == 1);
    CHECK(count(check.out, "a launch did not end in 1.2 s") == 1);
    CHECK(has(check.out, "1 configuration not reached, the budget is spent"));
  }

  TEST_CASE("the sanitizers run what large sizes alone allow, and say what was run at none") {
    SmallKernel kernel = filling();
    kernel.before = "constraints = [\"rest == 0\"]";
    kernel.parameters = "BLOCK = [64, 96, 512]\n\n[derived]\nrest = \"N % BLOCK\"";
    const Author author(kernel);
    const auto check = [&](std::vector<std::string> more) {
      std::vector<std::string> words = {"check", "--device", "cpu", "--sanitize", author.home / "fill.toml"};
      words.insert(words.end(), more.begin(), more.end());
      return author.types(words);
    };
    CHECK(has(check({}).out, "fill: 3 configurations at 3 sizes each run, 0 findings\n"));
    CHECK(has(check({"--all"}).out, "fill: 3 configurations at 3 sizes each run, 0 findings\n"));
    const auto few = check({"--all", "--sizes", "64"});
    CHECK(few.exit_code == 0);
    CHECK(has(few.out,
              "fill: 1 configuration at 1 size each run, 0 findings; not run: 2 that can be launched at none "
              "of the sizes tried"));
  }

  TEST_CASE("a space that is large is sampled by the sanitizers, which say so") {
    SmallKernel kernel = filling();
    kernel.before = "constraints = [\"N % BLOCK == 0\"]";
    kernel.parameters = "BLOCK = [64, 512]\nUNUSED = [0, 1, 2, 3, 4, 5, 6, 7, 8]";
    const Author author(kernel);
    const auto check =
        author.types({"check", "--device", "cpu", "--sanitize", author.home / "fill.toml", "--budget", "1s"});
    INFO(check.out);
    CHECK(has(check.out, "not reached, the budget is spent"));
    CHECK(has(check.out, "a sample: --all runs every one"));
  }

  TEST_CASE("the sanitizers sample a space of ten thousand million configurations") {
    SmallKernel kernel = filling();
    kernel.parameters = "BLOCK = [64]";
    for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"})
      kernel.parameters += fmt::format("\n{} = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]", name);
    const Author author(kernel);
    const auto check =
        author.types({"check", "--device", "cpu", "--sanitize", author.home / "fill.toml", "--budget", "1s"});
    CHECK_MESSAGE(has(check.out, "a sample: --all runs every one"), check.out, check.err);
  }

  TEST_CASE("the sanitizers leave out what is not for the CPU, and say so") {
    const Author author(filling("devices = [\"cuda\"]\n"));
    const auto check = author.types({"check", "--device", "cpu", "--sanitize", author.home / "fill.toml"});
    CHECK(check.exit_code == 0);
    CHECK(check.out == "fill: left out: its spec has devices = [\"cuda\"]\n");
  }

  TEST_CASE("the sanitizers do not call clean what they cannot run") {
    const Author author;
    const std::string spec = read_text(author.home / "fill.toml");
    const auto check = [&](const std::string& from, const std::string& to) {
      std::string changed = spec;
      write_text(author.home / "fill.toml", changed.replace(changed.find(from), from.size(), to));
      return author.types(
          {"check", "--device", "cpu", "--sanitize", author.home / "fill.toml", "--sizes", "200"});
    };
    const auto together = check("[launch]\n", "[launch]\ncooperative = true\n");
    CHECK_MESSAGE(together.exit_code == 3, together.out, together.err);
    CHECK(has(together.out, "0 configurations at 0 sizes each run"));
    CHECK(has(together.out, "not run: 2 whose blocks wait for each other"));
    const auto one_block = check("[launch]\n", "[launch]\ncluster = [\"1\"]\n");
    CHECK_MESSAGE(one_block.exit_code == 0, one_block.out, one_block.err);
  }

  TEST_CASE("after a run the best of each kernel that was tuned is shown, not the family's alone") {
    const Author author;
    SmallKernel slow = filling();
    slow.name = "slow";
    slow.loops = "30000";
    slow.write(author.home);
    const auto run = author.runs({"--kernel", author.home / "slow.toml"});
    CHECK(run.exit_code == 0);
    const std::size_t others = run.out.find("the other kernels that were tuned:");
    REQUIRE(others != std::string::npos);
    CHECK(has(run.out.substr(0, others), "  fill\n"));
    CHECK(has(run.out.substr(others), "slow"));
    CHECK_FALSE(has(author.runs().out, "other kernels"));
  }
}
