// From a sweep to a pack, and from a pack to a launch: on the CPU device, without a GPU.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/e2e/user.hpp"
#include "tuner/use/tuner.h"

using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
using tuner::test::words_of;
using tuner::test::write_text;

TEST_SUITE("tuner command line, packs") {
  namespace {

  /// y = 2 x, with a run-time parameter, a workspace that a first kernel fills, and a derived argument.
  std::string spec(const std::string& name, const std::string& extra = "",
                   const std::string& family = "scale") {
    return "verify = \"none\"\nconstraints = [\"BLOCK <= 64 || N >= 200\"]\n[kernel]\nname = \"" + name +
           "\"\nfamily = \"" + family + "\"\nsource = \"" + name + R"text(.cu"
sizes = ["N"]
default = { BLOCK = 32 }

[derived]
half = "N / 2"

[parameters]
BLOCK = [32, 64, 128]
CHUNK = { values = [1, 2], runtime = true }

[[launch]]
entry = "copy"
block = ["BLOCK"]
grid = ["ceil_div(N, BLOCK)"]
arguments = ["x", "w", "N"]

[[launch]]
entry = "twice"
block = ["BLOCK"]
grid = ["ceil_div(N, BLOCK * CHUNK)"]
arguments = ["w", "y", "N", "CHUNK", "half"]

[[arguments]]
name = "x"
type = "float*"
access = "in"
extent = ["N"]
init = "uniform(0, 1)"

[[arguments]]
name = "y"
type = "float*"
access = "out"
extent = ["N"]

[[arguments]]
name = "w"
type = "float*"
access = "workspace"
extent = ["N"]

[[arguments]]
name = "N"
type = "int"

[[arguments]]
name = "CHUNK"
type = "int"

[[arguments]]
name = "half"
type = "int"
)text" + extra;
  }

  const std::string source = R"text(extern "C" __global__ void copy(const float* x, float* w, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) w[i] = x[i];
}
extern "C" __global__ void twice(const float* w, float* y, int N, int chunk, int half) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  for (int i = first; i < first + chunk && i < N; ++i) y[i] = i < half ? 2 * w[i] : w[i] + w[i];
}
)text";

  struct Author : User {
    Author() {
      environment["TUNER_DB"] = home / "tuner.db";
      environment["TUNER_MEASURE"] = "quick";
      add("scale", spec("scale"));
    }
    void add(const std::string& name, const std::string& text) const {
      write_text(home / (name + ".toml"), text);
      write_text(home / (name + ".cu"), source);
    }
    ProgramResult runs(const std::string& kernel = "scale") const {
      return types({"run", "--device", "cpu", "--kernel", kernel + ".toml", "--sizes", "100,500,3000",
                    "--ceilings", "off"});
    }
  };

  struct Opened {
    explicit Opened(const std::string& path) { REQUIRE(tuner_pack_open(path.c_str(), &pack) == TUNER_OK); }
    Opened(const Opened&) = delete;
    ~Opened() { tuner_pack_close(pack); }
    tuner_pack* pack = nullptr;
  };

  tuner_value pointer(const float* memory, std::size_t count) {
    tuner_value value{};
    value.type = TUNER_FLOAT32;
    value.is_pointer = 1;
    value.value.pointer = memory;
    value.bytes = count * sizeof(float);
    return value;
  }

  }  // namespace

  TEST_CASE("what was swept is packed, and a program launches it at any size") {
    const Author author;
    REQUIRE(author.runs().exit_code == 0);
    const ProgramResult packed = author.types({"pack", "-o", "scale.tuned"});
    INFO(packed.err);
    REQUIRE(packed.exit_code == 0);
    CHECK(packed.out.empty());
    CHECK(has(words_of(packed.err), "configurations for 3 sizes"));
    CHECK(has(packed.err, "scale.tuned: "));

    const Opened opened(author.home / "scale.tuned");
    const tuner_kernel* kernel = nullptr;
    REQUIRE(tuner_kernel_find(opened.pack, "scale", nullptr, &kernel) == TUNER_OK);
    REQUIRE(tuner_kernel_parameter_count(kernel) == 2);
    for (const std::int64_t n : {100, 500, 3000, 1, 777, 100'000}) {
      CAPTURE(n);
      tuner_choice choice{};
      const tuner_error picked = tuner_kernel_pick(kernel, TUNER_CPU, &n, 1, &choice);
      REQUIRE_MESSAGE(picked == TUNER_OK, tuner_error_text(picked) << ": " << tuner_error_detail());
      const bool was_measured = n == 100 || n == 500 || n == 3000;
      CHECK((choice.known == TUNER_MEASURED) == was_measured);
      CHECK((choice.expected_ns > 0) == was_measured);
      if (n < 200) CHECK_FALSE(has(choice.configuration, "BLOCK=128"));
      tuner_workspace needed{};
      REQUIRE(tuner_kernel_workspace(kernel, TUNER_CPU, &n, 1, &needed) == TUNER_OK);
      CHECK(needed.bytes >= static_cast<std::uint64_t>(4 * n));
      const auto count = static_cast<std::size_t>(n);
      std::vector<float> x(count + 64), y(count + 64, -1), work(needed.bytes / 4 + 64);
      const auto aligned = [](std::vector<float>& memory, std::uintptr_t to) {
        return reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(memory.data()) + to - 1) / to * to);
      };
      float* const in = aligned(x, 16);
      float* const out = aligned(y, 16);
      for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<float>(i) + 0.25F;
      const tuner_value values[] = {pointer(in, count), pointer(out, count)};
      const tuner_error error =
          tuner_kernel_launch(kernel, TUNER_CPU_STREAM, &n, 1, values, 2, aligned(work, 256), needed.bytes);
      REQUIRE_MESSAGE(error == TUNER_OK, tuner_error_text(error) << ": " << tuner_error_detail());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count; ++i) wrong += out[i] == 2 * in[i] ? 0 : 1;
      CHECK(wrong == 0);
    }
  }

  TEST_CASE("where no kernel of the cover runs, a program launches the default of one that does") {
    const Author author;
    const std::string any = "[\"BLOCK <= 64 || N >= 200\"]";
    std::string fours = spec("fours");
    fours.replace(fours.find(any), any.size(), "[\"N % 4 == 0\"]");
    author.add("fours", fours);
    std::string others = spec("scale");  // at fewer sizes, so that its default is not the first
    others.replace(others.find(any), any.size(), "[\"N != 500\"]");
    const std::string reads = "access = \"in\"";
    author.add("scale", others.replace(others.find(reads), reads.size(), "access = \"inout\""));
    std::string slow = source;
    slow.insert(slow.find("  const int first"), "  for (volatile int s = 0; s < 300; s = s + 1) {}\n");
    write_text(author.home / "scale.cu", slow);
    REQUIRE(author
                .types({"run", "--device", "cpu", "--kernel", "fours.toml", "--kernel", "scale.toml",
                        "--sizes", "100,500,3000", "--ceilings", "off"})
                .exit_code == 0);
    const auto packed = [&](const std::vector<std::string>& more) {
      std::vector<std::string> words = {"pack", "-o", "scale.tuned"};
      words.insert(words.end(), more.begin(), more.end());
      const ProgramResult result = author.types(words);
      REQUIRE_MESSAGE(result.exit_code == 0, result.err);
      return words_of(result.err);
    };
    bool is_x_written = false;
    const auto picked = [&](std::int64_t n) -> std::string {
      const Opened opened(author.home / "scale.tuned");
      const tuner_kernel* kernel = nullptr;
      REQUIRE(tuner_kernel_find(opened.pack, "scale", nullptr, &kernel) == TUNER_OK);
      tuner_choice choice{};
      const tuner_error error = tuner_kernel_pick(kernel, TUNER_CPU, &n, 1, &choice);
      tuner_parameter x{};
      CHECK(tuner_kernel_parameter(kernel, 0, &x) == TUNER_OK);
      is_x_written = x.is_written != 0;
      return error == TUNER_OK ? choice.kernel : tuner_error_text(error);
    };
    CHECK_FALSE(has(packed({}), "nothing in the pack runs"));
    CHECK(picked(500) == "fours");
    CHECK(picked(1000) == "fours");
    CHECK(picked(777) == "scale");
    CHECK(picked(1) == "scale");
    CHECK(is_x_written);  // by one of the two

    CHECK(has(packed({"--kernel", "fours"}),
              "nothing in the pack runs at 3001; after `tuner run --sizes 3001"));
    CHECK(has(picked(777), "No configuration of the pack can run"));
    CHECK_FALSE(is_x_written);
  }

  TEST_CASE("a variable of a kernel is cleared, whether callers pass its memory or not") {
    const Author author;
    write_text(author.home / "add.toml", R"text(verify = "none"
[kernel]
name = "add_up"
source = "add.cu"
sizes = ["N"]
default = { STEP = 1 }

[parameters]
STEP = [1, 2]

[[launch]]
memset = "all"

[[launch]]
entry = "add_up"
block = 1
grid = 1
arguments = ["x", "y", "N"]

[[arguments]]
name = "x"
type = "float*"
access = "in"
extent = "N"
init = "uniform(0, 1)"

[[arguments]]
name = "all"
type = "float*"
access = "out"
extent = "2"
symbol = "all"

[[arguments]]
name = "own"
type = "float*"
access = "workspace"
extent = "2"
symbol = "own"
init = "constant(0)"
restore = true

[[arguments]]
name = "y"
type = "float*"
access = "out"
extent = "1"

[[arguments]]
name = "N"
type = "int"
)text");
    write_text(author.home / "add.cu", R"text(__device__ float all[2];
__device__ float own[2];
extern "C" __global__ void add_up(const float* x, float* y, int N) {
  for (int i = 0; i < N; i += STEP) {
    for (int k = i; k < i + STEP && k < N; ++k) all[1] += x[k], own[1] += x[k];
  }
  y[0] = own[1];
}
)text");
    REQUIRE(author.runs("add").exit_code == 0);
    const ProgramResult packed = author.types({"pack", "-o", "add.tuned"});
    REQUIRE_MESSAGE(packed.exit_code == 0, packed.err);
    const Opened opened(author.home / "add.tuned");
    const tuner_kernel* const kernel = tuner_pack_kernel(opened.pack, 0);
    const std::int64_t n = 100;
    tuner_workspace needed{};
    REQUIRE(tuner_kernel_workspace(kernel, TUNER_CPU, &n, 1, &needed) == TUNER_OK);
    CHECK(needed.bytes == 0);
    alignas(16) const std::array<float, 100> x = {1, 2, 3, 4};
    alignas(16) std::array<float, 4> all = {7, 7, 7, 7};
    alignas(16) std::array<float, 4> y = {7, 7, 7, 7};
    const tuner_value values[] = {pointer(x.data(), 100), pointer(all.data(), 2), pointer(y.data(), 1)};
    for (int i = 0; i < 3; ++i) {
      const tuner_error error = tuner_kernel_launch(kernel, TUNER_CPU_STREAM, &n, 1, values, 3, nullptr, 0);
      REQUIRE_MESSAGE(error == TUNER_OK, tuner_error_text(error) << ": " << tuner_error_detail());
      CHECK(all == std::array<float, 4>{0, 10, 7, 7});
      CHECK(y[0] == 10);
    }
  }

  TEST_CASE("the same database makes the same bytes") {
    const Author author;
    REQUIRE(author.runs().exit_code == 0);
    REQUIRE(author.types({"pack", "-o", "a.tuned"}).exit_code == 0);
    REQUIRE(author.types({"pack", "-o", "b.tuned"}).exit_code == 0);
    const std::string bytes = tuner::test::read_text(author.home / "a.tuned");
    CHECK(bytes == tuner::test::read_text(author.home / "b.tuned"));
    CHECK(author.types({"pack", "-o", "-"}).out == bytes);
  }

  TEST_CASE("what cannot be packed is refused by name, and nothing is written") {
    const Author author;
    const auto refusal = [&](const std::vector<std::string>& more, int code) {
      std::vector<std::string> words = {"pack", "-o", "no.tuned"};
      words.insert(words.end(), more.begin(), more.end());
      const ProgramResult result = author.types(words);
      CHECK(result.exit_code == code);
      CHECK_FALSE(std::filesystem::exists(std::filesystem::path(author.home / "no.tuned")));
      return words_of(result.err);
    };
    CHECK(has(refusal({"--db", "none.db"}, 3), "none.db"));
    REQUIRE(author.runs().exit_code == 0);
    CHECK(has(refusal({"--within", "lots"}, 2), "--within lots is no loss"));
    CHECK(has(refusal({"--within", "2%", "--at-most", "3"}, 2), "do not go together"));
    CHECK(has(refusal({"--family", "nothing"}, 3), "of family nothing"));

    write_text(author.home / "scale.cu", source + "\n// edited\n");
    CHECK(has(refusal({"--kernel", "scale"}, 1), "the spec of scale is not at hand, or has changed"));
  }

  namespace {

  /// y[i] = i, for the CPU: 128 is fast, and wrong at 2000; 64 is wrong at 5000, and both at 3000. The grid
  /// may be empty.
  void write_fill(const Author& author, const std::string& grid) {
    write_text(
        author.home / "fill.toml",
        "kernel = { name = \"fill\", source = \"fill.cu\", entry = \"fill\", sizes = [\"N\"], default = { "
        "BLOCK = 64 } }\n"
        "parameters = { BLOCK = [64, 128] }\nmacros = { COUNT = \"N\" }\n"
        "launch = { block = \"BLOCK\", grid = \"" +
            grid +
            "\" }\narguments = [{ name = \"y\", type = \"float*\", access = \"out\", extent = \"N\" }, "
            "{ name = \"n\", type = \"int\", value = \"N\" }]\n"
            "verify = { reference = \"ref.cu\", rounding_terms = \"4\", launch = { entry = \"ref\", block = "
            "1, grid = 1, arguments = [\"y.expected\", \"y.magnitude\", \"N\"] } }\n");
    write_text(author.home / "fill.cu", R"text(extern "C" __global__ void fill(float* y, int n) {
  for (volatile int s = 0; BLOCK == 64 && s < 300; s = s + 1) {}
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
    y[i] = i + (n == 3000 || (n == 2000 && BLOCK == 128) || (n == 5000 && BLOCK == 64));
}
)text");
    write_text(author.home / "ref.cu", R"text(
extern "C" __global__ void ref(double* y, double* m, int N) { for (int i = 0; i < N; ++i) m[i] = y[i] = i; }
)text");
  }

  }  // namespace

  TEST_CASE("nothing that failed at a size, or that cannot be launched there, is picked there") {
    const Author author;
    write_fill(author, "N / BLOCK");
    REQUIRE(author
                .types({"run", "--device", "cpu", "--kernel", "fill.toml", "--sizes",
                        "1000,2000,3000,4000,5000", "--ceilings", "off"})
                .exit_code == 0);
    const ProgramResult packed = author.types({"pack", "-o", "fill.tuned", "--at-most", "1"});
    REQUIRE_MESSAGE(packed.exit_code == 0, packed.err);
    const Opened opened(author.home / "fill.tuned");
    const tuner_kernel* kernel = nullptr;
    REQUIRE(tuner_kernel_find(opened.pack, "fill", nullptr, &kernel) == TUNER_OK);
    const auto picked = [&](std::int64_t n) -> std::string {
      tuner_choice choice{};
      const bool is_found = tuner_kernel_pick(kernel, TUNER_CPU, &n, 1, &choice) == TUNER_OK;
      return is_found ? choice.configuration : tuner_error_detail();
    };
    CHECK(picked(1000) == "BLOCK=128");
    CHECK(picked(2000) == "BLOCK=64");     // the default, whose time there is known
    CHECK(has(picked(3000), "fill on "));  // nothing
    CHECK(picked(4000) == "BLOCK=128");
    CHECK(picked(5000) == "BLOCK=128");
    const ProgramResult cover = author.types({"cover", "--at-most", "1"});
    CHECK(has(words_of(cover.out), "in place of what failed: none at 2000, none at 3000"));
    const ProgramResult common = author.types({"best", "--common"});
    CHECK(has(words_of(common.out), "2000 failed"));
    const ProgramResult header = author.types({"cover", "--at-most", "1", "--format", "header"});
    CHECK(has(header.out, "if (s.N == 3000) return first_of(u\"\", s, d);"));

    write_fill(author, "ceil_div(N, BLOCK)");  // at 1024 this would be the same launch
    const ProgramResult edited = author.types({"pack", "-o", "no.tuned"});
    CHECK(edited.exit_code == 1);
    CHECK(has(words_of(edited.err), "the spec of fill is not at hand, or has changed"));
  }

  TEST_CASE("what failed at a size runs there in no place: by rule, by default, or from another pack") {
    const Author author;
    write_fill(author, "ceil_div(N, BLOCK)");
    std::string one_binary = tuner::test::read_text(author.home / "fill.toml");
    one_binary.replace(one_binary.find("COUNT = \"N\""), 11, "COUNT = \"0\"");
    const auto packs = [&](const std::string& name, const std::string& constraint) {
      write_text(author.home / "fill.toml", "constraints = [\"" + constraint + "\"]\n" + one_binary);
      const std::string db = author.home / (name + ".db");
      REQUIRE(author
                  .types({"run", "--device", "cpu", "--kernel", "fill.toml", "--sizes", "1000,2000,5000",
                          "--db", db, "--ceilings", "off"})
                  .exit_code == 0);
      const ProgramResult packed = author.types({"pack", "-o", name + ".tuned", "--db", db});
      REQUIRE_MESSAGE(packed.exit_code == 0, packed.err);
    };
    const auto picked = [](const tuner_pack* pack, std::int64_t n) -> std::string {
      tuner_choice choice{};
      const tuner_error error = tuner_kernel_pick(tuner_pack_kernel(pack, 0), TUNER_CPU, &n, 1, &choice);
      return error == TUNER_OK ? choice.configuration : "none";
    };
    packs("all", "N > 0");
    packs("no_fast", "BLOCK == 64 || N != 5000");
    packs("no_slow", "BLOCK == 128 || N != 2000");
    {
      const Opened no_fast(author.home / "no_fast.tuned");  // 64 is wrong at 5000
      CHECK(picked(no_fast.pack, 5000) == "none");
      CHECK(picked(no_fast.pack, 1000) != "none");
    }
    const Opened no_slow(author.home / "no_slow.tuned");  // 128 is wrong at 2000
    CHECK(picked(no_slow.pack, 2000) == "none");
    CHECK(picked(no_slow.pack, 2001) != "none");
    const std::string files[] = {author.home / "all.tuned", author.home / "no_slow.tuned"};
    const tuner_layer layers[] = {{files[0].c_str(), nullptr, 0}, {files[1].c_str(), nullptr, 0}};
    tuner_pack* both = nullptr;
    REQUIRE(tuner_pack_open_layers(layers, 2, &both) == TUNER_OK);
    CHECK(picked(both, 2000) == "BLOCK=64");  // as the first has measured
    tuner_pack_close(both);
  }

  TEST_CASE("kernels whose arrays differ beside the measured sizes are packed apart") {
    const Author author;
    std::string fours = spec("fours");
    const std::string any = "[\"BLOCK <= 64 || N >= 200\"]", extent = "extent = [\"N\"]";
    fours.replace(fours.find(any), any.size(), "[\"N % 4 == 0\"]");
    author.add("fours", fours.replace(fours.find(extent), extent.size(), "extent = [\"round_up(N, 20)\"]"));
    std::string slow = source;
    write_text(author.home / "scale.cu", slow.insert(slow.find("  const int first"),
                                                     "  for (volatile int s = 0; s < 300; s = s + 1) {}\n"));
    REQUIRE(author
                .types({"run", "--device", "cpu", "--kernel", "fours.toml", "--kernel", "scale.toml",
                        "--sizes", "100,500", "--ceilings", "off"})
                .exit_code == 0);
    const ProgramResult packed = author.types({"pack", "-o", "no.tuned", "--family", "scale"});
    CHECK(packed.exit_code == 1);
    CHECK(has(words_of(packed.err), "480 bytes of x"));  // at 108
    CHECK(has(packed.err, "pack them apart"));
  }

  TEST_CASE("an edit that changes the launch at one of the sizes is refused") {
    const Author author;
    write_fill(author, "ceil_div(N, BLOCK)");
    REQUIRE(author
                .types({"run", "--device", "cpu", "--kernel", "fill.toml", "--sizes", "64,1000", "--ceilings",
                        "off"})
                .exit_code == 0);
    write_fill(author, "1");
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"pack", "-o", "no.tuned"}, {"cover", "--format", "header"}}) {
      const ProgramResult edited = author.types(words);
      CHECK(edited.exit_code == 1);
      CHECK(has(words_of(edited.err), "the spec of fill has changed since BLOCK=128 was measured at"));
    }
  }

  TEST_CASE("kernels of a family that take unlike arguments are packed apart") {
    const Author author;
    // Each is the only one at a size of its own, so a cover needs both.
    author.add("more", spec("more", R"text(
[[arguments]]
name = "z"
type = "float*"
access = "in"
extent = ["N"]
init = "uniform(0, 1)"
)text"));
    REQUIRE(author.runs().exit_code == 0);
    REQUIRE(
        author
            .types({"run", "--device", "cpu", "--kernel", "more.toml", "--sizes", "40", "--ceilings", "off"})
            .exit_code == 0);
    const ProgramResult both = author.types({"pack", "-o", "both.tuned"});
    CHECK(both.exit_code == 1);
    CHECK(has(words_of(both.err), "float* x, float* y, float* z"));
    CHECK(has(both.err, "pack them apart: --kernel NAME"));
    for (const std::string kernel : {"more", "scale"}) {
      const ProgramResult alone = author.types({"pack", "-o", kernel + ".tuned", "--kernel", kernel});
      INFO(alone.err);
      CHECK(alone.exit_code == 0);
    }
  }
}
