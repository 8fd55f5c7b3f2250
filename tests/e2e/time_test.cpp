#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/e2e/user.hpp"

using nlohmann::json;
using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;

TEST_SUITE("tuner command line, time") {
  namespace {

  constexpr const char* doubling = R"cuda(
__global__ void once(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
__global__ void often(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += sqrtf(x[i] * x[i] + k);
  y[i] = sum > 0 ? x[i] + x[i] : 0;
}
__global__ void three_times(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * in[i];
}
__global__ void too_much(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  if (i == 0) out[n] = 1;
}
__global__ void of_doubles(const double* in, double* out, int n) { out[0] = in[0] * n; }
)cuda";

  struct Timer : User {
    void writes(const std::string& name, const std::string& text) const {
      std::ofstream(home.path() + "/" + name) << text;
    }
    /// In the home folder, where the sources are.
    ProgramResult times(std::vector<std::string> words) const {
      words.insert(words.begin(), {"time", "--device", "cpu", "--measure", "quick"});
      return types(words);
    }
    ProgramResult runs(const std::vector<std::string>& command) const {
      return tuner::test::run_program(command, environment, home.path());
    }
    std::string file(const std::string& name) const { return home.path() + "/" + name; }
    std::string refuses(const std::vector<std::string>& words) const {
      const ProgramResult run = times(words);
      INFO(run.out << run.err);
      CHECK(run.exit_code == 2);
      return run.err;
    }
  };

  }  // namespace

  TEST_CASE("kernels without a spec are timed in turn, and the faster one is told with its interval") {
    Timer user;
    user.environment["TUNER_BUDGET"] = "1";  // of sweeps
    user.writes("k.cu", doubling);
    const std::string k = user.file("k.cu");
    const auto run = user.times({k + ":once", k + ":often", "--args", "float[N] in random, float[N] out, N",
                                 "--size", "100000", "--format", "json"});
    INFO(run.out << run.err);
    REQUIRE(run.exit_code == 0);
    const json said = json::parse(run.out);
    CHECK(said["results_compared"] == true);
    REQUIRE(said["sizes"].size() == 1);
    const json& kernels = said["sizes"][0]["kernels"];
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0]["kernel"] == "once");
    CHECK(kernels[0]["measurement"]["median_ns"] > 0);
    CHECK(kernels[0]["verdict"].is_null());
    CHECK(kernels[1]["verdict"] == "slower");
    CHECK(kernels[1]["in_turn"] == true);
    CHECK(kernels[1]["ratio_low"] > 1);
    CHECK(kernels[1]["ratio_low"] <= kernels[1]["ratio"]);
    const auto text =
        user.times({k + ":often", k + ":once", "--size", "100000,20000", "--set", "BLOCK_SIZ=64"});
    INFO(text.out << text.err);
    CHECK(has(text.out, "100000: once is "));
    CHECK(has(text.out, "x faster than often, 95 % "));
    CHECK(has(text.err,
              "assumed: BLOCK_SIZ is a macro of other headers: no source here has it; BLOCK_SIZE = 256; "));
    CHECK(has(text.err, "x has COUNT elements"));
  }

  TEST_CASE("a kernel beside itself takes about as long, and nothing is kept") {
    const Timer user;
    user.writes("k.cu", doubling);
    user.writes("l.cu", doubling);
    const auto run = user.times({user.file("k.cu") + ":once", user.file("l.cu") + ":once", "--size", "50000",
                                 "--format", "json", "--execution", "eager"});
    INFO(run.out << run.err);
    REQUIRE(run.exit_code == 0);
    const json kernels = json::parse(run.out)["sizes"][0]["kernels"];
    CHECK(kernels[0]["kernel"] == "k.cu:once");
    CHECK(kernels[1]["kernel"] == "l.cu:once");
    CHECK(kernels[1]["ratio"] > 0.5);
    CHECK(kernels[1]["ratio"] < 2);
    CHECK(user.types({"list", "runs"}).exit_code == 3);
  }

  TEST_CASE("a kernel beside itself twice is counted, and results that are no numbers are told as that") {
    const Timer user;
    user.writes("k.cu",
                "__global__ void none(float* x, int n) {\n  const int i = blockIdx.x * 256 + threadIdx.x;\n"
                "  if (i < n) x[i] = nanf(\"\");\n}\n");
    const std::string k = user.file("k.cu") + ":none";
    const auto run = user.times({k, k, k, "--args", "float[N] out, N", "--size", "1000", "--block", "256"});
    INFO(run.out << run.err);
    CHECK(run.exit_code == 1);
    CHECK(has(run.out, "k.cu:none (2) has no time: its results are not those of k.cu:none: "));
    CHECK(has(run.out, "k.cu:none (3) has no time: "));
    CHECK(has(run.out, "and what is expected is no number"));
  }

  TEST_CASE("results that are not those of the first kernel are told, with where they differ") {
    const Timer user;
    user.writes("k.cu", doubling);
    const std::string k = user.file("k.cu");
    const auto run = user.times({k + ":once", k + ":three_times", k + ":often", "--size", "1000"});
    INFO(run.out << run.err);
    CHECK(run.exit_code == 1);
    CHECK(has(run.out, "three_times has no time: its results are not those of once"));
    CHECK(has(run.out, "out[0] = "));
    CHECK(has(run.out, "often is "));
    CHECK(user.times({k + ":once", k + ":three_times", "--size", "1000", "--no-compare"}).exit_code == 0);
    const auto beyond = user.times({k + ":once", k + ":too_much", "--size", "1000"});
    CHECK(beyond.exit_code == 1);
    CHECK(has(beyond.out, "too_much has no time: out_of_bounds"));
  }

  TEST_CASE("each output has the tolerance of its own type, and integers are equal") {
    const Timer user;
    const auto kernels = [](const std::string& name, const std::string& of_i) {
      return "__global__ void " + name +
             "(float* y, double* z, int* d, unsigned long long* h, int n) {\n  const int i = blockIdx.x * "
             "blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  y[i] = 1; z[i] = 1; d[i] = 1000000 + i; "
             "h[i] "
             "= i;\n  " +
             of_i + "\n}\n";
    };
    user.writes("k.cu", kernels("first", "") + kernels("rounded", "y[i] += 1e-5f; z[i] += 1e-10;") +
                            kernels("of_float", "y[i] += 1e-3f;") + kernels("of_double", "z[i] += 1e-5;") +
                            kernels("of_int", "d[i] += 50;"));
    const std::string k = user.file("k.cu");
    const auto run = user.times(
        {k + ":first", k + ":rounded", k + ":of_float", k + ":of_double", k + ":of_int", "--size", "100"});
    INFO(run.out << run.err);
    CHECK(run.exit_code == 1);
    CHECK(!has(run.out, "rounded has no time"));
    for (const std::string wrong : {"of_float", "of_double", "of_int"})
      CHECK(has(run.out, wrong + " has no time: its results are not those of first"));
    CHECK(has(run.err, "h has no number above 2^53"));
    const auto lax = user.times({k + ":first", k + ":of_float", k + ":of_double", k + ":of_int", "--size",
                                 "100", "--tolerance", "0.01"});
    INFO(lax.out << lax.err);
    CHECK(!has(lax.out, "of_float has no time"));
    CHECK(!has(lax.out, "of_double has no time"));
    CHECK(has(lax.out, "of_int has no time: its results are not those of first"));
  }

  TEST_CASE("types of buffers are those that a template's arguments or a macro give") {
    const Timer user;
    const std::string body =
        "(const REAL* x, REAL* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i "
        "< "
        "n) y[i] = x[i] / 2";
    const std::string kernels = "__global__ void half" + body + "; }\n";
    const std::string others = "__global__ void more" + body + " + 9; }\n";
    user.writes("open.cu", "template <class REAL> " + kernels + "template <class REAL> " + others);
    user.writes("launched.cu", "template <class REAL> " + kernels + "template <class REAL> " + others +
                                   "void go(float* x, float* y, int n) {\n"
                                   "  half<float><<<(n + 63) / 64, 64>>>(x, y, n);\n"
                                   "  more<float><<<(n + 63) / 64, 64>>>(x, y, n); }\n");
    user.writes("macro.cu", "#ifndef REAL\n#define REAL float\n#endif\n" + kernels + others);
    for (const std::string type : {"int", "double"}) {
      for (const std::string file : {"open.cu", "launched.cu", "macro.cu"}) {
        const bool is_macro = file == "macro.cu";
        const std::string instance = is_macro ? "" : "<" + type + ">";
        std::vector<std::string> words = {user.file(file) + ":half" + instance,
                                          user.file(file) + ":more" + instance, "--size", "64"};
        if (is_macro) words.insert(words.end(), {"--set", "REAL=" + type});
        const auto run = user.times(words);
        INFO(run.out << run.err);
        CHECK(run.exit_code == 1);
        CHECK(!has(run.out, "half" + instance + " has no time"));
        CHECK(has(run.out, "more" + instance + " has no time: its results are not those of half"));
      }
    }
    user.writes("plain.cu",
                "__global__ void plain(const int* x, int* y, int n) {\n  const int i = blockIdx.x * "
                "blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] >> 1; }\n");
    const auto plain =
        user.times({user.file("open.cu") + ":half<int>", user.file("plain.cu"), "--size", "64"});
    INFO(plain.out << plain.err);
    CHECK(plain.exit_code == 0);
    CHECK(has(user.refuses({user.file("open.cu") + ":half<int>", user.file("open.cu") + ":half<unsigned>"}),
              "takes (const REAL*x, REAL*y, int n)"));
  }

  TEST_CASE("where the first kernel writes nothing, no other may") {
    const Timer user;
    user.writes("k.cu", R"cuda(
__global__ void half(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 2 == 0) out[i] = in[i];
}
__global__ void half_too(const int* in, int* out, int n) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = in[i];
}
__global__ void whole(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
)cuda");
    const std::string k = user.file("k.cu");
    const auto run = user.times({k + ":half", k + ":half_too", k + ":whole", "--size", "1000"});
    INFO(run.out << run.err);
    CHECK(run.exit_code == 1);
    CHECK(has(run.out, "whole has no time: its results are not those of half"));
    CHECK(!has(run.out, "half_too has no time"));
  }

  TEST_CASE("the launch and the sizes of the file's own program are taken") {
    const Timer user;
    user.writes("k.cu", std::string(doubling) + R"cuda(
int main() {
  const int n = 3000;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  once<<<(n + 127) / 128, 128>>>(in, out, n);
}
)cuda");
    const std::string k = user.file("k.cu");
    const auto run = user.times({k + ":once", k + ":often", "--keep", user.file("specs")});
    INFO(run.out << run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(run.out, "3000"));
    CHECK(has(run.err, "often is launched as once"));
    // The reference is compiled by NVRTC, which takes no code for the host.
    std::ifstream in(user.file("specs/reference.cu"));
    const std::string reference{std::istreambuf_iterator<char>(in), {}};
    CHECK(has(reference, "__global__ void often"));
    CHECK(!has(reference, "cudaMalloc"));
    const auto checked = user.types({"check", user.file("specs"), "--sizes", "3000"});
    INFO(checked.out << checked.err);
    CHECK(checked.exit_code == 0);
    const auto swept =
        user.types({"run", "--kernel", user.file("specs"), "--sizes", "3000", "--device", "cpu"});
    INFO(swept.out << swept.err);
    CHECK(swept.exit_code == 0);
  }

  TEST_CASE("specs that are kept find the headers beside their kernels, however the folder is written") {
    const Timer user;
    std::filesystem::create_directory(user.file("sources"));
    user.writes("sources/two.cuh", "constexpr int factor = 2;\n");
    user.writes("sources/k.cu", std::string("#include \"two.cuh\"\n") + doubling);
    const auto run = tuner::test::run_program({TUNER_BINARY, "time", "k.cu:once", "--device", "cpu",
                                               "--measure", "quick", "--size", "1000", "--keep", "../specs"},
                                              user.environment, user.file("sources"));
    INFO(run.out << run.err);
    CHECK(run.exit_code == 0);
    CHECK(user.types({"check", "specs", "--no-compile", "--sizes", "1000"}).exit_code == 0);
  }

  TEST_CASE("with --db the times are of the policies asked for, whatever was measured before") {
    const Timer user;
    user.writes("k.cu", doubling);
    const auto times = [&](std::vector<std::string> policies) {
      policies.insert(policies.end(),
                      {"k.cu:once", "k.cu:often", "--size", "2000", "--db", "all.db", "--format", "json"});
      const auto run = user.times(policies);
      INFO(run.err);
      REQUIRE(run.exit_code == 0);
      return json::parse(run.out)["sizes"][0]["kernels"][0]["measurement"]["median_ns"].get<double>();
    };
    const double warm = times({});
    CHECK(times({"--l2", "cold"}) != warm);
    CHECK(times({"--execution", "eager"}) != warm);
  }

  TEST_CASE("a file is timed beside its past, with the headers of then") {
    const Timer user;
    if (user.runs({"git", "--version"}).exit_code != 0) return;
    user.writes("factor.cuh", "#define FACTOR 2\n");
    user.writes(
        "k.cu",
        "#include \"factor.cuh\"\n__global__ void scale(const float* in, float* out, int n) {\n  const int "
        "i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = FACTOR * in[i];\n}\n");
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"git", "init", "-q"},
             {"git", "add", "k.cu", "factor.cuh"},
             {"git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"}})
      REQUIRE(user.runs(words).exit_code == 0);
    const std::string k = user.file("k.cu");
    const auto same = user.times({k, "--git", "HEAD", "--size", "1000"});
    INFO(same.out << same.err);
    CHECK(same.exit_code == 0);
    CHECK(has(same.out, "scale at HEAD"));
    user.writes("factor.cuh", "#define FACTOR 5\n");
    const auto changed = user.times({k, "--git", "HEAD", "--size", "1000"});
    INFO(changed.out << changed.err);
    CHECK(changed.exit_code == 1);
    CHECK(has(changed.out, "its results are not those of scale at HEAD"));
    CHECK(has(user.refuses({k, "--git", "nowhere"}), "has no revision 'nowhere'"));
    user.writes("new.cu", doubling);
    CHECK(
        has(user.refuses({user.file("new.cu") + ":once", "--git", "HEAD"}), "revision 'HEAD' has no new.cu"));
  }

  TEST_CASE("an instance of a template has the arguments of its name") {
    const Timer user;
    user.writes("k.cu", R"cuda(
template <int EACH>
__global__ void copy(const float* in, float* out, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
  for (int i = first; i < first + EACH && i < n; ++i) out[i] = in[i];
}
)cuda");
    const std::string k = user.file("k.cu");
    const auto run = user.times({k + ":copy<1>", k + ":copy<4>", "--block", "64", "--grid", "ceil_div(N, 64)",
                                 "--grid", "ceil_div(N, 256)", "--size", "1000"});
    INFO(run.out << run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(run.out, "copy<4>"));
    CHECK(!has(run.err, "EACH"));
    const auto short_grid = user.times(
        {k + ":copy<4>", k + ":copy<1>", "--block", "64", "--grid", "ceil_div(N, 256)", "--size", "1000"});
    CHECK(short_grid.exit_code == 1);
    CHECK(has(short_grid.out, "copy<1> has no time: its results are not those of copy<4>"));
    user.writes("launched.cu", R"cuda(
template <int THREADS>
__global__ void copy(const float* in, float* out, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) out[i] = in[i];
}
void go(const float* in, float* out, int n) { copy<128><<<(n + 127) / 128, 128>>>(in, out, n); }
)cuda");
    const auto launched =
        user.times({"launched.cu:copy<64>", "launched.cu:copy<4 * 32>", "--size", "1000", "--keep", "specs"});
    INFO(launched.out << launched.err);
    CHECK(launched.exit_code == 0);
    const std::string spec = tuner::test::read_text(user.file("specs/copy-64-.toml"));
    CHECK_MESSAGE(has(spec, "block = [\"64\"]\ngrid = [\"ceil_div(N, 64)\"]"), spec);
  }

  TEST_CASE("a block that is given alone has a grid that covers as much") {
    const Timer user;
    const std::string kernels =
        "__global__ void plain(float* x, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= 2; }\n"
        "__global__ void stepped(float* x, int n) {\n"
        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= "
        "2; "
        "}\n";
    user.writes("guessed.cu", kernels);
    user.writes("launched.cu", kernels +
                                   "void go(float* x, int n) { plain<<<(n + 255) / 256, 256>>>(x, n);\n"
                                   "  stepped<<<(n + 255) / 256, 256>>>(x, n); }\n");
    for (const char* const file : {"guessed.cu", "launched.cu"}) {
      const std::string k = user.file(file);
      const auto run = user.times({k + ":stepped", k + ":plain", "--block", "64", "--size", "1000"});
      INFO(run.out << run.err);
      CHECK(run.exit_code == 0);
      CHECK(!has(run.out, "has no time"));
    }
  }

  TEST_CASE("names of files and folders may have quotes, backslashes, newlines and colons") {
    const Timer user;
    for (const std::string name : {"a\"b", "a\\b", "a\nb", "a:b"}) {
      std::filesystem::create_directory(user.file(name));
      user.writes(name + "/" + name + ".cu", doubling);
      const std::string k = name + "/" + name + ".cu";
      const auto run = user.times({k + ":once", k + ":often", "--size", "1000"});
      INFO(run.out << run.err);
      CHECK(run.exit_code == 0);
      user.writes("one" + name + ".cu", "__global__ void one(float* x, int n) { x[0] = n; }");
      CHECK(user.times({"one" + name + ".cu", "--size", "1000"}).exit_code == 0);
    }
  }

  TEST_CASE("kernels of one name are told apart by their namespaces") {
    const Timer user;
    user.writes("k.cu", std::string("namespace q {\n") + doubling + "}\nnamespace r {\n" + doubling + "}\n");
    const auto run = user.times({"k.cu:q::once", "k.cu:r::once", "k.cu:r::three_times", "--size", "1000"});
    INFO(run.out << run.err);
    CHECK(run.exit_code == 1);
    CHECK(has(run.out, "r::three_times has no time: its results are not those of q::once"));
    CHECK(!has(run.out, "r::once has no time"));
    CHECK(has(user.refuses({"k.cu:once"}), "has 2 kernels: q::once, r::once"));
  }

  TEST_CASE("--fail-if-slower ends with 5 where a kernel surely is") {
    const Timer user;
    user.writes("k.cu", doubling);
    const std::string k = user.file("k.cu");
    const auto run = user.times({k + ":once", k + ":often", "--size", "100000", "--fail-if-slower", "10%"});
    INFO(run.out << run.err);
    CHECK(run.exit_code == 5);
  }

  TEST_CASE("what is interrupted tells what it has measured, and that it is partial") {
    Timer user;
    user.has_own_cache();
    user.writes("k.cu", doubling);
    const auto interrupted = [&](const std::string& at, std::vector<std::string> more) {
      std::vector<std::string> command = {
          TUNER_BINARY, "time", user.file("k.cu") + ":once", user.file("k.cu") + ":often", "--device", "cpu"};
      command.insert(command.end(), more.begin(), more.end());
      tuner::test::BackgroundProgram program(command, user.environment, user.home.path());
      while (!has(program.err(), at)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      program.signal(SIGINT);
      return program.wait();
    };
    const std::vector<std::string> large = {"--sizes", "100000,100000000"};
    const ProgramResult ended = interrupted("1 of 4 tried", large);
    INFO(ended.out, ended.err);
    CHECK(ended.exit_code == 130);
    // Whichever was compiled first was measured first.
    const std::string table = tuner::test::words_of(ended.out);
    CHECK((has(table, "\n100000 once ") || has(table, "\n100000 often ")));
    CHECK(has(ended.out, "100000000: often has no time: interrupted before it was run"));
    CHECK(has(ended.out, "partial: interrupted before all kernels had been sampled in turn"));
    const ProgramResult at_once =
        interrupted("4 trials", {"--sizes", "100000,100000000", "--format", "json"});
    INFO(at_once.out, at_once.err);
    CHECK(at_once.exit_code == 130);
    const json said = json::parse(at_once.out);
    CHECK(said["partial"] == true);
    CHECK(said["exit_code"] == 130);
    CHECK(said["sizes"][1]["kernels"][1]["measurement"].is_null());
  }

  TEST_CASE("what cannot be timed is refused in a sentence") {
    const Timer user;
    user.writes("k.cu", doubling);
    const std::string k = user.file("k.cu");
    CHECK(has(user.refuses({k + ":onze", k + ":often"}), "did you mean `once`?"));
    CHECK(has(user.refuses({k}), "has 5 kernels"));
    CHECK(has(user.refuses({user.file("none.cu")}), "cannot read"));
    CHECK(has(user.refuses({k + ":once", k + ":of_doubles"}),
              "of_doubles takes (const double*in, double*out, int n), and once takes"));
    CHECK(has(user.refuses({k + ":once", "--args", "float[N], N"}), "--args has 2 arguments"));
    CHECK(has(user.refuses({k + ":once", "--args", "float[N], N, N"}), "argument 2 of once is `float*out`"));
    CHECK(has(user.refuses({k + ":once", "--args", "float[N"}), "has no ]"));
    CHECK(has(user.refuses({k + ":once", "--args", "float[N] in nicely, float[N], N"}), "no way to fill"));
    CHECK(has(user.refuses({k + ":once", k + ":often", "--git", "HEAD"}), "--git times one kernel"));
    CHECK(has(user.refuses({k + ":once", "--size", "2x3"}), "a size has 2 numbers"));
    CHECK(has(user.refuses({k + ":once", "--size", k}), "this command takes no capture"));
    CHECK(has(user.refuses({k + ":once", "--block", "1", "--block", "2"}), "--block is given 2 times"));
    CHECK(has(user.refuses({k + ":once", "--set", "X"}), "--set takes NAME=VALUE"));
    CHECK(has(user.refuses({k + ":once", "--tolerance", "much"}), "--tolerance takes a number"));
    CHECK(has(user.refuses({k + ":once", "--git", "HEAD"}), "is in no git repository"));
    CHECK(has(user.refuses({k + ":once", "--execution", "stream"}), "the device cpu has no streams"));
    const auto too_large = user.types({"time", k + ":once", "--block", "2048", "--device", "cpu"});
    CHECK(too_large.exit_code == 1);
    CHECK(has(too_large.err, "block.x of `once` is 2048"));
  }
}
