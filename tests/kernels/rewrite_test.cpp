// How declarations of shared memory become what an ordinary compiler can take.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tuner/compile/host/host_compiler.hpp"

using tuner::compile::host::rewrite_shared;

namespace {

std::string in_function(const std::string& statement, bool bind_static = false) {
  const std::string head = "__global__ void f() { ";
  const auto result = rewrite_shared(head + statement + " }", bind_static);
  CHECK(result.problems.empty());
  CHECK(std::count(result.text.begin(), result.text.end(), '\n') ==
        std::count(statement.begin(), statement.end(), '\n'));
  return result.text.substr(head.size(), result.text.size() - head.size() - 2);
}

}  // namespace

TEST_SUITE_BEGIN("tuner::compile::host");

TEST_CASE("dynamic shared memory is bound where it is declared") {
  CHECK(in_function("extern __shared__ float a[];") == "  float (&a)[] = tuner_cpu::DynamicShared{};");
  CHECK(in_function("extern __shared__ alignas(16) const Pair<int, 3> a[];") ==
        "   const Pair<int, 3> (&a)[] = tuner_cpu::DynamicShared{};");
  CHECK(in_function("extern __shared__ float a[][N + f(2, 3)], b[];") ==
        "  float (&a)[][N + f(2, 3)] = tuner_cpu::DynamicShared{}, (&b)[] = tuner_cpu::DynamicShared{};");
  CHECK(in_function("extern\n__shared__ __align__(\n16) float a[];") ==
        "\n \n float (&a)[] = tuner_cpu::DynamicShared{};");
  CHECK(in_function("extern __shared__ State all;") == "  State (&all) = tuner_cpu::DynamicShared{};");
}

TEST_CASE("a string with a prefix ends at its quote, a raw one where it says") {
  for (const char* text : {"L\"a\"", "u8\"a\"", "U\"a)\"", "R\"(a\")\"", "u8R\"x(a)\")x\""}) {
    CAPTURE(text);
    const std::string before = std::string("const auto* s = ") + text + "; ";
    CHECK(in_function(before + "extern __shared__ float a[];") ==
          before + "  float (&a)[] = tuner_cpu::DynamicShared{};");
  }
}

TEST_CASE("outside functions an object stands for it") {
  CHECK(rewrite_shared("extern __shared__ float a[];", false).text ==
        "  static tuner_cpu::DynamicSharedArray<float []> a;");
  CHECK(rewrite_shared("namespace n { extern \"C\" { extern __shared__ int a[]; } }", false).text ==
        "namespace n { extern \"C\" {   static tuner_cpu::DynamicSharedArray<int []> a; } }");
  CHECK(rewrite_shared("extern __shared__ int a[], b[];", false).problems.size() == 1);
  const std::string before = "  static tuner_cpu::DynamicSharedArray<int []> a; ";
  const auto used = [](const std::string& use) {
    return rewrite_shared("extern __shared__ int a[]; " + use, false).text;
  };
  CHECK(used("void f() { g(a, b, a); int* c = a; }") == before + "void f() { g(+a, b, +a); int* c = +a; }");
  for (const std::string use : {"void f(int* a) { s.a = a[0] + sizeof(a); }", "int f() { return *a; }"})
    CHECK(used(use) == before + use);
}

TEST_CASE("macros are rewritten where they are defined") {
  CHECK(rewrite_shared("#define SHARED(T, n) extern __shared__ T n[]\nvoid f() { SHARED(int, a); }", false)
            .text ==
        "#define SHARED(T, n)   T (&n)[] = tuner_cpu::DynamicShared{}\nvoid f() { SHARED(int, a); }");
  CHECK(rewrite_shared("#define BOTH int i; extern __shared__ float a[]\nvoid f() { BOTH; }", false).text ==
        "#define BOTH int i;   float (&a)[] = tuner_cpu::DynamicShared{}\nvoid f() { BOTH; }");
  const auto split = rewrite_shared("int x;\n#define SHARED extern __shared__\n", false);
  REQUIRE(split.problems.size() == 1);
  CHECK(split.problems[0].line == 2);
}

TEST_CASE("what a preprocessor line asks for or includes declares nothing") {
  for (const char* line : {"#if defined(__shared__)\n#endif\n", "#if A && defined(__shared__) || B\n#endif\n",
                           "#pragma keep extern __shared__ float a[];\n"}) {
    CAPTURE(line);
    const auto result = rewrite_shared(line, true);
    CHECK(result.text == line);
    CHECK(result.problems.empty());
  }
}

TEST_CASE("static shared memory is bound only when asked, and only what is understood") {
  CHECK(in_function("__shared__ float a[8];") == "__shared__ float a[8];");
  CHECK(in_function("__shared__ alignas(16) float a[8];") == "alignas(16) __shared__  float a[8];");
  CHECK(in_function("alignas(16) __shared__ float a[8];") == "alignas(16) __shared__ float a[8];");
  CHECK(in_function("__shared__ alignas(16) float a[8];", true) ==
        "  float (&a)[8] = tuner_cpu::static_shared([] {});");
  CHECK(in_function("__shared__ float a[8], b[2][3];", true) ==
        " float (&a)[8] = tuner_cpu::static_shared([] {}), (&b)[2][3] = tuner_cpu::static_shared([] {});");
  CHECK(in_function("__shared__ Tiles tiles;", true) == " Tiles (&tiles) = tuner_cpu::static_shared([] {});");
  CHECK(in_function("__shared__ union { int a; float b; } u;", true) ==
        "__shared__ union { int a; float b; } u;");
  CHECK(rewrite_shared("__shared__ float a[8];", true).text == "__shared__ float a[8];");
}

TEST_CASE("text that only looks like a declaration is left alone") {
  for (const std::string text :
       {"// extern __shared__ int a[];\n", "/* extern __shared__ int a[]; */",
        "const char* s = \"extern __shared__ int a[];\";",
        "const char* s = R\"x(extern __shared__ int a[];)x\";", "extern \"C\" void f(); extern int a[];",
        "#if 0 // __shared__\n#endif\n", "char c = '\"'; int __shared___b = 1'000;"}) {
    CAPTURE(text);
    const auto result = rewrite_shared(text, true);
    CHECK(result.text == text);
    CHECK(result.problems.empty());
  }
}

TEST_CASE("any text is rewritten to its end") {
  const std::string pieces = "\"'\\/*R(){};#\n<a1.eE+__shared__ extern [];";
  unsigned state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      state = state * 1664525U + 1013904223U;
      text += pieces.substr((state >> 16U) % pieces.size(), 1 + (state >> 8U) % 3 * 5);
    }
    rewrite_shared(text, round % 2 == 0);
  }
}

TEST_CASE("behind a function's end a declaration is outside again, in a class's function it is inside") {
  const std::string outside = "  static tuner_cpu::DynamicSharedArray<int []> a;";
  CHECK(rewrite_shared("void f() { if (1) {} } extern __shared__ int a[];", false).text ==
        "void f() { if (1) {} } " + outside);
  CHECK(rewrite_shared("namespace n {} extern __shared__ int a[];", false).text ==
        "namespace n {} " + outside);
  CHECK(rewrite_shared("struct S { void f() { extern __shared__ int a[]; } };", false).text ==
        "struct S { void f() {   int (&a)[] = tuner_cpu::DynamicShared{}; } };");
  CHECK(rewrite_shared("int x;\n#if 1\nextern __shared__ int a[];\n#endif\n", false).text ==
        "int x;\n#if 1\n" + outside + "\n#endif\n");
  CHECK(rewrite_shared("void f() { extern __shared__ int a[]; } extern __shared__ int b[];", false).text ==
        "void f() {   int (&a)[] = tuner_cpu::DynamicShared{}; }   static "
        "tuner_cpu::DynamicSharedArray<int []> b;");
}

TEST_SUITE_END();
