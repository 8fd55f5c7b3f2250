#include "config/spec_draft.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/config/drafted.hpp"

using namespace config;
using config_test::draft_of;
using config_test::Drafted;
using config_test::drafted;

namespace {

std::vector<std::int64_t> values_of(const Drafted& result, const std::string& name) {
  std::vector<std::int64_t> values;
  for (const auto& parameter : result.loaded.kernels.front().parameters)
    if (parameter.name == name)
      for (const auto& value : parameter.values) values.push_back(value.code());
  return values;
}

}  // namespace

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
                                   "#if FAST\n#endif\n"
                                   "  int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; if (i < n) y[i] = "
                                   "SWIZZLE + SKIP + ROWS + COLUMNS; }");
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

  TEST_CASE("a kernel that says nothing of itself gets a draft that says so") {
    const Drafted result = drafted("__global__ void mystery(float* out) { out[threadIdx.x] = 1; }");
    CHECK(result.asks("how large is the problem?"));
    // Block sizes that no macro names share one binary.
    CHECK(result.loaded.kernels.front().parameters.front().runtime);
  }

  TEST_CASE("its reference does not pass for one before it is written") {
    const Drafted result = drafted("__global__ void k(float* out, int n) { out[n] = 1; }");
    CHECK(result.draft.reference.find("#error") != std::string::npos);
    CHECK(result.asks("k_reference.cu"));
  }
}

namespace {

/// A program that launches `k` over n floats; `launch` stands in main behind the allocation of `d` and `e`.
std::string program_of(const std::string& kernel, const std::string& launch, const std::string& before = "") {
  return before + kernel + "\nint main(int argc, char** argv) {\n  int n = 4096; float *d, *e;\n" +
         "  cudaMalloc(&d, n * sizeof(float)); cudaMalloc(&e, 2 * n * sizeof(float));\n  " + launch + "\n}\n";
}

const std::string copy_kernel =
    "__global__ void k(float* d, const float* e, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i] = e[i]; }\n";

const tuner::model::KernelSpec& spec_of(const Drafted& result) {
  return result.loaded.kernels.front();
}

}  // namespace

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

  TEST_CASE(
      "an integer that the kernel is passed and the source does not know is a size, though it sets the "
      "block") {
    const Drafted result = drafted(program_of(
        copy_kernel, "int width = read(); int threads = min(width, 1024); k<<<n, threads>>>(d, e, width);"));
    CHECK(spec_of(result).parameters.empty());
    CHECK(spec_of(result).steps.front().block.front().text == "min(N, 1024)");
  }

  TEST_CASE("fields of a struct have what the program gives them, and are sizes") {
    const std::string kernel =
        "typedef unsigned char u8;\ntypedef struct { float step; int n; u8 flag; } Plan;\n"
        "__global__ void k(float* d, const float* e, Plan plan) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < plan.n) d[i] = e[i] * plan.step; }\n";
    const std::string launch = "k<<<(p.n + 127) / 128, 128>>>(d, e, p);";
    for (const std::string given :
         {"Plan p{0.5f, 1000, 3}; ", "Plan p = {.step = 0.5f, .n = 1000, .flag = 3}; ",
          "Plan p; p.n = 1000; p.step = 0.5f; p.flag = 3; "}) {
      const Drafted result = drafted(program_of(kernel, given + launch));
      INFO(result.draft.spec);
      CHECK(spec_of(result).sizes.front() == "P_N");
      CHECK(spec_of(result).steps.front().grid.front().text == "ceil_div(P_N, BLOCK_SIZE)");
      CHECK(result.draft.spec.find("\nstep = \"0.5\"\nn = \"P_N\"\nflag = \"3\"\n") != std::string::npos);
      CHECK_FALSE(result.asks("plan:"));
    }
    const Drafted open =
        drafted(program_of(kernel, "Plan p; p.n = n; k<<<(n + 127) / 128, 128>>>(d, e, p);"));
    CHECK(open.draft.spec.find("\nstep = \"1\"  # ?\nn = \"N\"\n") != std::string::npos);
    CHECK(open.asks("plan: which value has its step, flag?"));
  }

  TEST_CASE("members of a class and names of enumerations and namespaces have their values") {
    const SpecDraft draft = draft_of(
        "enum class Way { in, out };\nnamespace sizes { constexpr int threads = 64; }\n"
        "struct Solver { void step(); int rows_; static constexpr int width = 32; float *d_, *e_; };\n"
        "__global__ void k(float* d, const float* e, int n, Way way) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i] = e[i]; }\n"
        "void Solver::step() { dim3 g((rows_ + sizes::threads - 1) / sizes::threads, this->width);\n"
        "  k<<<g, sizes::threads>>>(d_, e_, rows_, Way::out); }\n");
    INFO(draft.spec);
    const auto has = [&](const std::string& part) { return draft.spec.find(part) != std::string::npos; };
    CHECK(has("sizes = [\"N\"]\n"));
    CHECK(has("grid = [\"ceil_div(N, THREADS)\", \"32\"]\n"));
    CHECK(has("name = \"way\"\ntype = \"int\"\nvalue = \"1\"\n"));
  }

  TEST_CASE("a buffer that nothing allocates has what a memset or a copy says") {
    const Drafted result = drafted(
        "__global__ void k(unsigned* bins, const float* e, int n) { atomicAdd(&bins[threadIdx.x], n); e[0]; "
        "}\n"
        "void count(unsigned* bins, const float* e, float* host, int n) {\n"
        "  cudaMemset(bins, 0, 256 * sizeof(unsigned)); k<<<n / 64, 64>>>(bins, e, n);\n"
        "  cudaMemcpy(host, e, 2 * n * sizeof(float), cudaMemcpyDeviceToHost); }\n");
    CHECK(spec_of(result).arguments[0].extent.front().text == "256");
    CHECK(result.draft.spec.find("extent = [\"256\"]  # ? line 3 fills so many\n") != std::string::npos);
    CHECK(result.asks("bins: how many elements has it? line 3 fills so many"));
    CHECK(spec_of(result).arguments[1].extent.size() == 2);
  }

  TEST_CASE("functions that call each other twice, and brackets of any depth, take no time") {
    std::string functions = "int g0(int n) { return n; }\n";
    for (int i = 1; i < 48; ++i)
      functions += "int g" + std::to_string(i) + "(int n) { return g" + std::to_string(i - 1) + "(n) + g" +
                   std::to_string(i - 1) + "(n + 1); }\n";
    const std::string deep = std::string(20000, '(') + "n" + std::string(20000, ')');
    const auto draft = draft_of(program_of(copy_kernel, "k<<<" + deep + ", g47(n)>>>(d, e, n);", functions));
    CHECK_MESSAGE(draft.spec.find("\ngrid = [\"ceil_div(N, 256)\"]  # ? the launch does not say it") !=
                      std::string::npos,
                  draft.spec);
  }

  TEST_CASE("a function that the program calls for the same result is the reference") {
    const std::string before =
        "#define HALF 0.5f\nfloat half_of(float x) { return HALF * x; }\n"
        "void k_cpu(float* out, const float* in, int n) {\n"
        "  for (int i = 0; i < n; ++i) { const float* at = in + i; out[i] = half_of(sqrtf(at[0])); } }\n";
    const std::string launch =
        "float *h_d = (float*)malloc(n * 4), *h_e = (float*)malloc(n * 4);\n  k_cpu(h_d, h_e, n);\n"
        "  k<<<n / 64, 64>>>(d, e, n);";
    const Drafted result = drafted(program_of(copy_kernel, launch, before));
    const std::string& reference = result.draft.reference;
    CAPTURE(reference);
    CHECK(reference.find("static __device__ void k_cpu(double* out, const float* in, int n)") !=
          std::string::npos);
    CHECK(reference.find("auto at = in + i;") != std::string::npos);
    CHECK(reference.find("half_of(sqrt(at[0]))") != std::string::npos);
    CHECK(reference.find("static __device__ double half_of(double x)") != std::string::npos);
    CHECK(reference.find("k_cpu(d_expected, e, N);") != std::string::npos);
    CHECK(spec_of(result).verify->steps.front().arguments ==
          std::vector<std::string>{"d.expected", "e", "N"});
    SUBCASE("one that does more than compute is none") {
      const std::string prints =
          "void k_cpu(float* out, const float* in, int n) { out[0] = in[0]; printf(\"%d\", n); }\n";
      CHECK(draft_of(program_of(copy_kernel, launch, prints)).reference.empty());
    }
    SUBCASE("one that leaves out a result is none") {
      const std::string reads =
          "void k_cpu(const float* out, const float* in, int n) { n = out[0] + in[0]; }\n";
      const SpecDraft draft = draft_of(program_of(copy_kernel, launch, reads));
      CHECK(draft.reference.empty());
      CHECK(draft.spec.find("verify = \"none\"") != std::string::npos);
    }
  }

  TEST_CASE("a kernel that moves vectors has sizes of whole ones") {
    const Drafted result = drafted(
        program_of("__global__ void k(float* d, const float* e, int n) {\n"
                   "  reinterpret_cast<float4*>(d)[threadIdx.x] = reinterpret_cast<const float4*>(e)[0]; }\n",
                   "k<<<1, 32>>>(d, e, n);"));
    REQUIRE(spec_of(result).constraints.size() == 1);
    CHECK(spec_of(result).constraints.front().text == "N % 4 == 0");
  }

  TEST_CASE("a tensor map or a texture is over a buffer that the draft asks for") {
    const SpecDraft draft = draft_of(
        "__global__ void k(const __grid_constant__ CUtensorMap map, cudaTextureObject_t image, "
        "cudaSurfaceObject_t result, float* y, int n) {\n"
        "  y[n] = 0; }");
    CHECK(draft.spec.find("name = \"map\"\ntype = \"CUtensorMap\"\ntensor = \"?\"\nshape = [\"N\"]  # ?\n"
                          "box = [\"N\"]  # ?\n") != std::string::npos);
    CHECK(draft.spec.find("type = \"cudaTextureObject_t\"\ntexture = \"?\"\nshape = [\"N\"]  # ?\n\n") !=
          std::string::npos);
    CHECK(draft.spec.find("type = \"cudaSurfaceObject_t\"\nsurface = \"?\"\nshape = [\"N\"]  # ?\n\n") !=
          std::string::npos);
    CHECK(std::count_if(draft.questions.begin(), draft.questions.end(), [](const std::string& question) {
            return question.find("over which buffer?") != std::string::npos;
          }) == 3);
  }
}
