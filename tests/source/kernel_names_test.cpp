#include <doctest/doctest.h>

#include "tuner/source/kernel_source.hpp"

using tuner::source::kernel_names;
using Names = std::vector<std::string>;

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
