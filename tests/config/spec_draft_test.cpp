#include "config/spec_draft.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/config/drafted.hpp"

using namespace config;
using config_test::draft_of;
using config_test::Drafted;
using config_test::drafted;
using config_test::spec_of;
using config_test::values_of;

TEST_SUITE("config::draft_spec") {
  TEST_CASE("a plain kernel: sizes, access, defaults and tunables come from its source") {
    const Drafted result = drafted(
        "#ifndef BLOCK_SIZE\n#define BLOCK_SIZE 256\n#endif\n"
        "extern \"C\" __global__ void saxpy(int n, float a, const float* x, float* y) {\n"
        "  int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }");
    const auto& spec = result.loaded.kernels.front();
    CHECK(spec.name == "saxpy");
    CHECK(spec.sizes == std::vector<std::string>{"N"});
    REQUIRE(spec.arguments.size() == 4);
    CHECK(spec.arguments[2].access == tuner::model::Access::in);
    CHECK(spec.arguments[3].access == tuner::model::Access::inout);
    CHECK(values_of(result, "BLOCK_SIZE") == std::vector<std::int64_t>{64, 128, 256, 512, 1024});
    REQUIRE(spec.defaults.size() == 1);
    CHECK(spec.defaults.front().value.code() == 256);
    CHECK(result.asks("a: which value?"));
    CHECK(result.asks("y is read and written"));
  }

  TEST_CASE("values are guessed by what a macro is where nobody says, and by its name") {
    const auto defaults = [](const std::string& name, const std::string& usual) {
      return "#ifndef " + name + "\n#define " + name + " " + usual + "\n#endif\n";
    };
    using Values = std::vector<std::int64_t>;
    const Drafted result = drafted(defaults("SWIZZLE", "1") + defaults("SKIP", "0") + defaults("ROWS", "4") +
                                   defaults("BLOCK_SIZE", "512") + defaults("COLUMNS", "1024") +
                                   "extern \"C\" __global__ void fill(int n, float* y) {\n"
                                   "#if FAST\n#endif\n  if (SWIZZLE) n += 1;\n"
                                   "  int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; if (i < n) y[i] = "
                                   "SKIP + ROWS + COLUMNS; }");
    CHECK(values_of(result, "SWIZZLE") == Values{0, 1});
    CHECK(values_of(result, "SKIP") == Values{0, 1});
    CHECK(values_of(result, "ROWS") == Values{1, 2, 4, 8, 16});
    CHECK(values_of(result, "BLOCK_SIZE") == Values{128, 256, 512, 1024});
    CHECK(values_of(result, "COLUMNS") == Values{256, 512, 1024, 2048, 4096});
    CHECK(values_of(result, "FAST") == Values{0, 1});
  }

  TEST_CASE("a source with code for the host asks for nvcc, another does not") {
    const std::string kernel =
        "__global__ void fill(float* x, int n) { if (threadIdx.x << 2 < n) x[0] = 1; }\n";
    CHECK_FALSE(drafted(kernel).loaded.kernels.front().by_nvcc);
    CHECK_FALSE(drafted(kernel + "// int main() { fill<<<1, 1>>>(0, 0); }\n").loaded.kernels.front().by_nvcc);
    CHECK(drafted(kernel + "int main() { return 0; }\n").loaded.kernels.front().by_nvcc);
    CHECK(drafted(kernel + "void go(float* x) { fill<<<1, 32>>>(x, 3); }\n").loaded.kernels.front().by_nvcc);
    CHECK(drafted(kernel + "int rounded(int n) { return n / 4 * 4; }\n").loaded.kernels.front().by_nvcc);
    CHECK_FALSE(drafted(kernel + "constexpr int rounded(int n) { return n / 4 * 4; }\n"
                                 "__device__ int half_of(int n) { return n / 2; }\n")
                    .loaded.kernels.front()
                    .by_nvcc);
  }

  TEST_CASE("a tiled template kernel: its types, template arguments and tiles") {
    const Drafted result = drafted(
        "template <typename T, int UNROLL> __global__ void mm(const T* A, const T* B, T* C, int M, int N, "
        "int K, int lda) {\n"
        "  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;\n"
        "  C[row * N + col] = A[row * lda] * B[col]; }");
    const auto& spec = result.loaded.kernels.front();
    CHECK(spec.steps.front().entry == "mm<ELEMENT_TYPE, TUNED_UNROLL>");
    CHECK(spec.sizes == std::vector<std::string>{"M", "N", "K"});  // lda is none
    CHECK(spec.steps.front().grid.front().text == "ceil_div(N, TILE)");
    CHECK(spec.steps.front().block.size() == 2);
    CHECK(result.asks("which types may T be?"));
    CHECK(result.asks("lda: which value?"));
  }

  TEST_CASE("a plane of pixels: two lengths of a block, and its columns lie along x") {
    const Drafted result = drafted(
        "__global__ void k(float* out, int width, int height) {\n"
        "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  if (x < width && y < height) out[y * width + x] = 1; }");
    const auto& launch = spec_of(result).steps.front();
    CHECK(launch.grid[0].text == "ceil_div(WIDTH, BLOCK_X)");
    CHECK(launch.grid[1].text == "ceil_div(HEIGHT, BLOCK_Y)");
    CHECK(values_of(result, "BLOCK_X").back() * values_of(result, "BLOCK_Y").back() == 1024);
  }

  TEST_CASE("a block that has a row is one of as many") {
    const Drafted result = drafted(
        "__global__ void k(const float* a, float* sums, int rows, int cols) {\n"
        "  const int row = blockIdx.x; float sum = 0;\n"
        "  for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += a[row * cols + c];\n"
        "  sums[row] = sum; }");
    CHECK(spec_of(result).steps.front().grid.front().text == "ROWS");
    CHECK(spec_of(result).arguments[0].extent.size() == 2);
    CHECK(spec_of(result).arguments[1].extent.front().text == "ROWS");
  }

  TEST_CASE("whole numbers are drawn for buffers of integers, and truths for those of bool") {
    const Drafted result = drafted(
        "__global__ void k(const int* a, const unsigned char* b, const bool* c, float* y, int n) {\n"
        "  y[n] = c[n] ? a[n] : b[n]; }");
    CHECK(result.draft.spec.find("init = \"integers(0, 100)\"") != std::string::npos);
    CHECK(result.draft.spec.find("init = \"integers(0, 1)\"") != std::string::npos);
  }

  TEST_CASE("types that have another name in a spec are drafted under it, and nothing is asked") {
    const Drafted result =
        drafted("__global__ void k(float* y, size_t n, unsigned m, uint l) { if (n > m + l) y[n] = 1; }");
    CHECK(result.draft.spec.find("type = \"unsigned long long\"") != std::string::npos);
    CHECK(result.draft.spec.find("type = \"unsigned int\"") != std::string::npos);
    CHECK_FALSE(result.asks("is no type that a spec has"));
  }

  TEST_CASE("pointers that are more than buffers are asked about as they are written") {
    const Drafted rows = drafted("__global__ void rows(float (*a)[16], int n) { a[n][0] = 1; }");
    CHECK(rows.draft.spec.find("name = \"a\"\ntype = \"float*\"  # ? it is a pointer to arrays\n") !=
          std::string::npos);
    CHECK(rows.asks("a: `float(*a)[16]` is a pointer to arrays: extent counts the elements of all of them"));
    const Drafted pointers = drafted("__global__ void k(float** a, int n) { a[n][0] = 1; }");
    CHECK(pointers.draft.spec.find("type = \"float*\"  # ? it is a pointer to pointers\n") !=
          std::string::npos);
    CHECK(pointers.asks("a: `float**a` is a pointer to pointers, which no spec has"));
    const Drafted reference = drafted("__global__ void k(const float (&b)[4], float* y) { y[0] = b[1]; }");
    CHECK(reference.asks("b: `const float(&b)[4]` is a reference to an array, which no spec has"));
  }

  TEST_CASE("a choice of an enumeration is no size, and has its integer type") {
    const std::string kernel =
        "enum class Mode : unsigned char { up, down };\nenum Way { in, out };\n"
        "__global__ void k(float* y, int n, Mode m, Way w) { y[n] = m == Mode::up ? 1 : w; }\n";
    const std::string launch =
        "int main() { int n = 1000; Mode m = read(); Way w = out; float* y; cudaMalloc(&y, n * 4);\n"
        "k<<<n / 256, 256>>>(y, n, m, w); }\n";
    for (const std::string& source : {kernel, kernel + launch}) {
      const Drafted result = drafted(source);
      const auto& spec = result.loaded.kernels.front();
      CHECK(spec.sizes == std::vector<std::string>{"N"});
      CHECK(spec.arguments[2].type == tuner::model::ElementType::uint8);
      CHECK(spec.arguments[3].type == tuner::model::ElementType::int32);
      CHECK(result.asks("m: which value?"));
    }
  }

  TEST_CASE("plain structs of the source are described, their fields filled, expected and given values") {
    const Drafted result = drafted(
        "struct __align__(16) Particle { float3 position, velocity; short charge = 0; float weights[4]; };\n"
        "typedef struct { int n; float step; bool back; } Plan;\n"
        "struct Unused { double x; };\n"
        "__global__ void advance(const struct Particle* from, Particle *to, Plan plan) {\n"
        "  int i = blockIdx.x * 128 + threadIdx.x;\n"
        "  if (i < plan.n) { to[i].position.x = from[i].position.x; to[i].weights[1] += plan.step; } }");
    const auto& spec = result.loaded.kernels.front();
    CHECK(spec.sizes == std::vector<std::string>{"N"});
    CHECK(result.draft.spec.find("Unused") == std::string::npos);
    const auto argument = [&](const std::string& name) {
      const auto found = std::find_if(spec.arguments.begin(), spec.arguments.end(),
                                      [&](const auto& one) { return one.name == name; });
      REQUIRE_MESSAGE(found != spec.arguments.end(), name);
      return *found;
    };
    CHECK(argument("from").structure->bytes == 48);
    CHECK(argument("from").access == tuner::model::Access::in);
    CHECK(argument("to").access == tuner::model::Access::inout);
    CHECK(argument("from.weights").field_length == 4);
    CHECK(argument("plan").structure->bytes == 12);
    CHECK(argument("plan.n").value->text == "N");
    CHECK(argument("plan.step").value->text == "1");
    CHECK(result.asks("plan: which values have its fields?"));
    CHECK(spec.verify->steps.front().arguments ==
          std::vector<std::string>{"from", "to", "to.position.expected", "to.position.magnitude",
                                   "to.velocity.expected", "to.velocity.magnitude", "to.charge.expected",
                                   "to.weights.expected", "to.weights.magnitude", "N"});
    CHECK(result.draft.reference.find("struct alignas(16) Particle {\n  float3 position;\n") !=
          std::string::npos);
    CHECK(result.draft.reference.find("Plan") == std::string::npos);  // it is not passed that
  }

  TEST_CASE("structs with more than plain fields are asked about, with what they have") {
    const auto question = [](const std::string& definition) -> std::string {
      const SpecDraft draft =
          draft_of(definition + "\n__global__ void k(const X* x, float* y, int n) { y[n] = x[n].a; }");
      CHECK(draft.spec.find("[structs") == std::string::npos);
      for (const std::string& one : draft.questions)
        if (const std::size_t end = one.find(", which no [structs] has"); end != std::string::npos) {
          CHECK(draft.spec.find("type = \"X*\"  # ? line ") != std::string::npos);
          return one.substr(0, end);
        }
      return {};
    };
    CHECK(question("struct X { float a; float* p; };") == "x: `X` of line 1 has a pointer");
    CHECK(question("\nstruct X { float a; X() : a(0) {} };") == "x: `X` of line 2 has a function");
    CHECK(question("struct X { float a; private: int b; };").ends_with("a word like `public`"));
    CHECK(question("struct X { int a : 3; };").ends_with("a bit field or a word like `public`"));
    CHECK(question("struct X : Base { float a; };").ends_with("has a base"));
    CHECK(question("struct X { union { float a; int b; }; };").ends_with("has `union` inside"));
    CHECK(question("struct X { float a; Y y; };").ends_with("has a field of type `Y`"));
    CHECK(question("struct X { float a[SIZE]; };").ends_with("has an array whose length is no number"));
    CHECK(question("struct X { float a[2][2]; };").ends_with("has an array whose length is no number"));
    CHECK(question("struct alignas(sizeof(int)) X { int a; };").ends_with("an alignment that is no number"));
    CHECK(question("struct X { float a; } __attribute__((packed));").ends_with("has an attribute"));
    CHECK(
        question("#pragma pack(push, 1)\nstruct X { char b; float a; };").ends_with("`#pragma pack` around"));
    CHECK(question("struct X { };").ends_with("has 0 fields"));
    CHECK(drafted("#pragma once\nstruct X { char b; float a; };\n"
                  "__global__ void k(X x, float* y, int n) { y[n] = x.a; }")
              .draft.spec.find("[structs") != std::string::npos);
    // Known here by name alone.
    CHECK(question("struct X; struct Other { float a; };").empty());
    CHECK(question("template <typename T> struct X { T a; };").empty());
  }

  TEST_CASE("a struct too large to be passed by value is asked about, and no matter in a buffer") {
    const std::string definition = "struct Large { float a[33]; };\n";
    CHECK(drafted(definition + "__global__ void k(const Large* x, float* y, int n) { y[n] = x[n].a[0]; }")
              .loaded.kernels.front()
              .arguments.front()
              .structure->bytes == 132);
    const SpecDraft draft =
        draft_of(definition + "__global__ void k(Large x, float* y, int n) { y[n] = x.a[0]; }");
    CHECK(draft.spec.find("[structs") == std::string::npos);
    CHECK(std::any_of(draft.questions.begin(), draft.questions.end(), [](const std::string& one) {
      return one.starts_with("x: `Large` of line 1 has 132 bytes");
    }));
  }

  TEST_CASE("a kernel with a long name gets a name that a spec can have") {
    const std::string name(70, 'k');
    const Drafted result = drafted("__global__ void " + name + "(float* out, int n) { out[n] = 1; }");
    CHECK(spec_of(result).name == name.substr(0, 64));
    CHECK(spec_of(result).steps.front().entry == name);
  }

  TEST_CASE("a kernel that says nothing of itself gets a draft that says so") {
    const Drafted result = drafted("__global__ void mystery(float* out) { out[threadIdx.x] = 1; }");
    CHECK(result.asks("how large is the problem?"));
    // Block sizes that no macro names share one binary.
    CHECK(result.loaded.kernels.front().parameters.front().runtime);
  }

  TEST_CASE("without a launch, what the kernel does with its index says what blocks and grids are") {
    const auto launch = [](const std::string& parameters, const std::string& body) {
      const Drafted result = drafted("__global__ void k(" + parameters + ") {" + body + "}");
      const std::string& spec = result.draft.spec;
      const std::size_t block = spec.find("\nblock = ");
      return spec.substr(block + 1, spec.find('\n', spec.find("\ngrid = ", block) + 1) - block - 1);
    };
    const std::string buffers = "const float* x, float* y, int rows, int cols";
    CHECK(
        launch(buffers,
               "int c = (blockIdx.x * blockDim.x + threadIdx.x) * 4, r = blockIdx.y; if (c >= cols) return; "
               "y[r * cols + c] = x[r * cols + c];") ==
        "block = [\"BLOCK_SIZE\"]\ngrid = [\"ceil_div(COLS, BLOCK_SIZE * 4)\", \"ROWS\"]");
    CHECK(launch(buffers,
                 "int row = blockIdx.x; for (int i = threadIdx.x; i < cols; i += blockDim.x) "
                 "y[row * cols + i] = x[row * cols + i];") == "block = [\"BLOCK_SIZE\"]\ngrid = [\"ROWS\"]");
    CHECK(launch("float* y, int rows", "int row = blockIdx.x; if (threadIdx.x == 0) f(y, row);") ==
          "block = [\"BLOCK_SIZE\"]\ngrid = [\"ROWS\"]");
    CHECK(launch("float* y, int cols, int rows",
                 "y += blockIdx.x * cols; for (int i = threadIdx.x; i < cols; i += blockDim.x) y[i] = 0;") ==
          "block = [\"BLOCK_SIZE\"]\ngrid = [\"ROWS\"]");
    CHECK(
        launch(
            "float* dp, const float* att, int T, int B",
            "int t3 = blockIdx.x * blockDim.x + threadIdx.x, idx = blockIdx.y * T * T; if (t3 >= T) return; "
            "for (int t = idx / T % T; t < T; t++) { float* d = dp + idx + t * T; d[t3] = att[t3]; }") ==
        "block = [\"BLOCK_SIZE\"]\ngrid = [\"ceil_div(T, BLOCK_SIZE)\", \"B\"]");
    CHECK(launch("float* y, int width, int height",
                 "int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y; "
                 "f(y, i, j);") ==
          "block = [\"BLOCK_X\", \"BLOCK_Y\"]\ngrid = [\"ceil_div(WIDTH, BLOCK_X)\", "
          "\"ceil_div(HEIGHT, BLOCK_Y)\"]");
    CHECK(launch("const float* A, float* C, int M, int N, int K",
                 "int m = (blockIdx.y * 4 + threadIdx.x / 32) * 16, n = blockIdx.x * 8; if (m >= M || n >= "
                 "N) return; "
                 "for (int k = 0; k < K; ++k) C[m * N + n] += A[m * K + k];") ==
          "block = [\"BLOCK_SIZE\"]\ngrid = [\"ceil_div(N, 8)\", \"ceil_div(M, 4 * 16)\"]");
    CHECK(launch("float* y, int n, int batch",
                 "int i = blockIdx.x * 64 + threadIdx.x; if (i < n) y[blockIdx.z * n + i] = 0;") ==
          "block = [\"64\"]\ngrid = [\"ceil_div(N, 64)\", \"1\", \"BATCH\"]");
  }

  TEST_CASE("a buffer that is moved by vectors has all their elements, and the grid follows them") {
    const Drafted result = drafted(
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n / 4) reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[i]; }\n");
    CHECK(spec_of(result).arguments[0].extent.front().text == "N");
    CHECK(spec_of(result).arguments[1].extent.size() == 1);
    CHECK(spec_of(result).steps.front().grid.front().text == "ceil_div(ceil_div(N, 4), BLOCK_SIZE)");
  }

  TEST_CASE("of several sizes that a block may be for, one that a loop ends at is none") {
    const auto grid = [](const std::string& sizes, const std::string& block) {
      return drafted("__global__ void k(const float* x, float* y, " + sizes + ") {\n  int " + block +
                     " = blockIdx.x;\n  float s = 0;\n  for (int i = threadIdx.x; i < depth; i += "
                     "blockDim.x) s += x[i];\n"
                     "  y[" +
                     block + "] = s * depth * out; }\n");
    };
    const Drafted only = grid("int depth, int out", "w");
    CHECK(spec_of(only).steps.front().grid.front().text == "OUT");
    CHECK(only.draft.spec.find("or is it") == std::string::npos);
    const Drafted several = grid("int depth, int batch, int out", "w");
    CHECK(several.draft.spec.find("grid = [\"BATCH\"]  # ? BATCH, or is it OUT?") != std::string::npos);
    const Drafted named = grid("int depth, int batch, int out", "o");
    CHECK(named.draft.spec.find("grid = [\"OUT\"]\n") != std::string::npos);
  }

  TEST_CASE("what moves bytes is drafted without a launch, where indices say how many") {
    const std::string kernel =
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[";
    CHECK(
        draft_of(kernel + "i]; }\n").spec.find("[workload]  # ? the same\nbytes = \"4.0 * N + 4.0 * N\"\n") !=
        std::string::npos);
    CHECK(draft_of(kernel + "y[i]]; }\n").spec.find("[workload]") == std::string::npos);
  }

  TEST_CASE("variables of the device are inputs, and results where the kernel writes them") {
    const Drafted result = drafted(
        "__device__ float table[16];\n__device__ int count;\n__device__ float bins[4];\n"
        "__global__ void k(float* y, int n) { y[threadIdx.x] = table[n]; atomicAdd(&count, 1); bins[n] += 2; "
        "}\n");
    const auto access = [&](const std::string& name) {
      return std::ranges::find(spec_of(result).arguments, name, &tuner::model::ArgumentSpec::symbol)->access;
    };
    CHECK(access("table") == tuner::model::Access::in);
    CHECK(access("count") == tuner::model::Access::inout);
    CHECK(access("bins") == tuner::model::Access::inout);
    CHECK(result.draft.reference.find("const float* table") != std::string::npos);
    CHECK(result.draft.reference.find("double* bins_expected") != std::string::npos);
  }

  TEST_CASE("atomics on a variable of the device leave the order of additions open, as those on buffers do") {
    const auto is_open = [](const std::string& body) {
      return drafted(
                 "__device__ float total;\n__global__ void k(const float* x, int n) {\n"
                 "  __shared__ float part; " +
                 body + " }\n")
                 .draft.spec.find("deterministic = false") != std::string::npos;
    };
    CHECK(is_open("atomicAdd(&total, x[n]);"));
    CHECK_FALSE(is_open("atomicAdd(&part, x[n]); total = 1;"));
  }

  TEST_CASE("a spec has no more sizes than it may, and a size in the reference has its argument's type") {
    std::string all;
    for (char c = 'a'; c <= 'k'; ++c) all += std::string(", int ") + c;
    const std::string kernel =
        "__global__ void k(float* y" + all + ") { y[a + b + c + d + e + f + g + h + i + j + k] = 1; }\n";
    CHECK(spec_of(drafted(kernel)).sizes.size() == 8);
    const std::string launch =
        "void run(float* y" + all + ") { k<<<a, 32>>>(y, a, b, c, d, e, f, g, h, i, j, k); }\n";
    CHECK(spec_of(drafted(kernel + launch)).sizes.size() == 8);
    CHECK(draft_of("__global__ void k(float* y, size_t N) { y[threadIdx.x] = N; }\n")
              .reference.find("unsigned long long N") != std::string::npos);
  }

  TEST_CASE("a block that is compiled for few threads has as many") {
    CHECK(
        values_of(
            drafted("__global__ void __launch_bounds__(32) k(float* y, int n) { y[blockIdx.x * blockDim.x + "
                    "threadIdx.x] = n; }\n"),
            "BLOCK_SIZE") == std::vector<std::int64_t>{32});
  }

  TEST_CASE("an index below a product of sizes has a grid and buffers of as many") {
    const Drafted result = drafted(
        "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
        "  int total = rows * cols, i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < total) y[i] = x[i % cols]; }\n");
    CHECK(spec_of(result).steps.front().grid.front().text == "ceil_div(ROWS * COLS, BLOCK_SIZE)");
    CHECK(spec_of(result).arguments[1].extent.front().text == "ROWS * COLS");
  }

  TEST_CASE("without a launch blocks have the threads that the kernel counts on") {
    const auto step = [](const std::string& before, const std::string& body) {
      return spec_of(drafted(before + "__global__ void k(const float* x, float* y, int rows, int cols) {\n" +
                             body + "\n}\n"))
          .steps.front();
    };
    const auto tiled = step("template <int TILE> ",
                            "__shared__ float s[TILE]; int i = blockIdx.x * TILE + threadIdx.x; if (i < "
                            "cols) y[i] = x[i] + s[0];");
    CHECK(tiled.block.front().text == "TUNED_TILE");
    CHECK(tiled.grid.front().text == "ceil_div(COLS, TUNED_TILE)");
    const auto warps =
        step("",
             "int row = blockIdx.x * blockDim.y + threadIdx.y; if (row >= rows) return;\n"
             "float s = 0; for (int i = threadIdx.x; i < cols; i += 32) s += x[row * cols + i]; y[row] = s;");
    CHECK(warps.block.front().text == "32");
    CHECK(warps.block.back().text == "BLOCK_Y");
    CHECK(warps.grid.front().text == "ceil_div(ROWS, BLOCK_Y)");
    // A row of its block writes 8 results.
    const auto row = step("#define K 8\n",
                          "int row = blockIdx.x; for (int i = threadIdx.x; i < K; i += blockDim.x) y[row * K "
                          "+ i] = x[row * cols + i];");
    CHECK(row.grid.front().text == "ROWS");
    const auto turned = step("",
                             "int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; if "
                             "(x < cols && y < rows) s(x);\n"
                             "x = blockIdx.y * 32 + threadIdx.x; if (x < rows) y[0] = x[0];");
    CHECK(turned.grid.front().text == "ceil_div(COLS, 32)");
    const auto tile = step(
        "#define TILE 64\n",
        "int b = blockIdx.x; int i = (TILE * b) * cols + threadIdx.x; if (i < rows * cols) y[i] = x[i];");
    CHECK(tile.grid.front().text.find(", 64)") != std::string::npos);
    const Drafted rows = drafted(
        "__global__ void k(const float* x, float* y, int n) {\n  __shared__ float s[4096];\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  for (int m = 0; m < 32; m += 4) s[threadIdx.y + m] = x[i];\n  if (i < n) y[i + j] = s[0]; }\n");
    CHECK(values_of(rows, "BLOCK_Y").empty());
    CHECK(spec_of(rows).steps.front().block.back().text == "4");
    const auto stepped = step("",
                              "int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
                              "for (int j = 0; j < 32; j += 8) if (x < rows && y + j < cols) s(x);");
    CHECK(stepped.grid.back().text == "ceil_div(COLS, 32)");
    const auto alone = step("", "int i = threadIdx.x; if (i < cols) y[i] = x[i];");
    CHECK(alone.grid.front().text == "1");
    const auto shared = step(
        "",
        "__shared__ int job; if (threadIdx.x == 0) job = atomicAdd((int*)y, 1); y[job] = x[threadIdx.x];");
    CHECK(shared.grid.front().text != "1");
    const auto serial = step("", "for (int i = 0; i < cols; ++i) y[i] = x[i];");
    CHECK(serial.block.front().text == "1");
    CHECK(serial.grid.front().text == "1");
  }

  TEST_CASE("what ends at a part of a size takes whole parts, and lies so far apart") {
    const Drafted result = drafted(
        "__global__ void k(float* x, const float* angles, int tokens, int dim) {\n"
        "  int t = blockIdx.x; for (int i = threadIdx.x; i < dim / 2; i += blockDim.x)\n"
        "    x[t * dim + 2 * i] += angles[t * (dim / 2) + i]; }\n");
    CHECK(spec_of(result).steps.front().grid.front().text == "TOKENS");
    CHECK(result.draft.spec.find("constraints = [\"DIM % 2 == 0\"]") != std::string::npos);
    CHECK(spec_of(result).arguments[1].extent.back().text == "ceil_div(DIM, 2)");
    CHECK(spec_of(result).arguments[1].extent.size() == 2);
  }

  TEST_CASE("buffers whose numbers are indices of others hold such, and rows begin in ascending order") {
    const std::string text =
        drafted(
            "__global__ void k(int rows, int all, int width, const int* begin, const int* column,\n"
            "                  const float* a, const float* x, const int* kind, const float* table, float* "
            "y) {\n"
            "  int row = blockIdx.x * blockDim.x + threadIdx.x; if (row >= rows) return;\n"
            "  int first = begin[row], last = begin[row + 1]; float sum = 0;\n"
            "  for (int j = first; j < last; ++j) { int c = column[j]; if (c < all) sum += a[j] * x[c]; }\n"
            "  int t = kind[row];\n"
            "  for (int i = 0; i < width; ++i) if (t < all) sum += table[t * width + i];\n"
            "  y[row] = sum; }\n")
            .draft.spec;
    CAPTURE(text);
    const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
    CHECK(has("name = \"begin\"\ntype = \"int*\"\naccess = \"in\"  # const\nextent = [\"ROWS + 1\"]"));
    CHECK(has("extent = [\"ALL\"]  # ? by the kernel's indices\ninit = \"uniform(-1, 1)\""));
    CHECK(has("init = \"integers(0, ALL - 1)\"  # ?\n"));
  }

  TEST_CASE("its reference does not pass for one before it is written") {
    const Drafted result = drafted("__global__ void k(float* out, int n) { out[n] = 1; }");
    CHECK(result.draft.reference.find("#error") != std::string::npos);
    CHECK(result.asks("k_reference.cu"));
  }

  TEST_CASE("its reference knows the types that it is passed") {
    const Drafted result = drafted(
        "#include <cuda_fp16.h>\n#include <cstdint>\n__global__ void k(const half* A, const uint8_t* bytes, "
        "float* out, int n) { int i = threadIdx.x; if (i < n) out[i] = float(A[i]) + bytes[i]; }");
    const std::string& reference = result.draft.reference;
    CHECK(reference.find("#include <cuda_fp16.h>\n") != std::string::npos);
    CHECK(reference.find("const __half* A, const unsigned char* bytes, double* out_expected") !=
          std::string::npos);
  }
}
