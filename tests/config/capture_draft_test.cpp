// Specs made from recorded launches, read back as a user's spec is.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "config/kernel_file.hpp"
#include "config/spec_draft.hpp"
#include "tests/config/temporary_folder.hpp"
#include "tuner/model/error.hpp"

using namespace config;
using tuner::model::CapturedKernel;
using tuner::model::CapturedLaunch;
using tuner::model::CapturedRegion;
using tuner::model::ElementType;

TEST_SUITE("config::draft_spec, captured") {
  namespace {

  /// A launch as a capture has it, argument by argument.
  struct TestLaunch : CapturedLaunch {
    TestLaunch(std::array<std::int64_t, 3> of_grid, std::array<std::int64_t, 3> of_block) {
      grid = of_grid;
      block = of_block;
      architecture = "sm_90";
    }
    template <class Value>
    TestLaunch&& with(Value value, const std::string& type = "") && {
      std::string raw(sizeof value, '\0');
      std::memcpy(raw.data(), &value, sizeof value);
      arguments.push_back({static_cast<std::int64_t>(sizeof value), type, raw, std::nullopt, false});
      return std::move(*this);
    }
    TestLaunch&& reads(std::int64_t bytes, const std::string& type = "") && {
      return std::move(*this).memory(bytes, type, "");
    }
    TestLaunch&& writes(std::int64_t bytes, const std::string& type = "") && {
      return std::move(*this).memory(bytes, type, "after");
    }
    TestLaunch&& variable(std::int64_t bytes, const std::string& name) && {
      regions.push_back({0, bytes, "", "before", "", name});
      return std::move(*this);
    }

   private:
    TestLaunch&& memory(std::int64_t bytes, const std::string& type, const std::string& after) && {
      arguments.push_back({8, type, std::string(8, 'p'), static_cast<int>(regions.size()), false});
      regions.push_back({0, bytes, "", "before", after, ""});
      return std::move(*this);
    }
  };

  /// Every launch changes all that it changes; two launches differ by `apart`.
  struct TestMemory : CapturedMemory {
    double apart = 0;
    std::int64_t unchanged = 0;

    Contents contents(const CapturedRegion& region, ElementType type, std::int64_t bytes) override {
      const std::int64_t numbers = bytes / tuner::model::size_bytes(type);
      return {numbers, region.after.empty() ? 0 : numbers - unchanged, 0, 2, false};
    }
    bool same_before(const CapturedRegion& a, const CapturedRegion& b) override { return a.bytes == b.bytes; }
    double difference(const CapturedRegion&, const CapturedRegion&, ElementType) override { return apart; }
    double number(ElementType type, const std::string& bytes) override {
      if (type != ElementType::float32) return 0;
      float value = 0;
      std::memcpy(&value, bytes.data(), sizeof value);
      return static_cast<double>(value);
    }
  };

  struct CaptureDraft {
    SpecDraft draft;
    tuner::model::KernelSpec spec;

    bool says(const std::string& part) const { return draft.spec.find(part) != std::string::npos; }
    bool asks(const std::string& part) const {
      return std::ranges::any_of(draft.questions, [&](const std::string& question) {
        return question.find(part) != std::string::npos;
      });
    }
  };

  /// The draft of the one kernel of `source`, read back into `loaded`.
  CaptureDraft read_back(const std::string& source, std::vector<CapturedLaunch> kept, LoadedKernels& loaded,
                         const std::string& readable = "k", TestMemory memory = {}) {
    const tuner::source::Program program({"k.cu", source}, [](auto&&...) { return std::nullopt; });
    const auto kernel = std::ranges::find_if(program.functions(), &tuner::source::ProgramFunction::is_kernel);
    REQUIRE(kernel != program.functions().end());
    CapturedKernel captured{"k", readable, kernel->name, kept.size(), 0, {}, std::move(kept)};
    for (std::size_t i = 0; i < captured.kept.size(); ++i) captured.kept[i].number = i + 1;
    const CapturedSource from{captured, memory, "H100", "recorded"};
    CaptureDraft result{draft_spec(program, *kernel, {"k.cu", "k_reference.cu", {}, &from}), {}};
    const TemporaryFolder folder;
    folder.write("k.cu", source);
    for (const DraftFile& file : result.draft.files)
      folder.write(file.name, std::string(static_cast<std::size_t>(file.bytes), '\0'));
    loaded = load_kernel_file(folder.write("k.toml", result.draft.spec));
    return result;
  }

  /// The same, without a mistake.
  CaptureDraft capture_draft(const std::string& source, std::vector<CapturedLaunch> kept,
                             const std::string& readable = "k", TestMemory memory = {}) {
    LoadedKernels loaded;
    CaptureDraft result = read_back(source, std::move(kept), loaded, readable, std::move(memory));
    INFO(result.draft.spec);
    for (const auto& mistake : loaded.mistakes) FAIL_CHECK(mistake.where.text(), " ", mistake.message);
    REQUIRE(loaded.kernels.size() == 1);
    result.spec = loaded.kernels.front();
    for (const auto& mistake : signature_mistakes(result.spec)) FAIL_CHECK(mistake.message);
    return result;
  }

  constexpr const char* tiled_source =
      "template <typename T, int TILE> __global__ void mm(T* C, const T* A, const T* B, int M, int N, int K, "
      "int lda) {\n"
      "  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;\n"
      "  if (row < M && col < N) C[row * N + col] = A[row * lda] * B[col]; }\n";

  CapturedLaunch tiled_launch(int m, int n, int k) {
    return TestLaunch({(n + 15) / 16, (m + 15) / 16, 1}, {16, 16, 1})
        .writes(4LL * m * n, "float*")
        .reads(4LL * m * k, "float const*")
        .reads(4LL * k * n, "float const*")
        .with(m)
        .with(n)
        .with(k)
        .with(k);
  }

  }  // namespace

  TEST_CASE("sizes, extents, launch and template arguments of a tiled kernel are those that were recorded") {
    const CaptureDraft result = capture_draft(
        tiled_source, {tiled_launch(100, 60, 30), tiled_launch(33, 500, 70), tiled_launch(128, 128, 128)},
        "void mm<float, 16>(float*, float const*, float const*, int, int, int, int)");
    CHECK(result.spec.steps.front().entry == "mm<float, TUNED_TILE>");
    CHECK(result.spec.sizes == std::vector<std::string>{"M", "N", "K"});
    CHECK(result.draft.sizes == "100x60x30,33x500x70,128x128x128");
    CHECK(result.says("expected = \"file(recorded/C.expected.{M}x{N}x{K}.npy)\"") !=
          result.says("expected = \"file(recorded/C.expected.{M}x{N}x{K}.bin)\""));
    REQUIRE(result.draft.files.size() == 9);
    CHECK(result.draft.files.at(1).name.starts_with("recorded/C.expected.33x500x70."));
    CHECK(result.draft.files.at(1).bytes == 4 * 33 * 500);
    CHECK(result.says("default = { TUNED_TILE = 16 }"));
    CHECK(result.says("block = [\"TUNED_TILE\", \"TUNED_TILE\"]"));
    CHECK(result.says("grid = [\"ceil_div(N, TUNED_TILE)\", \"ceil_div(M, TUNED_TILE)\"]"));
    CHECK(result.says("extent = [\"M * N\"]"));
    CHECK(result.says("extent = [\"K * N\"]") != result.says("extent = [\"N * K\"]"));
    CHECK(result.says("name = \"lda\"\ntype = \"int\"\nvalue = \"K\""));
    CHECK(result.asks("how exact are results?"));
  }

  TEST_CASE("a buffer of a pool, larger than it need be, has the most that every launch had") {
    CapturedLaunch oblong = tiled_launch(64, 128, 64);
    oblong.regions[2].bytes += 512;
    const CaptureDraft result = capture_draft(tiled_source, {tiled_launch(128, 128, 128), oblong},
                                              "void mm<float, 16>(float*, float const*, float const*)");
    const std::string spec = result.draft.spec;
    const std::string b = spec.substr(spec.find("name = \"B\""), 160);
    CHECK_MESSAGE((b.find("[\"K * N\"]") != std::string::npos || b.find("[\"N * K\"]") != std::string::npos ||
                   b.find("[\"M * N\"]") != std::string::npos),
                  b);  // not M * M, with which fewer elements would be there than are read
  }

  TEST_CASE("sizes that one launch cannot tell apart are doubted") {
    const CaptureDraft result =
        capture_draft(tiled_source, {tiled_launch(64, 64, 64)}, "void mm<float, 16>(float*)");
    CHECK(result.says("# ? ceil_div(K, TUNED_TILE) gives the same in these launches"));
  }

  TEST_CASE("one number that is passed for several sizes is along each axis the size of its name") {
    const std::string source =
        tiled_source +
        std::string(
            "void run(float* C, const float* A, const float* B, int n) {\n"
            "  mm<float, 16><<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(C, A, B, n, n, n, n);\n"
            "}\n");
    const CaptureDraft result = capture_draft(source, {tiled_launch(64, 64, 64), tiled_launch(256, 256, 256)},
                                              "void mm<float, 16>(float*)");
    CHECK(result.spec.sizes == std::vector<std::string>{"M", "N", "K"});
    // A doubt of each axis, on a line of its own.
    CHECK(result.says("\ngrid = [\"ceil_div(N, TUNED_TILE)\", \"ceil_div(M, TUNED_TILE)\"]\n"));
    CHECK(result.says("gives the same in these launches\n# ? "));
    CHECK(result.says("extent = [\"M * N\"]  # by the kernel's indices\nexpected"));
    CHECK(result.says("extent = [\"M * N\"]  # ? M * K is as many\ninit"));  // of `B[col]`
  }

  TEST_CASE("two launches with the same inputs say how exact the results are") {
    const std::string source =
        "__global__ void k(float* y, const float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
        "atomicAdd(y, x[i]); }\n";
    const auto launch = [] { return TestLaunch({10, 1, 1}, {128, 1, 1}).writes(4).reads(5120).with(1280); };
    TestMemory memory;
    CHECK(
        capture_draft(source, {launch(), launch()}, "k", memory).says("launches 1 and 2 gave the same bits"));
    memory.apart = 0.5;
    const CaptureDraft result = capture_draft(source, {launch(), launch()}, "k", memory);
    CHECK(result.says("tolerance = { absolute = 2, "));
    CHECK(result.says("launches 1 and 2 differ by 0.5"));
    CHECK(result.says("deterministic = false"));
    CHECK(result.says("access = \"inout\"  # atomics"));
    CHECK_FALSE(result.asks("how exact"));
  }

  TEST_CASE("what a kernel writes in part must stay elsewhere") {
    TestMemory memory;
    memory.unchanged = 3;
    const CaptureDraft result =
        capture_draft("__global__ void k(int* y, int n) { y[threadIdx.x] = n; }\n",
                      {TestLaunch({1, 1, 1}, {32, 1, 1}).writes(160).with(40)}, "k", memory);
    CHECK(result.says("access = \"inout\"  # written; 37 of 40 numbers changed, and the others must stay"));
    CHECK(result.says("bytes = \"4.0 * "));  // it is not read
    CHECK(result.says("rounding_terms = \"0\"  # equal\n"));
  }

  TEST_CASE("structs, vectors, null pointers and variables are passed as they were recorded") {
    struct Shape {
      int width;
      float scale;
    };
    const std::string source =
        "struct Shape { int width; float scale; };\nclass Hidden;\n__constant__ float weights[4];\n"
        "__global__ void k(float4* y, const float* bias, Shape shape, Hidden hidden, bool flag) {\n"
        "  y[threadIdx.x].x = weights[0] * shape.scale; }\n";
    const CaptureDraft result = capture_draft(source, {TestLaunch({2, 1, 1}, {32, 1, 1})
                                                           .writes(1024)
                                                           .with(std::int64_t{0})
                                                           .with(Shape{64, 0.1F})
                                                           .with(std::array<char, 12>{1, 2, 3})
                                                           .with(true)
                                                           .variable(16, "weights")});
    CHECK(result.spec.sizes == std::vector<std::string>{"WIDTH"});
    CHECK(result.says("type = \"float4*\""));
    CHECK(result.says("name = \"bias\"\ntype = \"float*\"\nvalue = \"NULL\"\n"));
    CHECK(result.says("width = \"WIDTH\"\nscale = \"0.1\"\n"));
    CHECK(result.says("[structs.Recorded_hidden]"));
    CHECK(result.says("[\"1\", \"2\", \"3\", \"0\""));
    CHECK(result.says("name = \"flag\"\ntype = \"bool\"\nvalue = \"1\""));
    CHECK(result.says("symbol = \"weights\"\naccess = \"in\"  # line 3\nextent = [\"4\"]"));
  }

  TEST_CASE("a choice of an enumeration is no size, and has the recorded value") {
    const std::string source =
        "enum Mode { up = 11, down };\nstruct Plan { float step; Mode mode; };\n"
        "__global__ void k(float* y, int n, Mode mode, Plan plan) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = mode + plan.mode; }\n";
    const auto launch = [](int n) {
      return TestLaunch({(n + 63) / 64, 1, 1}, {64, 1, 1})
          .writes(4LL * n, "float*")
          .with(n)
          .with(12)  // more than a flag has
          .with(std::array<int, 2>{0, 12});
    };
    const CaptureDraft result = capture_draft(source, {launch(1000), launch(300)});
    CHECK(result.spec.sizes == std::vector<std::string>{"N"});
    CHECK(result.says("name = \"mode\"\ntype = \"int\"\nvalue = \"12\""));
  }

  TEST_CASE("an array inside a struct cannot be said, and what to do instead is told") {
    // As cupyx.jit passes arrays: the address, how many elements, shape and strides.
    struct Array {
      std::int64_t data, size, shape, stride;
    };
    TestLaunch launch = TestLaunch({1, 1, 1}, {32, 1, 1}).writes(128).with(Array{4096, 32, 32, 4}).with(32);
    launch.arguments[1].has_pointers = true;
    LoadedKernels loaded;
    const CaptureDraft result = read_back(
        "template <class T, int D> struct CArray { T* data; long long size; int shape[D]; };\n"
        "__global__ void k(float* y, CArray<float, 1> x, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; "
        "}\n",
        {launch}, loaded);
    CHECK(result.asks(
        "x: a `CArray<float,1>` holds addresses of the program's memory, and no spec fills an array "
        "inside a struct; make k a __device__ function, and call it from a kernel that is passed the "
        "pointers and makes the struct"));
    CHECK(result.says("value = \"?\"  # ? it holds addresses of the program's memory"));
    REQUIRE(loaded.mistakes.size() == 1);  // nothing runs with addresses of another process
    CHECK(loaded.mistakes.front().message.find("value") != std::string::npos);
  }

  TEST_CASE("a grid that follows nothing is said with the numbers, and holds for the launch") {
    const auto launch = [](int n, std::int64_t blocks) {
      return TestLaunch({blocks, 1, 1}, {128, 1, 1}).writes(4LL * n).with(n);
    };
    const CaptureDraft result = capture_draft("__global__ void k(float* y, int n) { y[blockDim.x] = n; }\n",
                                              {launch(1000, 17), launch(2000, 3), launch(3000, 91)});
    CHECK(result.says("grid = [\"17\"]  # ? no expression was found along x: 17 at N = 1000; 3 at N = 2000"));
    CHECK(result.asks("grid: no expression gives what was recorded along x"));
  }

  TEST_CASE("an extent that follows no size holds the sizes as they are") {
    const CaptureDraft result =
        capture_draft("__global__ void k(float* y, int n) { y[blockDim.x] = n; }\n",
                      {TestLaunch({8, 1, 1}, {128, 1, 1}).writes(4099 * 4).with(1000)});
    CHECK(result.says("extent = [\"4099\"]  # ? all that the pointer reached; no size explains it"));
    CHECK(result.says("constraints = [\"N == 1000\"]"));
  }

  TEST_CASE("a result of each block has the extent of the recorded grid, at all sizes") {
    const auto launch = [](int n) {
      return TestLaunch({(n + 255) / 256, 1, 1}, {256, 1, 1})
          .writes(4LL * ((n + 255) / 256))
          .reads(4LL * n)
          .with(n);
    };
    const CaptureDraft result = capture_draft(
        "__global__ void k(float* sums, const float* x, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n && threadIdx.x == 0) sums[blockIdx.x] = x[i]; }\n",
        {launch(100000), launch(2000), launch(70000)});
    CHECK(result.says("extent = [\"ceil_div(N, 256)\"]  # one for each block"));
    CHECK(result.says("constraints = [\"BLOCK_SIZE == 256\"]"));
    CHECK(result.draft.sizes == "100000,2000,70000");
  }

  TEST_CASE(
      "launches of other sizes are left out with the reason where the spec cannot be held against them") {
    const std::string source =
        "__global__ void k(float* y, int n, float a) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] = a; }\n";
    const auto launch = [](int n, float a, std::int64_t elements) {
      return TestLaunch({(n + 255) / 256, 1, 1}, {256, 1, 1}).writes(4 * elements).with(n).with(a);
    };
    const CaptureDraft alike = capture_draft(source, {launch(1000, 2, 1000), launch(600, 2, 600)});
    CHECK(alike.draft.sizes == "1000,600");
    CHECK(alike.draft.files.size() == 2);
    CHECK_FALSE(alike.asks("launches of other sizes"));
    const CaptureDraft other = capture_draft(source, {launch(1000, 2, 1000), launch(600, 3, 600)});
    CHECK(other.draft.sizes == "1000");
    CHECK(other.asks("launches of other sizes were kept and are not in the spec: a was another value there"));
    CHECK(other.says("file(recorded/y.expected.bin)"));
    const CaptureDraft fixed = capture_draft(source, {launch(1000, 2, 4099), launch(600, 2, 5003)});
    CHECK(fixed.draft.sizes == "1000");
    CHECK(fixed.says("N == 1000"));
    CHECK(fixed.asks("no size explains how much memory y has"));
    const CaptureDraft roomy = capture_draft(source, {launch(1000, 2, 4099), launch(600, 2, 4099)});
    CHECK(roomy.draft.sizes == "1000,600");
    CHECK(roomy.says("N <= 1000"));
    CHECK_FALSE(roomy.asks("launches of other sizes"));
    // Of launches of one size the first counts.
    CHECK(capture_draft(source, {launch(1000, 2, 1000), launch(1000, 3, 1000)}).draft.sizes == "1000");
  }

  TEST_CASE("macros are told apart by their names where their values are the same") {
    const auto macro = [](const std::string& name) {
      return "#ifndef " + name + "\n#define " + name + " 16\n#endif\n";
    };
    const std::string source =
        macro("BLK_N") + macro("BLK_M") + macro("DIM_Y") + macro("DIM_X") + macro("DIM_XA") +
        "__global__ void k(float* y, int M, int N) {\n"
        "  float part[BLK_M / DIM_X][2 * BLK_N / DIM_XA]; int m = blockIdx.x, n = blockIdx.y;\n"
        "  y[m * DIM_X + n * DIM_Y + DIM_XA] = part[0][0]; }\n";
    const CaptureDraft result =
        capture_draft(source, {TestLaunch({8, 4, 1}, {16, 16, 1}).writes(4 * 128 * 64).with(128).with(64)});
    CHECK(result.says("block = [\"DIM_X\", \"DIM_Y\"]"));
    CHECK(result.says("grid = [\"ceil_div(M, BLK_M)\", \"ceil_div(N, BLK_N)\"]"));
    CHECK(result.says("constraints = [\"BLK_M % DIM_X == 0\"]"));
    CHECK_FALSE(result.asks("go together"));
  }

  TEST_CASE("blocks of several axes keep to __launch_bounds__ together") {
    const CaptureDraft result = capture_draft(
        "__launch_bounds__(256) __global__ void k(float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; y[i * blockDim.y + threadIdx.y] = n; }\n",
        {TestLaunch({8, 1, 1}, {16, 16, 1}).writes(4096).with(1000)});
    CHECK(result.says("constraints = [\"BLOCK_X * BLOCK_X <= 256\""));
  }

  TEST_CASE("a size may count the components of a vector") {
    const CaptureDraft result =
        capture_draft("__global__ void k(float4* y, int n) { y[blockDim.x] = make_float4(n, 0, 0, 0); }\n",
                      {TestLaunch({8, 1, 1}, {128, 1, 1}).writes(4096 * 4).with(4096)});
    CHECK(result.says("extent = [\"ceil_div(N, 4)\"]"));
  }

  TEST_CASE("a kernel without integers has the size of what it writes") {
    const auto launch = [](std::int64_t blocks) {
      return TestLaunch({blocks, 1, 1}, {256, 1, 1}).writes(1024 * blocks);
    };
    const CaptureDraft result =
        capture_draft("__global__ void k(float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n",
                      {launch(4), launch(7)});
    CHECK(result.says("sizes = [\"N\"]  # 1024,1792 in the program"));
    CHECK(result.says("grid = [\"ceil_div(N, BLOCK_SIZE)\"]"));
  }

  TEST_CASE("the launch of the source is kept where it gives the recorded numbers, and fitted where not") {
    const std::string kernel = "__global__ void k(float* y, int n) { y[blockIdx.x * blockDim.x] = n; }\n";
    const auto host = [&](const std::string& grid) {
      return kernel + "void go(float* y, int n) { k<<<" + grid + ", 128>>>(y, n); }\n";
    };
    const auto launch = [] { return TestLaunch({9, 1, 1}, {128, 1, 1}).writes(4000).with(1000); };
    CHECK(capture_draft(host("n / 128 + 2"), {launch()}).says("grid = [\"N / BLOCK_SIZE + 2\"]"));
    CHECK(capture_draft(host("n / 64"), {launch()}).says("# ? no expression") == false);
  }

  TEST_CASE("arguments that differ from the source's are refused") {
    const auto refused = [](const std::string& source) {
      CHECK_THROWS_AS(capture_draft(source, {TestLaunch({1, 1, 1}, {32, 1, 1}).writes(128).with(32)}),
                      tuner::model::UsageError);
    };
    refused("__global__ void k(float* y) { y[0] = 1; }\n");
    refused("__global__ void k(float* y, double n) { y[0] = n; }\n");
    CHECK_THROWS_AS(capture_draft("__global__ void k(float* y, int n) { y[0] = n; }\n", {}),
                    tuner::model::UsageError);
  }
}
