// Which blocks and grids a draft has of a launch in the source, and which of them it leaves out.
#include <doctest/doctest.h>

#include <string>

#include "tests/config/drafted.hpp"

using namespace config;
using config_test::copy_kernel;
using config_test::Drafted;
using config_test::drafted;
using config_test::program_of;
using config_test::spec_of;
using config_test::values_of;

TEST_SUITE("config::draft_spec, blocks and grids") {
  TEST_CASE("the second number of __launch_bounds__ is no block size") {
    const std::string kernel =
        "__global__ void __launch_bounds__(256, 4) k(float* d, const float* e, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i] = e[i]; }\n";
    const Drafted result = drafted(program_of(kernel, "k<<<n / 256, 256>>>(d, e, n);"));
    CHECK(spec_of(result).defaults.front().value.code() == 256);
    CHECK(result.draft.spec.find("__launch_bounds__") == std::string::npos);
  }

  TEST_CASE("blocks beyond __launch_bounds__ are not offered") {
    const auto kernel = [](const std::string& bounds) {
      return "#define MOST 128\n__launch_bounds__(" + bounds +
             ") __global__ void k(float* y, int n) {\n"
             "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = i; }\n";
    };
    const std::vector<std::int64_t> up_to_128 = {64, 128};
    CHECK(values_of(drafted(kernel("128")), "BLOCK_SIZE") == up_to_128);
    CHECK(values_of(drafted(kernel("MOST, 2")), "BLOCK_SIZE") == up_to_128);
    CHECK(values_of(drafted(kernel("1024")), "BLOCK_SIZE").back() == 1024);
    const Drafted tunable = drafted(
        "#ifndef THREADS\n#define THREADS 256\n#endif\n"
        "__global__ void __launch_bounds__(THREADS) k(float* y, int n) { y[blockIdx.x * THREADS] = n; }\n");
    CHECK(tunable.draft.spec.find("constraints") == std::string::npos);
    CHECK(values_of(tunable, "THREADS").back() == 1024);
  }

  TEST_CASE("blocks that write past an array in shared memory are not offered") {
    const auto values = [](const std::string& body, const std::string& launch = "") {
      return values_of(drafted("__global__ void k(float* y, int n) {\n  " + body + "\n}\n" + launch),
                       "BLOCK_SIZE");
    };
    const std::string index = "int t = threadIdx.x; int i = blockIdx.x * blockDim.x + t; ";
    const std::vector<std::int64_t> up_to_256 = {64, 128, 256};
    CHECK(values("__shared__ float s[256]; " + index + "s[t] = y[i]; y[i] = s[0];") == up_to_256);
    CHECK(values("constexpr int M = 512; __shared__ float s[M]; " + index +
                 "if (i < n) s[2 * t + 1] = y[i];") == up_to_256);
    // One element a warp.
    CHECK(values("__shared__ float s[8]; " + index + "s[t / 32] = y[i]; y[i] = s[0];") == up_to_256);
    CHECK(values("__shared__ float s[8]; " + index + "s[threadIdx.x >> 5] = y[i]; y[i] = s[0];") ==
          up_to_256);
    CHECK(values("__shared__ float s[16]; " + index + "s[t] = y[i];") == std::vector<std::int64_t>{16});
    // Where a condition keeps others away, or the array follows the launch, all are.
    for (const std::string guarded : {"if (t < 256) s[t] = y[i];", "if (t >= 256) return; s[t] = y[i];",
                                      "for (int j = t; j < 256; j += blockDim.x) s[j] = y[j];",
                                      "s[t % 256] = y[i];", "float v = t < 256 ? s[t] : 0; y[i] = v;"})
      CHECK_MESSAGE(values("__shared__ float s[256]; " + index + guarded).back() == 1024, guarded);
    CHECK(values("extern __shared__ float s[]; " + index + "s[t] = y[i];").back() == 1024);
    // What the program launches fits.
    const std::string run =
        "void run(float* y, int n) { int BLOCK_SIZE = 128; k<<<n / BLOCK_SIZE, BLOCK_SIZE>>>(y, n); }\n";
    CHECK(values("__shared__ float s[256]; " + index + "s[t] = y[i];", run) ==
          std::vector<std::int64_t>{32, 64, 128, 256});
    const std::string kernel =
        "__global__ void k(float* y, int n) { __shared__ float s[256];\n"
        "  s[threadIdx.y * blockDim.x + threadIdx.x] = y[blockIdx.x * blockDim.x + threadIdx.x];\n"
        "  y[blockIdx.y * blockDim.y + threadIdx.y] = s[0]; }\n";
    CHECK(drafted(kernel).draft.spec.find("constraints = [\"BLOCK_X * BLOCK_Y <= 256\"]") !=
          std::string::npos);
  }

  TEST_CASE("a block that buffers have an element for is a parameter whatever it is called") {
    const Drafted result = drafted(
        "__global__ void k(const float* x, float* part, int n) {\n"
        "  part[blockIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x] * n; }\n"
        "float reduce(const float* x, int n) {\n  const int T = 256; int blocks = (n + T - 1) / T; float* "
        "part;\n"
        "  cudaMalloc(&part, blocks * sizeof(float)); k<<<blocks, T>>>(x, part, n); return 0; }\n");
    CHECK(spec_of(result).sizes == std::vector<std::string>{"N"});
    CHECK(values_of(result, "T").size() > 1);
    CHECK(spec_of(result).arguments[1].extent.front().text == "ceil_div(N, T)");
  }

  TEST_CASE("a launcher that sets the block itself has that one, whatever it is passed") {
    const auto usual = [](const std::string& statement) {
      const Drafted result = drafted(
          "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) "
          "x[i] = i; }\n"
          "void go(float* x, int n, int block_size) { " +
          statement +
          " k<<<(n + block_size - 1) / block_size, block_size>>>(x, n); }\n"
          "int main() { int n = 4096; float* x; cudaMalloc(&x, n * sizeof(float)); go(x, n, 256); }\n");
      return spec_of(result).defaults.front().value.code();
    };
    CHECK(usual("block_size = 32;") == 32);
    CHECK(usual("if (n > 5) { block_size = 32; }") == 256);
    CHECK(usual("") == 256);
  }

  TEST_CASE("rows that blocks number are the grid's where it is over sizes") {
    const Drafted result = drafted(
        "__global__ void k(float* x, const float* w, int ld) {\n"
        "  int row = blockIdx.x * ld; for (int i = threadIdx.x; i < ld; i += blockDim.x) x[row + i] = w[i]; "
        "}\n"
        "void go(float* x, const float* w, int ld, int n) { k<<<n / ld, 128>>>(x, w, ld); }\n");
    const auto& extent = spec_of(result).arguments[0].extent;
    REQUIRE(extent.size() == 2);
    CHECK(extent[0].text == "N / LD");
    CHECK(extent[1].text == "LD");
  }

  TEST_CASE("a step behind a rest rounds a grid up") {
    const auto grid = [](const std::string& blocks) {
      return spec_of(drafted(program_of(copy_kernel, "int threads = 256, blocks = n / threads; " + blocks +
                                                         " k<<<blocks, threads>>>(d, e, n);")))
          .steps.front()
          .grid.front()
          .text;
    };
    CHECK(grid("if (n % threads) blocks++;") == "ceil_div(N, THREADS)");
    CHECK(grid("if (n % threads != 0) { ++blocks; }") == "ceil_div(N, THREADS)");
    CHECK(grid("if (n % threads > 0) blocks += 1;") == "ceil_div(N, THREADS)");
    CHECK(drafted(program_of(copy_kernel,
                             "int blocks = n / 256; if (n > 5) ++blocks;\n"
                             "  k<<<blocks, 256>>>(d, e, n);"))
              .asks("does not say it in a way that can be read"));
  }

  TEST_CASE("a block stays where the kernel has what it covers as a number") {
    const std::string kernel =
        "__global__ void k(float* d, const float* e, int n) {\n"
        "  int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x); d += 128 * blockIdx.x; d[threadIdx.x] = "
        "e[i]; "
        "}\n";
    const std::string launch =
        "int threads = 16; k<<<(n + 8 * threads - 1) / (8 * threads), threads>>>(d, e, n);";
    CHECK(values_of(drafted(program_of(kernel, launch)), "THREADS") == std::vector<std::int64_t>{16});
    const std::string tiled =
        "#define TILE 64\n__global__ void k(float* d, const float* e, int n) { __shared__ float s[TILE];\n"
        "  s[threadIdx.x] = e[blockIdx.x * blockDim.x + threadIdx.x];\n"
        "  for (int i = 0; i < TILE; ++i) d[i] += s[i]; }\n";
    const Drafted looped =
        drafted(program_of(tiled, "int threads = 64; k<<<n / threads, threads>>>(d, e, n);"));
    CHECK(spec_of(looped).parameters.empty());
    CHECK(looped.draft.spec.find("# threads is 64: the kernel has a loop over as many\n") !=
          std::string::npos);
  }

  TEST_CASE("a block has no more threads along an axis that the kernel does not ask for") {
    const Drafted named = drafted(
        program_of(copy_kernel, "dim3 b(X, Y); k<<<n / X, b>>>(d, e, n);", "#define X 64\n#define Y 2\n"));
    CHECK(spec_of(named).parameters.size() == 1);
    CHECK(spec_of(named).steps.front().block.back().text == "2");
    const Drafted numbers = drafted(program_of(copy_kernel, "dim3 b(64, 2); k<<<n / 64, b>>>(d, e, n);"));
    CHECK(spec_of(numbers).parameters.size() == 1);
  }

  TEST_CASE("what a grid alone follows is no size where buffers do not follow it") {
    const std::string scale =
        "__global__ void k(float* d, const float* e) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; d[i] = e[i]; }\n"
        "int main() { int n = 1000; float *d, *e; cudaMalloc(&d, 4096); cudaMalloc(&e, 4096);\n";
    const Drafted fixed = drafted(scale + "  k<<<(n + 255) / 256, 256>>>(d, e); }\n");
    CHECK(fixed.draft.spec.find("# n is 1000: no buffer follows it\n") != std::string::npos);
    CHECK(spec_of(fixed).steps.front().grid.front().text == "ceil_div(1000, BLOCK_SIZE)");
    const Drafted open = drafted(scale + "  int m = count(); k<<<(m + 255) / 256, 256>>>(d, e); }\n");
    CHECK(open.draft.spec.find("  # ? no buffer follows M\n") != std::string::npos);
    CHECK(open.asks("grid: no buffer follows M"));
    const Drafted beside = drafted(program_of(copy_kernel, "int m = count(); k<<<m, 64>>>(d, e, n);"));
    CHECK(beside.asks("grid: no buffer follows M"));
    CHECK_FALSE(drafted(program_of(copy_kernel, "k<<<n / 64, 64>>>(d, e, n);")).asks("no buffer follows"));
  }

  TEST_CASE("a kernel that compares nothing takes whole blocks alone") {
    const auto constraints = [](const std::string& body) {
      return spec_of(drafted(program_of("__global__ void k(float* d, const float* e) {\n"
                                        "  int i = blockIdx.x * blockDim.x + threadIdx.x; " +
                                            body + " }\n",
                                        "k<<<(n + 63) / 64, 64>>>(d, e);")))
          .constraints;
    };
    REQUIRE(constraints("d[i] = e[i];").size() == 1);
    CHECK(constraints("d[i] = e[i];").front().text == "N % BLOCK_SIZE == 0");
    CHECK(constraints("if (e[i] > 0) d[i] = e[i];").empty());
  }

  TEST_CASE("a halo that a grid of numbers leaves out follows the block") {
    const Drafted result =
        drafted(program_of(copy_kernel, "dim3 b(128); k<<<(n - 2 + b.x - 1) / b.x, b>>>(d, e, n);"));
    CHECK(spec_of(result).steps.front().grid.front().text == "ceil_div(N - 2, BLOCK_SIZE)");
    CHECK(spec_of(result).constraints.empty());
  }
}
