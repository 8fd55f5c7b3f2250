#include "tuner/source/program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "tuner/source/access.hpp"

using namespace tuner::source;

namespace {

struct Read {
  std::map<std::string, std::string> headers;
  Program program;

  explicit Read(const std::string& text, std::map<std::string, std::string> given = {})
      : headers(std::move(given)),
        program({"k.cu", text}, [this](const std::string& name, bool, const std::string&) {
          const auto found = headers.find(name);
          return found == headers.end() ? std::nullopt : std::optional(ProgramFile{name, found->second});
        }) {}

  const ProgramFunction& function(const std::string& name) const {
    const auto found = std::ranges::find(program.functions(), name, &ProgramFunction::name);
    REQUIRE_MESSAGE(found != program.functions().end(), name);
    return *found;
  }

  std::string names() const {
    std::string text;
    for (const ProgramFunction& one : program.functions()) text += one.name + " ";
    return text;
  }

  /// What `k` does with its first parameter, as `read`, `out`, …
  std::string use() const {
    const PointerUse use = pointer_uses(program, function("k")).front();
    std::string text = use.read && use.written ? "both"
                       : use.read              ? "read"
                       : use.written           ? "written"
                                               : "nothing";
    if (use.written && use.read && use.written_first) text += ", written first";
    if (use.atomic) text += ", atomic";
    if (use.handed_on) text += ", handed on";
    return text;
  }
};

std::string use_of(const std::string& body, const std::string& around = "") {
  return Read(around + "__global__ void k(float* p, int n) { " + body + " }").use();
}

}  // namespace

TEST_SUITE("source::Program") {
  TEST_CASE("headers stand in place of their include, once, and conditions are decided") {
    const Read read(
        "#define HALF\n#include \"real.h\"\n#include \"real.h\"\n#include <unknown>\nvoid f(real x) {}\n",
        {{"real.h", "#ifdef HALF\ntypedef __half real;\n#else\ntypedef float real;\n#endif\nvoid g() {}\n"}});
    CHECK(read.names() == "g f ");
    CHECK(read.program.resolved_type("real") == "__half");
    CHECK(read.function("f").file == 0);
    CHECK(read.function("g").file == 1);
  }

  TEST_CASE("conditions have the arithmetic of the preprocessor") {
    const Read read(
        "#define A 3\n#if A * 2 >= 6 && !defined(B) && (defined C || A == 3)\nvoid yes() {}\n#elif 1\nvoid "
        "no() {}\n"
        "#else\nvoid no() {}\n#endif\n#if 0\nvoid no() {}\n#elif __CUDA_ARCH__ >= 800\nvoid too() "
        "{}\n#endif\n");
    CHECK(read.names() == "yes too ");
    const Read bits(
        "#define FLAGS 6\n#if FLAGS & 1\nvoid no() {}\n#endif\n#if FLAGS >> 1 == 3 && (FLAGS | 1) == 7\n"
        "void yes() {}\n#endif\n");
    CHECK(bits.names() == "yes ");
  }

  TEST_CASE("conditions may overflow, and have brackets of any depth") {
    const Read overflow(
        "#define LEAST (-9223372036854775807 - 1)\n#if LEAST / -1 || LEAST % -1 || LEAST - 1 || -LEAST\n"
        "void f() {}\n#endif\nvoid g() {}\n");
    CHECK(overflow.names() == "f g ");
    for (const char* one : {"(", "!", "-"}) {
      std::string text = "#if ";
      for (int i = 0; i < 200'000; ++i) text += one;
      CHECK(Read(text + "1\n#endif\nvoid g() {}\n").names().ends_with("g "));
    }
  }

  TEST_CASE("macros that are code are expanded, those that are constants keep their names") {
    const Read read(
        "#define TILE 16\n#define WIDE (TILE * 2)\n#define REAL float\n#define MAKE(name) void "
        "name##_it(REAL x) {}\n"
        "#define TWICE(x) ((x) + (x))\nMAKE(do)\nint a = TWICE(TWICE(TILE));\n");
    CHECK(read.names() == "do_it ");
    CHECK(read.function("do_it").parameters.front().type == "float");
    REQUIRE(read.program.macro("WIDE") != nullptr);
    CHECK(read.program.macro("REAL") == nullptr);
    REQUIRE(read.program.variable("a") != nullptr);
    std::string text;
    for (const Token& token : read.program.variable("a")->init) text += token.text;
    CHECK(text == "((((TILE)+(TILE)))+(((TILE)+(TILE))))");
  }

  TEST_CASE("a macro behind its own ifndef may be given by the build") {
    const Read read("#ifndef A\n#define A 1\n#endif\n#define B 2\n");
    CHECK(read.program.macro("A")->guarded);
    CHECK_FALSE(read.program.macro("B")->guarded);
  }

  TEST_CASE("functions are found in namespaces and behind what is none") {
    const Read read(
        "namespace a { namespace { struct S { int x; operator float*() { return 0; } void method() {} }; }\n"
        "extern \"C\" { void c(int n = 3) {} } }\n"
        "template <> int special<int>(int x) { return x; }\n"
        "__global__ void __launch_bounds__(256, 2) kernel(float* x) {}\n"
        "enum Mode { first, second = 7, third };\nint table[] = {1, 2};\nvoid last() {}\n"
        "using byte = unsigned char;\nenum class Small : byte { none };\ntypedef Small Alias;\n");
    CHECK(read.names() == "method c special kernel last ");
    CHECK(read.function("kernel").is_kernel);
    CHECK(read.program.enumerator("third")->offset == 1);
    CHECK(read.program.resolved_type("Mode") == "int");
    CHECK(read.program.resolved_type("Alias") == "unsigned char");
    CHECK(read.program.is_enumeration("Alias"));
    CHECK_FALSE(read.program.is_enumeration("byte"));
  }

  TEST_CASE("variables keep their namespaces") {
    const Read read(
        "namespace a::b { __constant__ float taps[9]; namespace { __device__ int seen; } }\n"
        "namespace c { int before = 1; }\n__constant__ float plain, taps[3];\n");
    std::string names;
    for (const auto& one : read.program.variables()) names += one.qualified_name() + " ";
    CHECK(names == "a::b::taps a::b::seen c::before plain taps ");
  }

  TEST_CASE("a file that is cut anywhere is read to its end") {
    const std::string text =
        "#define F(a, b) a ## b\n#if F(1, 2) > 3\ntemplate <typename T> struct S { static const int n = "
        "sizeof(T); };\n"
        "#endif\nenum { a, b = 2 };\n__constant__ float c[4];\n"
        "__global__ void k(float* p) { p[F(0, 1)] = c[0]; }\nint main() { dim3 g(1, 2); k<<<g, "
        "32>>>(nullptr); }\n";
    for (std::size_t length = 0; length <= text.size(); ++length) Read(text.substr(0, length));
  }
}

TEST_SUITE("source::pointer_uses") {
  TEST_CASE("elements are read, written or both") {
    CHECK(use_of("n = p[0];") == "read");
    CHECK(use_of("p[n] = 1;") == "written");
    CHECK(use_of("p[n] += 1;") == "both");
    CHECK(use_of("*p = 1;") == "written");
    CHECK(use_of("*(p + n) = *p;") == "both");
    CHECK(use_of("p[0] = p[1] + 1;") == "both");
    CHECK(use_of("++p[0];") == "both");
    CHECK(use_of("p[0].x = 1;") == "written");
    CHECK(use_of("p[0].a[1].b += 1;") == "both");
    CHECK(use_of("if (p[0].x == 1) n = 2;") == "read");
    CHECK(use_of("s.p[0] = 1;") == "nothing");
    CHECK(use_of("if (p != nullptr) n = 1;") == "nothing");
    CHECK(use_of("p += n; p[0] = 1;") == "written");
  }

  TEST_CASE("what is written before it is read is told apart") {
    CHECK(use_of("p[n] = 1; n = p[n];") == "both, written first");
    CHECK(use_of("n = p[n]; p[n] = 1;") == "both");
    CHECK(use_of("if (n > 3) { p[n] = 0; n = p[n]; }") == "both, written first");
    const std::string loop = "for (int i = 0; i < n; ++i) ";
    CHECK(use_of(loop + "p[i] = 0; " + loop + "p[i] += 2;") == "both, written first");
    CHECK(use_of(loop + "p[i] = 0; if (n > 3) { " + loop + "p[i] += 2; }") == "both, written first");
  }

  TEST_CASE("an element that is not written for sure may be read as it was") {
    CHECK(use_of("if (n == 0) p[0] = 1; n = p[n];") == "both");
    CHECK(use_of("p[0] = 1; n = p[n];") == "both");
    CHECK(use_of("if (n == 0) p[n] = 1; n = p[n];") == "both");
    CHECK(use_of("if (n == 0) { p[n] = 1; } else { n = p[n]; }") == "both");
    CHECK(use_of("for (int i = 0; i < n; ++i) p[i] = 0; for (int i = 0; i < 9; ++i) p[i] += 2;") == "both");
    CHECK(use_of("put(p); n = p[n];", "__device__ void put(float* to) { to[0] = 1; }") == "both");
  }

  TEST_CASE("pointers into the buffer are followed") {
    CHECK(use_of("const float* row = p + n; n = row[3];") == "read");
    CHECK(use_of("float* row = n > 1 ? p + n : p; row[3] = 1;") == "written");
    CHECK(use_of("reinterpret_cast<float4*>(p)[n] = make_float4(0, 0, 0, 0);") == "written");
    CHECK(use_of("float4 v = *(float4*)&p[n];") == "read");
    CHECK(use_of("*reinterpret_cast<float4*>(p + 4 * n) = float4{};") == "written");
    CHECK(use_of("const float *low = p, *high = p + n; n = low[0] + high[0];") == "read");
    CHECK(use_of("volatile float *low = p, *high = p + n; n = low[0] + high[0];") == "read");
    CHECK(use_of("float *low = p, *high = p + n; *high = 1;") == "written");
  }

  TEST_CASE("references to elements are followed") {
    CHECK(use_of("float& r = p[n]; r *= 2;") == "both");
    CHECK(use_of("auto& r = p[n]; r = 2;") == "written");
    CHECK(use_of("const float& r = p[n]; n = r;") == "read");
    CHECK(use_of("float4& r = reinterpret_cast<float4*>(p)[n]; r.x = 1;") == "written");
    CHECK(use_of("float& r = p[n]; r = 0; r += 1;") == "both, written first");
  }

  TEST_CASE("functions that the kernel calls are looked into") {
    const std::string put = "template <class T> __device__ void put(T* to, T x) { *to = x; }\n";
    const std::string get = "__device__ float get(const float* from, int i) { return from[i]; }\n";
    CHECK(use_of("put(p + n, 1.0f);", put) == "written");
    CHECK(use_of("n = get(p, n);", get) == "read");
    CHECK(use_of("put(&p[n], get(p, 0));", put + get) == "both");
    CHECK(use_of("swap(p[0], p[1]);", "__device__ void swap(float& a, float& b) { a = b; }") == "both");
    CHECK(use_of("elsewhere(p);") == "both, handed on");
    CHECK(use_of("asm volatile(\"st.global.f32 [%0], %1;\" :: \"l\"(p), \"f\"(1.0f));") == "both, handed on");
  }

  TEST_CASE("CUDA's own functions are known") {
    CHECK(use_of("n = __ldg(p + n);") == "read");
    CHECK(use_of("__stcs(p + n, 1.0f);") == "written");
    CHECK(use_of("atomicAdd(&p[n], 1.0f);") == "both, atomic");
    CHECK(use_of("atomicMax(p + n, 1);") == "both, atomic");
    CHECK(use_of("wmma::store_matrix_sync(p, fragment, n, wmma::mem_row_major);") == "written");
  }
}
