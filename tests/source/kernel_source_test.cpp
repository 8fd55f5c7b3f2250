#include "tuner/source/kernel_source.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tuner/source/access.hpp"

using namespace tuner::source;
using Names = std::vector<std::string>;

namespace {

std::string text_of(const SourceParameter& parameter) {
  return (parameter.constant ? "const " : "") + parameter.type + (parameter.pointer ? "* " : " ") +
         parameter.name;
}

std::string parameters_of(const std::string& source) {
  const KernelSource read = read_kernel_source(source);
  REQUIRE(read.kernels.size() == 1);
  std::string text;
  for (const SourceParameter& parameter : read.kernels.front().parameters)
    text += (text.empty() ? "" : ", ") + text_of(parameter);
  return text;
}

std::string macros_of(const std::string& source) {
  std::string text;
  for (const OpenMacro& macro : open_macros(source))
    text += (text.empty() ? "" : " ") + macro.name + (macro.usual.empty() ? "" : "=" + macro.usual);
  return text;
}

}  // namespace

TEST_SUITE("tuner::source::read_kernel_source") {
  TEST_CASE("a kernel's parameters are found behind attributes, templates and comments") {
    CHECK(parameters_of(
              "extern \"C\" __global__ void __launch_bounds__(256, 2)\n"
              "k(const float* __restrict__ x /* in, really */, unsigned int n, float y[], long long)\n"
              "{ y[0] = x[n]; }") == "const float* x, unsigned int n, float* y, long long ");
    CHECK(parameters_of(
              "template <typename T, int N = 4> static __global__ void k(ns::Pair<T, int>* p, T const* q) "
              "{ p[0] = q[1]; }") == "ns::Pair<T,int>* p, const T* q");
    CHECK(parameters_of("template <int N> __global__ std::enable_if_t<(N > 4)> k(float* x) {}") ==
          "float* x");
    CHECK(parameters_of("__global__ void k(void) {}").empty());
    CHECK(parameters_of("__global__ void k(float* const p, const int* const q) { p[0] = q[0]; }") ==
          "float* p, const int* q");
    CHECK(parameters_of("bool f(int i, int n) { return i < n; } __global__ void k(int* p) { p[0] = 1; }") ==
          "int* p");
    const KernelSource read = read_kernel_source("template <class T, int N> __global__ void k(T* x) {}");
    REQUIRE(read.kernels.front().template_parameters.size() == 2);
    CHECK(read.kernels.front().template_parameters[0].type == "typename");
    CHECK(read.kernels.front().template_parameters[1].name == "N");
  }

  TEST_CASE("pointers to arrays and pointers, references to arrays and functions are told apart") {
    CHECK(parameters_of("__global__ void k(float (*a)[16], const float (&b)[4], int (*f)(int, float), "
                        "enum Mode m) {}") == "float* a, const float* b, int(*)(int,float)* f, Mode m");
    const auto kind_of = [](const std::string& parameter) {
      return read_kernel_source("__global__ void k(" + parameter + ") {}")
          .kernels.front()
          .parameters.front()
          .kind;
    };
    for (const char* const plain : {"float* a", "float a[4]", "float a", "Tile<float**> a", "int (*a)"})
      CHECK_MESSAGE(kind_of(plain).empty(), plain);
    for (const char* const pointers : {"float** a", "float* const* a", "float* a[]"})
      CHECK_MESSAGE(kind_of(pointers) == "a pointer to pointers", pointers);
    for (const char* const arrays : {"float (*a)[16]", "float a[][16]"})
      CHECK_MESSAGE(kind_of(arrays) == "a pointer to arrays", arrays);
    CHECK(kind_of("const float (&a)[4]") == "a reference to an array");
    CHECK(kind_of("int (*f)(int, float)") == "a pointer to a function");
  }

  TEST_CASE("what stands between quotes, single ones too, is no code") {
    CHECK(parameters_of("char quote() { return '\"'; } __global__ void k(float* x) { x[0] = 1; }") ==
          "float* x");
    CHECK(parameters_of("char brace() { return '{'; } __global__ void k(float* x) { x[0] = 1; }") ==
          "float* x");
    CHECK(parameters_of(
              "const char* s = \"__global__ void no(int n) {\"; __global__ void k(float* x) { x[0] = 1; }") ==
          "float* x");
  }

  TEST_CASE("declarations, comments and strings are no kernels") {
    CHECK(read_kernel_source("__global__ void k(int n);\n// __global__ void a() {}\n"
                             "const char* s = \"__global__ void b() {}\";")
              .kernels.empty());
  }

  TEST_CASE("macros that nobody defines are open, and so are those that have a default") {
    CHECK(macros_of("__global__ void k() { int x = BLOCK * 2; }") == "BLOCK");
    CHECK(macros_of("#ifndef BLOCK\n#define BLOCK 128\n#endif\n") == "BLOCK=128");
    CHECK(macros_of("#  ifndef BLOCK\n# \tdefine BLOCK 128\n#\tendif\n") == "BLOCK=128");
    CHECK(macros_of("#define AREA (TILE * TILE)\nint x[AREA];") == "TILE");
    CHECK(macros_of("#if USE_SHARED\n#endif\n#ifdef OTHER\n#endif\n") == "USE_SHARED");
    CHECK(macros_of("#if defined(OTHER) && LEVEL > 2\n#endif\n") == "LEVEL");
    CHECK(macros_of("#ifndef GUARD_H\n#define GUARD_H\n#endif\n").empty());
    CHECK(macros_of("__global__ void k(half* x) { half *SA = x + 4; SA[0] = x[0]; }").empty());
    CHECK(macros_of("__global__ void k(int n) { bool b = n * TILE == 64; }") == "TILE");
    CHECK(macros_of("#define TILE 4\nint x = TILE;").empty());
    CHECK(macros_of("constexpr int TILE = 4; enum E { RED, GREEN = 2 }; int x = TILE + GREEN;").empty());
    CHECK(
        macros_of("__device__ void f() { float a = TILE, *CNDD1, CNDD2[2]; CNDD1 = CNDD2; g(a, CNDD1); }") ==
        "TILE");
    CHECK(macros_of("template <int UNROLL> __global__ void k() { int x = UNROLL; }").empty());
    CHECK(macros_of("float x = FLT_MAX, y = INFINITY; int z = INT_MAX; auto p = NULL;").empty());
    CHECK(macros_of("int x = SQUARE(3);").empty());  // a function: no value to try
    CHECK(macros_of("if (x > BLOCK) return; while (a < ROWS) ++a; return COLS;") == "BLOCK COLS ROWS");
  }

  TEST_CASE("what a block covers is what its index is multiplied with") {
    const auto covers = [](const std::string& body) {
      std::vector<std::string> words;
      for (const auto& axis : axes_of(tokens_of("{ " + body + " }")))
        words.push_back(axis.factors.empty() ? "" : axis.factors.back());
      return words;
    };
    CHECK(covers("int i = blockIdx.x * blockDim.x + threadIdx.x;")[0] == "blockDim.x");
    CHECK(covers("int i = threadIdx.x * VECTOR;")[0].empty());
    CHECK(covers("int i = blockIdx.y * ROWS + threadIdx.y * 4;")[1] == "ROWS");
    CHECK(covers("int i = blockIdx.z * DEPTH;")[0].empty());
    CHECK(covers("int i = blockDim.y * blockIdx.x;")[0] == "blockDim.y");
    CHECK(covers("int r = blockIdx.y * TILE, c = WIDTH * blockIdx.x;")[0] == "WIDTH");
    CHECK(covers("int r = blockIdx.y * TILE, c = WIDTH * blockIdx.x;")[1] == "TILE");
    CHECK(covers("long long i = static_cast<long long>(blockIdx.z) * DEPTH;")[2] == "DEPTH");
    CHECK(covers("const int row = (int)blockIdx.y;\nx[row * WIDTH] = 0;")[1] == "WIDTH");
    const auto along_y = [](const std::string& body) { return axes_of(tokens_of("{ " + body + " }"))[1]; };
    CHECK(along_y("int i = threadIdx.y;").has_threads);
    CHECK_FALSE(along_y("int i = threadIdx.y;").has_blocks);
    CHECK(along_y("int i = blockIdx.y;").has_blocks);
    CHECK_FALSE(along_y("float f = v.y;").has_blocks);
    CHECK(along_y("int i = (blockIdx.y * blockDim.y + threadIdx.y) * VECTOR;").each == "VECTOR");
    CHECK(along_y("int i = blockIdx.y * blockDim.y + threadIdx.y * VECTOR;").each.empty());
    CHECK_FALSE(along_y("int i = blockDim.y + threadIdx.x;").has_blocks);
    CHECK(along_y("for (int i = threadIdx.y; i < n; i += 8) x[i] = 0;").threads == "8");
    CHECK(along_y("int i = blockIdx.y * TILE + threadIdx.y;\nfor (int j = 0; j < TILE; j += ROWS) "
                  "t[threadIdx.y + j] = 0;")
              .threads == "ROWS");
  }

  TEST_CASE("sources that end anywhere are read to their end") {
    const std::string source =
        "template <typename T> __global__ void __launch_bounds__(N) k(const T* x, int (*f)(int)) { x[0] += "
        "\"a\\\"\"; } "
        "#define A /* c */ \\\n B\n";
    for (std::size_t length = 0; length <= source.size(); ++length)
      CHECK(read_kernel_source(source.substr(0, length)).kernels.size() <= 1);
  }
}

TEST_SUITE_BEGIN("tuner::source");

TEST_CASE("kernels are found with their attributes, linkage and templates") {
  CHECK(kernel_names("__global__ void a(int n) {}") == Names{"a"});
  CHECK(kernel_names("extern \"C\" __global__ void __launch_bounds__(256, 2)\nb (float* p);") == Names{"b"});
  CHECK(kernel_names("template <int N> __global__ void __launch_bounds__(F(N) * (2)) c(T* p) {}") ==
        Names{"c"});
  CHECK(kernel_names("__launch_bounds__(64) __global__ void d() {}\n__global__ void e() {}") ==
        Names{"d", "e"});
}

TEST_CASE("comments, strings and other functions are not kernels") {
  CHECK(kernel_names("// __global__ void a() {}\n/* __global__ void b() {} */ __device__ void c() {}") ==
        Names{});
  CHECK(kernel_names("const char* s = \"__global__ void a()\"; __global__ void b() {}") == Names{"b"});
  CHECK(kernel_names("/* never closed __global__ void a()") == Names{});
  CHECK(kernel_names("\"never closed __global__ void a()") == Names{});
  CHECK(kernel_names("") == Names{});
}

TEST_CASE("a specialisation is named as its template, and no kernel as what stands in its type") {
  CHECK(kernel_names("template <> __global__ void k<float>(float* x) {}") == Names{"k"});
  CHECK(kernel_names("template <int N> __global__ std::enable_if_t<(N > 4)> k(float* x) {}") == Names{"k"});
}

TEST_CASE("a kernel declared and defined is named once") {
  CHECK(kernel_names("__global__ void a(); __global__ void a() {}") == Names{"a"});
}

TEST_CASE("a kernel is named with its namespaces") {
  CHECK(kernel_names("namespace a { namespace b::c { struct S { int x; }; __global__ void k() {} }\n"
                     "namespace { __global__ void l() { if (1) { } } } }\n"
                     "extern \"C\" { __global__ void m() {} }") == Names{"a::b::c::k", "a::l", "m"});
}

TEST_CASE("unfinished text ends the search quietly") {
  CHECK(kernel_names("__global__") == Names{});
  CHECK(kernel_names("__global__ void __launch_bounds__(256") == Names{});
}

TEST_SUITE_END();
