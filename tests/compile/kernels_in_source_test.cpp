#include "tuner/compile/nvrtc/kernels_in_source.hpp"

#include <doctest/doctest.h>

using tuner::compile::nvrtc::kernels_in_source;
using Names = std::vector<std::string>;

TEST_SUITE_BEGIN("tuner::compile::nvrtc kernels in source");

TEST_CASE("kernels are found with their attributes, linkage and templates") {
  CHECK(kernels_in_source("__global__ void a(int n) {}") == Names{"a"});
  CHECK(kernels_in_source("extern \"C\" __global__ void __launch_bounds__(256, 2)\nb (float* p);") ==
        Names{"b"});
  CHECK(kernels_in_source("template <int N> __global__ void __launch_bounds__(F(N) * (2)) c(T* p) {}") ==
        Names{"c"});
  CHECK(kernels_in_source("__launch_bounds__(64) __global__ void d() {}\n__global__ void e() {}") ==
        Names{"d", "e"});
}

TEST_CASE("comments, strings and other functions are not kernels") {
  CHECK(kernels_in_source("// __global__ void a() {}\n/* __global__ void b() {} */ __device__ void c() {}") ==
        Names{});
  CHECK(kernels_in_source("const char* s = \"__global__ void a()\"; __global__ void b() {}") == Names{"b"});
  CHECK(kernels_in_source("/* never closed __global__ void a()") == Names{});
  CHECK(kernels_in_source("\"never closed __global__ void a()") == Names{});
  CHECK(kernels_in_source("") == Names{});
}

TEST_CASE("a kernel declared and defined is named once") {
  CHECK(kernels_in_source("__global__ void a(); __global__ void a() {}") == Names{"a"});
}

TEST_CASE("unfinished text ends the search quietly") {
  CHECK(kernels_in_source("__global__") == Names{});
  CHECK(kernels_in_source("__global__ void __launch_bounds__(256") == Names{});
}

TEST_SUITE_END();
