// What a launch in the source makes of a draft: sizes, parameters, arguments.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/config/drafted.hpp"

using namespace config;
using config_test::copy_kernel;
using config_test::Drafted;
using config_test::drafted;
using config_test::program_of;
using config_test::spec_of;
using config_test::values_of;

TEST_SUITE("config::draft_spec of a source that launches") {
  TEST_CASE("sizes, extents, block and grid are those of the launch, and nothing is asked of them") {
    const Drafted result = drafted(
        program_of(copy_kernel, "int threads = 128; k<<<(n + threads - 1) / threads, threads>>>(d, e, n);"));
    const auto& spec = spec_of(result);
    CHECK(spec.sizes == std::vector<std::string>{"N"});
    CHECK(result.draft.sizes == "4096");
    CHECK(spec.steps.front().grid.front().text == "ceil_div(N, THREADS)");
    CHECK(values_of(result, "THREADS") == std::vector<std::int64_t>{32, 64, 128, 256, 512});
    CHECK(spec.defaults.front().value.code() == 128);
    CHECK(spec.arguments[0].access == tuner::model::Access::out);
    CHECK(spec.arguments[1].extent.size() == 2);
    CHECK_FALSE(spec.workload.operations.has_value());
    REQUIRE(spec.workload.bytes.has_value());
    CHECK(spec.workload.bytes->text.starts_with("4.0 * "));
    CHECK_FALSE(result.asks("block"));
    CHECK_FALSE(result.asks("how many elements"));
  }

  TEST_CASE("words of host code are no parameters") {
    const Drafted result = drafted(
        program_of(copy_kernel, "if (argc > TOO_MANY) exit(EXIT_FAILURE); k<<<n / 256, 256>>>(d, e, n);"));
    REQUIRE(spec_of(result).parameters.size() == 1);
    CHECK(spec_of(result).parameters.front().name == "BLOCK_SIZE");
    CHECK(spec_of(result).parameters.front().runtime);
  }

  TEST_CASE("a grid may be a limit of the device") {
    const auto grid = [](const std::string& launch) {
      return spec_of(drafted(program_of(copy_kernel, launch))).steps.front().grid.front().text;
    };
    const std::string properties = "cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); ";
    CHECK(grid(properties + "k<<<p.multiProcessorCount, 256>>>(d, e, n);") == "multiprocessors");
    CHECK(grid(properties + "k<<<2 * p.multiProcessorCount, 256>>>(d, e, n);") == "2 * multiprocessors");
  }

  TEST_CASE("what a local header defines is no parameter, unless the build may define it") {
    const std::string source =
        "#include \"h.h\"\n__global__ void k(float* y, int n) { y[blockIdx.x * OFFSET + OTHER] = n; }\n";
    const Drafted result =
        drafted(source, {{"h.h", "#define OFFSET 8\n#ifndef OTHER\n#define OTHER 4\n#endif\n"}});
    CHECK(values_of(result, "OFFSET").empty());
    CHECK(values_of(result, "OTHER").size() > 1);
  }

  TEST_CASE("types that a local header names are those that they stand for") {
    const Drafted result =
        drafted(program_of("#include \"real.h\"\n__global__ void k(real* d, const real* e, int n) "
                           "{ d[threadIdx.x] = e[n]; }\n",
                           "k<<<1, 32>>>(d, e, n);"),
                {{"real.h", "typedef float inner;\nusing real = inner;\n"}});
    CHECK(spec_of(result).arguments[0].type == tuner::model::ElementType::float32);
    CHECK_FALSE(result.asks("type"));
  }

  TEST_CASE("constants of the device that the kernel uses become arguments") {
    const Drafted result = drafted(program_of(
        "#define LENGTH 17\n__constant__ float weights[LENGTH];\n__constant__ float unused[3];\n"
        "__global__ void k(float* d, const float* e, int n) { d[threadIdx.x] = weights[n] * e[0]; }\n",
        "k<<<1, 32>>>(d, e, n);"));
    REQUIRE(spec_of(result).arguments.size() == 4);
    CHECK(spec_of(result).arguments[3].symbol == "weights");
    CHECK(spec_of(result).arguments[3].extent.front().text == "17");
  }

  TEST_CASE("a variable of the device may be a struct") {
    const Drafted result = drafted(
        "struct Plan { float step; int n; };\n__constant__ Plan plan;\n"
        "__global__ void k(float* x) { x[threadIdx.x] = plan.step * plan.n; }\n");
    const auto& arguments = result.loaded.kernels.front().arguments;
    const auto plan = std::ranges::find(arguments, "plan", &tuner::model::ArgumentSpec::symbol);
    REQUIRE(plan != arguments.end());
    CHECK(plan->structure);
    CHECK(result.draft.spec.find(
              "[arguments.init]  # ?\nstep = \"uniform(-1, 1)\"\nn = \"integers(0, 100)\"\n") !=
          std::string::npos);
  }

  TEST_CASE("constants of the device are named with their namespaces, and only those that the kernel means") {
    const auto arguments = [](const std::string& body) {
      const Drafted result = drafted(
          "__constant__ float taps[2];\nnamespace other { __constant__ float taps[3]; }\n"
          "namespace filter { __constant__ float taps[9], scale[1];\n"
          "__global__ void k(float* d, int n) { d[n] = " +
          body + "; } }\n");
      std::string text;
      for (const auto& one : spec_of(result).arguments)
        if (!one.symbol.empty()) text += one.name + "=" + one.symbol + " ";
      return text;
    };
    CHECK(arguments("scale[0]") == "scale=filter::scale ");
    CHECK(arguments("taps[0]") == "taps=filter::taps ");
    CHECK(arguments("::taps[0]") == "taps=taps ");
    CHECK(arguments("other::taps[0]") == "taps=other::taps ");
    CHECK(arguments("taps[0] + other::taps[0]") == "taps=other::taps filter_taps=filter::taps ");
  }

  TEST_CASE("a number of the launch that the kernel has too stays what it is") {
    const auto parameters = [](const std::string& body) {
      return spec_of(
                 drafted(program_of("__global__ void k(float* d, const float* e, int n) { " + body + " }\n",
                                    "k<<<n / 128, 128>>>(d, e, n);")))
          .parameters.size();
    };
    CHECK(parameters("d[blockIdx.x * blockDim.x + threadIdx.x] = e[0];") == 1);
    CHECK(parameters("__shared__ float s[128]; s[threadIdx.x] = blockDim.x; d[0] = s[0];") == 0);
    CHECK(parameters("d[blockIdx.x * 128 + threadIdx.x] = e[0];") == 0);
  }

  TEST_CASE("a macro that the build may give is a parameter, another is told how it could be one") {
    const std::string kernel =
        "__global__ void k(float* d, const float* e, int n) { d[blockIdx.x * TILE + threadIdx.x] = e[0]; }\n";
    const std::string launch = "k<<<n / TILE, TILE>>>(d, e, n);";
    const Drafted open = drafted(program_of(kernel, launch, "#ifndef TILE\n#define TILE 64\n#endif\n"));
    CHECK(values_of(open, "TILE") == std::vector<std::int64_t>{16, 32, 64, 128, 256});
    CHECK(spec_of(open).steps.front().block.front().text == "TILE");
    const Drafted closed = drafted(program_of(kernel, launch, "#define TILE 64\n"));
    CHECK(spec_of(closed).parameters.empty());
    CHECK(closed.draft.spec.find("# TILE is 64 in the source; with `#ifndef TILE`") != std::string::npos);
  }

  TEST_CASE("a count of 1 is never 0, and what conditions ask for is no count") {
    using Values = std::vector<std::int64_t>;
    const Drafted result = drafted(program_of(
        "template <int ITEMS, int ROWS, int MODE, int CHECK> __global__ void k(float* d, const float* e, int "
        "n) {\n  float s[ROWS]; s[0] = MODE == 1 ? 2 : 3;\n"
        "  int i = blockIdx.x * BLOCK * LANES + threadIdx.x;\n  if constexpr (ITEMS == 1) n += 1;\n"
        "  for (int j = 0; j < ITEMS; ++j) if (CHECK && i + j * BLOCK < n) d[i + j] = e[i] * s[0]; }\n",
        "k<1, 1, 1, 1><<<(n + 255) / 256, 256>>>(d, e, n);",
        "#define BLOCK 256\n#ifndef LANES\n#define LANES 1\n#endif\n"));
    CHECK(values_of(result, "TUNED_ITEMS") == Values{1, 2, 4, 8});
    CHECK(values_of(result, "TUNED_ROWS") == Values{1, 2, 4, 8});
    CHECK(values_of(result, "LANES") == Values{1, 2, 4, 8});
    CHECK(values_of(result, "TUNED_MODE") == Values{0, 1});
    CHECK(values_of(result, "TUNED_CHECK") == Values{0, 1});
  }

  TEST_CASE("a size with a parameter's letters in its name is none") {
    const Drafted result = drafted(
        "#ifndef T\n#define T 128\n#endif\n"
        "__global__ void k(float* d, const float* e, const int* at, int total, int n) {\n"
        "  int i = blockIdx.x * T + threadIdx.x; if (i < n) d[i] = e[at[i]]; }\n"
        "void go(float* d, int* at, int total, int n) {\n  float* e; cudaMalloc(&e, total * sizeof(float));\n"
        "  cudaMalloc(&d, n * sizeof(float)); cudaMalloc(&at, n * sizeof(int));\n"
        "  k<<<(n + T - 1) / T, T>>>(d, e, at, total, n); }\n");
    REQUIRE(spec_of(result).workload.bytes.has_value());
    CHECK(spec_of(result).workload.bytes->text == "4.0 * N + 4.0 * TOTAL + 4.0 * N");
    CHECK(result.draft.spec.find("init = \"integers(0, TOTAL - 1)\"") != std::string::npos);
  }

  TEST_CASE("a template argument that is a dimension of a buffer stays as it is") {
    const std::string kernel =
        "template <int N, int BLOCK> __global__ void k(float* d, const float* e, int rows) {\n"
        "  for (int c = threadIdx.x; c < N; c += BLOCK) d[blockIdx.x * N + c] = e[blockIdx.x * N + c]; }\n";
    for (const std::string launch :
         {"int rows = 50; cudaMalloc(&d, rows * 768 * 4); cudaMalloc(&e, rows * 768 * 4); k<768, 256>",
          "const int dim = 768; int rows = 50; cudaMalloc(&d, rows * dim * 4); cudaMalloc(&e, rows * dim * "
          "4); "
          "k<dim, 256>"}) {
      const Drafted result =
          drafted(kernel + "int main() { float *d, *e; " + launch + "<<<rows, 256>>>(d, e, rows); }\n");
      CHECK(spec_of(result).steps.front().entry == "k<768, TUNED_BLOCK>");
      CHECK(values_of(result, "TUNED_BLOCK").size() > 1);
      CHECK(result.draft.spec.find("# N is 768: a dimension of the problem") != std::string::npos);
      CHECK(result.draft.spec.find("extent = [\"768\", \"ROWS\"]") != std::string::npos);
    }
  }

  TEST_CASE("a grid that a condition makes smaller is no size") {
    const auto grid = [](const std::string& condition, const std::string& question) {
      const Drafted result = drafted(program_of(
          "__global__ void k(float* d, const float* e, int n) {\n"
          "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) d[i] = "
          "e[i]; }\n",
          "int threads = 256; int blocks = (n + threads - 1) / threads; " + condition +
              " k<<<blocks, threads>>>(d, e, n);"));
      CHECK(spec_of(result).sizes == std::vector<std::string>{"N"});
      CHECK(result.asks("grid") == !question.empty());
      CHECK(result.draft.spec.find(question) != std::string::npos);
      return spec_of(result).steps.front().grid.front().text;
    };
    CHECK(grid("if (blocks > 1024) blocks = 1024;", "") == "min(ceil_div(N, THREADS), 1024)");
    CHECK(grid("if (argc > 1) blocks = 1024;", "# ? the launch does not say it in a way that can be read") ==
          "ceil_div(N, THREADS)");
  }

  TEST_CASE("a leading dimension is no smaller than what its rows end at") {
    const Drafted result = drafted(
        "__global__ void k(const float* A, float* B, int m, int n, int lda, int ldb) {\n"
        "  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  int to = r * ldb + c; if (r < m && c < n) B[to] = A[(c) + r * lda]; }\n"
        "int main() { int m = 100, n = 200, lda = 256, ldb = 224; float *A, *B;\n"
        "  cudaMalloc(&A, m * lda * sizeof(float)); cudaMalloc(&B, m * ldb * sizeof(float));\n"
        "  dim3 b(32, 8); k<<<dim3((n + 31) / 32, (m + 7) / 8), b>>>(A, B, m, n, lda, ldb); }\n");
    CHECK(result.draft.spec.find("constraints = [\"LDA >= N\", \"LDB >= N\"]\n") != std::string::npos);
    CHECK(result.draft.spec.find("# ? LDA >= N: rows lie LDA apart\n") != std::string::npos);
  }

  TEST_CASE("template arguments become parameters, and stand for the block where the launch says so") {
    const Drafted result = drafted(program_of(
        "template <int B> __global__ void k(float* d, const float* e, int n) {\n"
        "  __shared__ float s[B]; s[threadIdx.x] = e[n - 1]; d[blockIdx.x * B + threadIdx.x] = s[0]; }\n",
        "const int b = 64; k<b><<<n / b, b>>>(d, e, n);"));
    const auto& spec = spec_of(result);
    CHECK(spec.steps.front().entry == "k<TUNED_B>");
    CHECK(spec.steps.front().block.front().text == "TUNED_B");
    CHECK(spec.steps.front().grid.front().text == "N / TUNED_B");
    CHECK_FALSE(spec.parameters.front().runtime);
  }

  TEST_CASE("a template argument is a factor of the launch that has its number") {
    const std::string clamp =
        "template <typename T, int VEC> __global__ void clamp_kernel(T* d, const T* e, int n) {\n"
        "  int i = (blockIdx.x * blockDim.x + threadIdx.x) * VEC;\n"
        "  for (int j = 0; j < VEC; ++j) if (i + j < n) d[i + j] = e[i + j]; }\n";
    const Drafted vectors = drafted(program_of(
        clamp,
        "int block = 256; clamp_kernel<float, 2><<<(n + block*2 - 1) / (block*2), block>>>(d, e, n);"));
    CHECK(spec_of(vectors).steps.front().grid.front().text == "ceil_div(N, TUNED_VEC * BLOCK)");
    CHECK(values_of(vectors, "TUNED_VEC") == std::vector<std::int64_t>{1, 2, 4, 8});
    CHECK(vectors.draft.spec.find("default = { TUNED_VEC = 2, BLOCK = 256 }") != std::string::npos);
    const Drafted lanes = drafted(program_of(
        "template <int LANES> __global__ void spmv_csr(float* d, const float* e, int rows) {\n"
        "  int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; if (r < rows) d[r] = e[r]; }\n",
        "int rows = n, threads = 128; spmv_csr<8><<<(rows*8 + threads - 1)/threads, threads>>>(d, e, "
        "rows);"));
    CHECK(spec_of(lanes).steps.front().grid.front().text == "ceil_div(TUNED_LANES * ROWS, THREADS)");
    CHECK(values_of(lanes, "TUNED_LANES").size() > 1);
    const std::string blur =
        "template <int TILE> __global__ void blur(float* d, const float* e, int n) {\n"
        "  extern __shared__ float both[]; int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  both[i % (2 * TILE)] = e[i]; if (i < n) d[i] = both[0]; }\n";
    const auto shared_bytes = [&](const std::string& launch) {
      return spec_of(drafted(program_of(blur, launch))).steps.front().dynamic_shared_bytes->text;
    };
    CHECK(shared_bytes("blur<512><<<(n + 255) / 256, 256, 2 * 512 * sizeof(float)>>>(d, e, n);") ==
          "8 * TUNED_TILE");
    CHECK(shared_bytes("blur<512><<<(n + 255) / 256, 256, 256 * sizeof(float)>>>(d, e, n);") ==
          "4 * BLOCK_SIZE");
  }

  TEST_CASE("a number of the launch that may be a template argument leaves it its value, or is asked about") {
    const std::string kernel =
        "template <int A, int B> __global__ void k(float* d, const float* e, int n) {\n"
        "  d[blockIdx.x * A + threadIdx.x * B] = e[blockDim.x + n]; }\n";
    const auto launched = [&](const std::string& launch) {
      return drafted(program_of(kernel, "int block = 64; " + launch + "(d, e, n);"));
    };
    // Either may be the 2.
    const Drafted two = launched("k<2, 2><<<(n + block*2 - 1) / (block*2), block>>>");
    CHECK(spec_of(two).steps.front().grid.front().text == "ceil_div(N, 2 * BLOCK)");
    CHECK(values_of(two, "TUNED_A") == std::vector<std::int64_t>{2});
    CHECK(values_of(two, "TUNED_B") == std::vector<std::int64_t>{2});
    CHECK(two.asks("TUNED_A: does it have to do with the 2 of the launch"));
    CHECK(two.draft.spec.find("\n# ? does it have to do with the 2 of the launch?\nTUNED_A = [2]\n") !=
          std::string::npos);
    const Drafted block = launched("k<16, 16><<<n / 16, dim3(16, 16)>>>");
    CHECK(spec_of(block).steps.front().block.front().text == "16");
    CHECK(values_of(block, "TUNED_A") == std::vector<std::int64_t>{16});
    // It is no factor, or a constant of another name has it.
    CHECK(values_of(launched("k<4, 1><<<n / block + 4, block>>>"), "TUNED_A").size() == 1);
    CHECK(values_of(launched("k<4, 1><<<dim3(n / block, 4), block>>>"), "TUNED_A").size() == 1);
    const Drafted named = launched("const int each = 4; k<4, 1><<<n / (block * each), block>>>");
    CHECK(values_of(named, "TUNED_A").size() == 1);
    CHECK(values_of(named, "TUNED_B").size() > 1);
    const Drafted lone = launched("k<32, 1><<<32, 32>>>");
    CHECK(values_of(lone, "TUNED_A").size() > 1);
    CHECK(lone.draft.spec.find("grid = [\"32\"]  # ? is the 32 TUNED_A too?") != std::string::npos);
    CHECK(launched("k<2, 1><<<(n + 511) / 512, 256>>>")
              .asks("grid: is the 512 TUNED_A times the block's 256?"));
    CHECK(launched("k<8, 1><<<n / block, block, 8 * 128 * sizeof(float)>>>")
              .asks("dynamic_shared_bytes: do the 4096 follow TUNED_A?"));
  }

  TEST_CASE("a product that the kernel takes is one size") {
    const Drafted result = drafted(
        "__global__ void k(float* d, int rows, int c) { d[blockIdx.x * c + threadIdx.x] = rows * blockDim.x; "
        "}\n"
        "int main() { int b = 4, t = 8, c = 16; float* d; cudaMalloc(&d, b * t * c * sizeof(float));\n"
        "  k<<<b * t, 32>>>(d, b * t, c); }\n");
    CHECK(spec_of(result).sizes == std::vector<std::string>{"ROWS", "C"});
    CHECK(result.draft.sizes == "32x16");
    CHECK(spec_of(result).steps.front().grid.front().text == "ROWS");
  }

  TEST_CASE("what a launcher asserts is a constraint, and null pointers have no buffers") {
    const Drafted result = drafted(
        "__global__ void k(float* d, float* maybe, int n) { if (maybe) maybe[0] = 1; d[threadIdx.x] = "
        "blockDim.x; }\n"
        "void go(float* d, int n, int block) { assert(block % 32 == 0); k<<<n, block>>>(d, NULL, n); }\n"
        "int main() { int n = 8; float* d; cudaMalloc(&d, n * 4); int blocks[] = {32, 64, 96};\n"
        "  for (int i = 0; i < 3; ++i) { int block = blocks[i]; go(d, n, block); } }\n");
    REQUIRE(spec_of(result).constraints.size() == 1);
    CHECK(spec_of(result).constraints.front().text == "BLOCK % 32 == 0");
    CHECK(values_of(result, "BLOCK") == std::vector<std::int64_t>{32, 64, 96});
    CHECK(result.draft.spec.find("name = \"maybe\"\ntype = \"float*\"\nvalue = \"NULL\"") !=
          std::string::npos);
  }

  TEST_CASE(
      "a grid that is written with the block's number follows the block, and a block that it cannot follow "
      "stays") {
    const auto grid_of = [](const Drafted& result) {
      return spec_of(result).steps.front().grid.front().text;
    };
    const Drafted follows = drafted(program_of(copy_kernel,
                                               "int threads = 256, blocks = (n / 4 + 255) / 256; "
                                               "k<<<blocks, threads>>>(d, e, n);"));
    CHECK(grid_of(follows) == "ceil_div(N / 4, THREADS)");
    CHECK(values_of(follows, "THREADS").size() == 5);
    const auto grid_with = [&](const std::string& blocks) {
      return grid_of(drafted(program_of(
          copy_kernel, "int threads = 256, blocks = " + blocks + "; k<<<blocks, threads>>>(d, e, n);")));
    };
    CHECK(grid_with("n / 1024") == "N / (4 * THREADS)");
    CHECK(grid_with("n % 256 == 0 ? n / 256 : n / 256 + 1") ==
          "N % THREADS == 0 ? N / THREADS : N / THREADS + 1");
    const Drafted stays = drafted(program_of(copy_kernel, "int threads = 256; k<<<8, threads>>>(d, e, n);"));
    CHECK(values_of(stays, "THREADS") == std::vector<std::int64_t>{256});
    CHECK(stays.asks("does not follow it, and with other values elements would be left out"));
    const auto varies = [](const std::string& body) {
      return values_of(
                 drafted(program_of("__global__ void k(float* d, const float* e, int n) { " + body + " }",
                                    "int threads = 256; k<<<8, threads>>>(d, e, n);")),
                 "THREADS")
                 .size() > 1;
    };
    CHECK_FALSE(varies("int i = threadIdx.x + (size_t)blockDim.x * blockIdx.x; d[i] = e[i];"));
    CHECK(varies(
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) d[i] = "
        "e[i];"));
    CHECK(varies("for (int i = threadIdx.x; i < n; i += blockDim.x) d[blockIdx.x * n + i] = e[i];"));
    CHECK(varies(
        "int first = blockIdx.x * warpSize; int step = blockDim.x / warpSize; d[first + step] = e[0];"));
  }

  TEST_CASE(
      "shared memory follows a block of numbers where it is so many bytes a thread, else blocks stay as "
      "small") {
    const std::string kernel =
        "__global__ void k(float* d, const float* e, int n) {\n"
        "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; d[x + "
        "y] = 1; }";
    const auto launched = [&](const std::string& bytes) {
      return drafted(
          program_of(kernel, "dim3 b(16, 16), g(n / 16, n / 16); k<<<g, b, " + bytes + ">>>(d, e, n);"));
    };
    const Drafted each = launched("b.x * b.y * 4");
    CHECK(spec_of(each).steps.front().dynamic_shared_bytes->text == "4 * BLOCK_X * BLOCK_Y");
    CHECK(values_of(each, "BLOCK_X") == std::vector<std::int64_t>{4, 8, 16, 32, 64});
    const Drafted halo = launched("(b.x + 4) * (b.y + 4)");
    CHECK(spec_of(halo).steps.front().dynamic_shared_bytes->text == "400");
    CHECK(values_of(halo, "BLOCK_X") == std::vector<std::int64_t>{4, 8, 16});
    CHECK(values_of(halo, "BLOCK_Y") == std::vector<std::int64_t>{4, 8, 16});
  }

  TEST_CASE("numbers that a launcher's template is given follow each other") {
    const Drafted result = drafted(
        "template <class T, int BS, int VT> __global__ void k(T* p, int n) {\n"
        "  for (int v = 0; v < VT; ++v) p[(blockIdx.x * VT + v) * BS + threadIdx.x] = n; }\n"
        "template <int BS, int VT, class T> void go(T* p, int n) {\n  constexpr int each = BS * VT;\n"
        "  k<T, BS, VT><<<(n + each - 1) / each, BS>>>(p, n); }\n"
        "int main() { int n = 1000; double* p; cudaMalloc(&p, n * sizeof(*p)); go<256, 4>(p, n); }\n");
    CHECK(spec_of(result).steps.front().entry == "k<double, TUNED_BS, TUNED_VT>");
    CHECK(spec_of(result).steps.front().grid.front().text == "ceil_div(N, TUNED_BS * TUNED_VT)");
    CHECK_FALSE(result.asks("grid"));
  }

  TEST_CASE("rows need no whole vectors where the program's have none") {
    const auto draft = [](const std::string& n) {
      return drafted(
          "__global__ void k(float* x, int n) {\n"
          "  reinterpret_cast<float4*>(x)[blockIdx.x * blockDim.x + threadIdx.x].x = n; }\n"
          "int main() { int n = " +
          n +
          "; float* x; cudaMalloc(&x, n * sizeof(float));\n"
          "  k<<<n / 4 / 64 + 1, 64>>>(x, n); }\n");
    };
    CHECK(spec_of(draft("4096")).constraints.size() == 1);
    CHECK(spec_of(draft("4098")).constraints.empty());
  }

  TEST_CASE("what a call gives later is not what a variable begins with") {
    const Drafted result = drafted(program_of(copy_kernel,
                                              "int blocks = 0, threads = 0; find(&blocks, &threads);\n"
                                              "  k<<<blocks, threads>>>(d, e, n);"));
    CHECK(values_of(result, "THREADS") == std::vector<std::int64_t>{64, 128, 256, 512, 1024});
    const Drafted counted = drafted(
        program_of(copy_kernel, "int blocks = 0; find(&blocks); blocks *= 2; k<<<blocks, 256>>>(d, e, n);"));
    CHECK(spec_of(counted).steps.front().grid.front().text == "ceil_div(N, BLOCK_SIZE)");
    CHECK(counted.asks("does not say it in a way that can be read"));
  }

  TEST_CASE("a size that the kernel is not passed is asked about where its buffers have it") {
    const std::string launch =
        "int all = count(n); float* f; cudaMalloc(&f, all * 4);\n"
        "  k<<<n / 64, 64>>>(d, f, n);";
    const Drafted result = drafted(program_of(copy_kernel, launch));
    CHECK(result.draft.spec.find("\nextent = [\"N\"]  # allocated in line ") != std::string::npos);
    CHECK(result.draft.spec.find("\nextent = [\"ALL\"]  # ? allocated in line ") != std::string::npos);
    CHECK(result.asks("how does ALL, which the kernel is not passed, follow from the others"));
  }

  TEST_CASE("names that C++ keeps for compilers are no parameters, and a default is among the values") {
    const Drafted result = drafted(
        program_of(copy_kernel, "k<<<(n + _BLOCK_SIZE_ - 1) / _BLOCK_SIZE_, _BLOCK_SIZE_>>>(d, e, n);",
                   "#define _BLOCK_SIZE_ 128\n"));
    CHECK(values_of(result, "BLOCK_SIZE_").size() == 5);
    const std::string shared =
        "__global__ void k(float* d, const float* e, int n) { __shared__ float s[256];\n"
        "  s[threadIdx.x] = e[blockIdx.x * blockDim.x + threadIdx.x]; d[blockIdx.x * blockDim.x] = s[0]; }\n";
    const Drafted odd =
        drafted(program_of(shared, "int threads = 250; k<<<n / threads, threads>>>(d, e, n);"));
    CHECK(values_of(odd, "THREADS").back() == 250);
  }

  TEST_CASE("what counts in a loop has its first value, wherever that stands") {
    const Drafted result = drafted(
        program_of("__global__ void k(float* d, const float* e, int n, int t) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n - t) d[i + t] = e[i]; }\n",
                   "int t; for (t = 1; t < n; t++) k<<<n / 64, 64>>>(d, e, n, t);"));
    CHECK(spec_of(result).sizes == std::vector<std::string>{"N"});
    CHECK(result.draft.spec.find("name = \"t\"\ntype = \"int\"\nvalue = \"1\"\n") != std::string::npos);
  }

  TEST_CASE(
      "template arguments that only the function around a launch knows become parameters, or their types") {
    const std::string kernel =
        "template <int X> struct Tile { static constexpr int width = X; };\n"
        "template <class T, int VEC> __global__ void k(float* d, const float* e, int n) {\n"
        "  int i = blockIdx.x * T::width + threadIdx.x * VEC; if (i < n) d[i] = e[i]; }\n";
    const Drafted result = drafted(program_of(
        kernel,
        "using Mine = Tile<64>; auto go = [&](auto vec) { constexpr int V = decltype(vec)::value;\n"
        "  k<Mine, V><<<n / Mine::width, 64>>>(d, e, n); }; go(One());"));
    CHECK(spec_of(result).steps.front().grid.front().text == "N / 64");
    CHECK(spec_of(result).steps.front().entry == "k<Tile<64>, TUNED_VEC>");
    CHECK(values_of(result, "TUNED_VEC").size() > 1);
    CHECK(result.asks("TUNED_VEC: which values make sense? Line "));
  }

  TEST_CASE("names that CUDA 13 lacks are those that it has") {
    const Drafted result =
        drafted(program_of(copy_kernel, "k<<<n / 64, 64>>>(d, e, n); cudaThreadSynchronize();"));
    CHECK(result.draft.spec.find("options = [\"-DcudaThreadSynchronize=cudaDeviceSynchronize\"]\n") !=
          std::string::npos);
  }

  TEST_CASE("an object that is made for the launch says the type of a template") {
    const Drafted result = drafted(
        "struct Scale { float by; };\n"
        "template <class F> __global__ void k(float* x, int n, F f) { x[blockDim.x + n] *= f.by; }\n"
        "void go(float* x, int n) { k<<<n, 64>>>(x, n, Scale{2}); }\n");
    CHECK(spec_of(result).steps.front().entry == "k<Scale>");
    CHECK(result.draft.spec.find("[structs.Scale]") != std::string::npos);
  }

  TEST_CASE(
      "an integer that the kernel is passed and the source does not know is a size, though it sets the "
      "block") {
    const Drafted result = drafted(program_of(
        copy_kernel, "int width = read(); int threads = min(width, 1024); k<<<n, threads>>>(d, e, width);"));
    CHECK(spec_of(result).parameters.empty());
    CHECK(spec_of(result).steps.front().block.front().text == "min(N, 1024)");
  }
}
