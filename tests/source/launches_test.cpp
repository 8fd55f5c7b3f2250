#include <doctest/doctest.h>

#include <algorithm>

#include "tuner/source/host_code.hpp"

using namespace tuner::source;

namespace {

/// The best launch of the kernel `k` of a source.
struct Launched {
  Program program;
  HostCode host;
  ProgramLaunch launch;

  explicit Launched(const std::string& text)
      : program({"k.cu", text},
                [](const std::string&, bool, const std::string&) { return std::optional<ProgramFile>(); }),
        host(program) {
    const auto kernel = std::ranges::find(program.functions(), "k", &ProgramFunction::name);
    REQUIRE(kernel != program.functions().end());
    const std::vector<ProgramLaunch> found = launches_of(host, *kernel);
    REQUIRE_FALSE(found.empty());
    launch = found.front();
  }

  std::string text(const Value& value) const {
    return text_of(value, [&](const std::string& symbol) { return host.facts(symbol).name; });
  }
  std::string grid() const {
    return text(launch.grid[0]) + ", " + text(launch.grid[1]) + ", " + text(launch.grid[2]);
  }
  std::string block() const {
    return text(launch.block[0]) + ", " + text(launch.block[1]) + ", " + text(launch.block[2]);
  }
  std::string bytes(std::size_t argument) const { return text(launch.arguments[argument].bytes); }
};

/// A kernel over n floats that `body`, a part of main, launches.
Launched in_main(const std::string& body, const std::string& before = "") {
  return Launched("__global__ void k(float* p, int n) {}\n" + before + "int main(int argc, char** argv) {\n" +
                  body + "\n}\n");
}

}  // namespace

TEST_SUITE("source::launches_of") {
  TEST_CASE("a launch in main: its variables are sizes with the values they have") {
    const Launched found = in_main(
        "int n = 1 << 20; float* d; cudaMalloc(&d, n * sizeof(float));\n"
        "int threads = 256; int blocks = (n + threads - 1) / threads;\n"
        "k<<<blocks, threads, threads * sizeof(float)>>>(d, n);");
    CHECK(found.grid() == "ceil_div(n, threads), 1, 1");
    CHECK(found.block() == "threads, 1, 1");
    CHECK(found.text(found.launch.shared_bytes) == "4 * threads");
    CHECK(found.bytes(0) == "4 * n");
    CHECK(found.host.facts("main/n").present == 1048576);
    CHECK(found.launch.line == 5);
  }

  TEST_CASE("dim3 comes in its many ways") {
    const std::string launch = " float* d; k<<<grid, block>>>(d, n);";
    CHECK(
        in_main("int n = 9; dim3 block(16, 8); dim3 grid((n + block.x - 1) / block.x, n / block.y);" + launch)
            .grid() == "ceil_div(n, 16), n / 8, 1");
    CHECK(in_main("int n = 9; dim3 block = dim3(32); dim3 grid{(unsigned)n, 2};" + launch).grid() ==
          "n, 2, 1");
    CHECK(in_main("int n = 9; dim3 block, grid; block.x = 64; block.y = 2; grid.x = n / 64;" + launch)
              .block() == "64, 2, 1");
    CHECK(in_main("int n = 9; dim3 block(n), grid = of(n);" + launch,
                  "dim3 of(int m) { return dim3(m, m / 2); }\n")
              .grid() == "n, n / 2, 1");
    CHECK(in_main("int n = 9; float* d; k<<<dim3(n, 3), dim3(4, 4, 4)>>>(d, n);").block() == "4, 4, 4");
  }

  TEST_CASE("functions and macros that round up are understood") {
    const auto grid = [](const std::string& expression, const std::string& before) {
      return in_main("int n = 100; float* d; k<<<" + expression + ", 128>>>(d, n);", before).grid();
    };
    const std::string wanted = "ceil_div(n, 128), 1, 1";
    CHECK(grid("up(n, 128)", "int up(int a, int b) { return (a + b - 1) / b; }\n") == wanted);
    CHECK(grid("up(n, 128)",
               "template <class T> __host__ __device__ T up(T a, T b) { return (a - 1) / b + 1; }\n") ==
          wanted);
    CHECK(grid("UP(n, 128)", "#define UP(a, b) (((a) + (b) - 1) / (b))\n") == wanted);
    CHECK(grid("(int)ceil((float)n / 128)", "") == wanted);
    CHECK(grid("ceil(n / 128.0)", "") == wanted);
    CHECK(grid("up(n, 128)", "int up(int a, int b) { if (a % b == 0) return a / b; return a / b + 1; }\n") ==
          "n % 128 == 0 ? n / 128 : n / 128 + 1, 1, 1");
    CHECK(grid("up(n)", "int up(int x) { --x; x |= x >> 1; return ++x; }\n") == "?, 1, 1");
    CHECK(grid("half(n)",
               "int half(int x) { if (!x) { return 0; } else { for (; x > 3; x >>= 1); return x; } }\n") ==
          "?, 1, 1");
    CHECK(grid("std::min(n / 2, 65535)", "") == "min(n / 2, 65535), 1, 1");
  }

  TEST_CASE("launchers are followed to the call that main makes") {
    const Launched found(
        "__global__ void k(float* out, const float* in, int rows, int columns) {}\n"
        "void go(float* out, const float* in, int b, int t, int c, const int size) {\n"
        "  assert(size % 32 == 0);\n  const int rows = b * t;\n"
        "  k<<<(rows * 32 + size - 1) / size, size>>>(out, in, rows, c); }\n"
        "void choose(int which, float* out, float* in, int b, int t, int c, int size) {\n"
        "  switch (which) { case 1: go(out, in, b, t, c, size); break; } }\n"
        "int main() {\n  int B = 8, T = 64, C = 32;\n  float *d_out, *d_in;\n"
        "  check(cudaMalloc((void**)&d_out, B * T * C * sizeof(float)));\n"
        "  check(cudaMalloc((void**)&d_in, (size_t)B * T * C * sizeof(float)));\n"
        "  int sizes[] = {64, 128};\n"
        "  for (int j = 0; j < 2; ++j) { int size = sizes[j]; choose(1, d_out, d_in, B, T, C, size); } }\n");
    CHECK(found.grid() == "ceil_div(32 * B * T, size), 1, 1");
    CHECK(found.text(found.launch.arguments[2].value) == "B * T");
    CHECK(found.bytes(1) == "4 * B * T * C");
    CHECK(found.launch.arguments[0].origin.path == "d_out");
    REQUIRE(found.launch.conditions.size() == 1);
    CHECK(found.text(found.launch.conditions[0]) == "size % 32 == 0");
    const Value& size = found.launch.block[0];
    REQUIRE(size.kind == Value::Kind::symbol);
    CHECK(found.host.facts(size.name).choices == std::vector<std::int64_t>{64, 128});
  }

  TEST_CASE("a launcher that is given the kernel launches it once for each call") {
    const std::string launcher =
        "template <class K, class... Arguments>\n"
        "void launch(K kernel, dim3 grid, int block, Arguments&&... arguments) {\n"
        "  kernel<<<grid, block>>>(std::forward<Arguments>(arguments)...); }\n";
    const std::string main =
        "int main() { int n = 100; float* d; cudaMalloc(&d, n * sizeof(float)); launch(other, 1, 2, d);\n"
        "launch(k<float, 64>, dim3((n + 255) / 256), 256, d, n); }\n";
    const std::string kernel = "template <class T, int WIDTH> __global__ void k(T* p, int n) {}\n";
    const Launched found(kernel + launcher + main);
    CHECK(found.grid() == "ceil_div(n, 256), 1, 1");
    CHECK(found.block() == "256, 1, 1");
    CHECK(found.bytes(0) == "4 * n");
    CHECK(found.text(found.launch.arguments[1].value) == "n");
    CHECK(found.launch.line == 6);
    Launched again(kernel + launcher + main);
    REQUIRE(again.launch.template_arguments.size() == 2);
    CHECK(again.host.type_in(again.launch.template_arguments[0], *again.launch.frame) == "float");
    CHECK(again.host.evaluate(again.launch.template_arguments[1], *again.launch.frame).is(64));
    // As a pointer to a function, by the runtime, and with its own numbers.
    const Launched pointer(
        "__global__ void k(float* p, int n) {}\nvoid launch(void (*f)(float*, int), float* x, int m) {\n"
        "  void* list[] = {&x, &m}; cudaLaunchKernel((void*)f, m / 32, 32, list); }\n"
        "int main() { int n = 100; float* d; launch(k, d, n); }\n");
    CHECK(pointer.grid() == "n / 32, 1, 1");
  }

  TEST_CASE("what a variable is depends on what was assigned to it before the launch") {
    CHECK(in_main("int n = 5, m; m = n * 2; float* d; k<<<m, 32>>>(d, n);").grid() == "2 * n, 1, 1");
    CHECK(in_main("int n = 5, m = 1; m = n; float* d; k<<<m, 32>>>(d, n); m = 3;").grid() == "n, 1, 1");
    const Launched read =
        in_main("int n = 5; if (argc > 1) n = atoi(argv[1]); float* d; k<<<n, 32>>>(d, n);");
    CHECK(read.grid() == "n, 1, 1");
    CHECK(read.host.facts("main/n").present == 5);
    CHECK(in_main("int n = 5; float* d; for (int i = 0; i < n; ++i) k<<<i + 1, 32>>>(d, n);").grid() ==
          "i + 1, 1, 1");
    CHECK(in_main("int n = 5; { int n = 7; n = n; } float* d; k<<<n, 32>>>(d, n);").grid() == "n, 1, 1");
  }

  TEST_CASE("a condition that keeps a variable below or above another value is a min or a max") {
    const auto found = [](const std::string& change) {
      return in_main("int n = 100, m = 64, b = (n + 127) / 128; dim3 g((n + 127) / 128); float* d; " +
                     change + "k<<<b, g.x>>>(d, n);");
    };
    const std::string blocks = "ceil_div(n, 128)";
    for (const std::string change : {"if (b > 64) b = 64; ", "if (64 <= b) { b = 64; } "})
      CHECK(found(change).grid() == "min(" + blocks + ", 64), 1, 1");
    CHECK(found("if (b > m * 2) b = m * 2; if (b < 1) b = 1; ").grid() ==
          "max(min(" + blocks + ", 2 * m), 1), 1, 1");
    CHECK(found("if (g.x > 64) g.x = 64; ").block() == "min(" + blocks + ", 64), 1, 1");
    for (const std::string change : {"if (n > 64) b = 64; ", "if (b > 64) b = 65; ", "if (b == 64) b = 64; ",
                                     "if (b > 64) n = 3; else b = 64; "}) {
      CAPTURE(change);
      const Launched other = found(change);
      CHECK(other.grid() == "b, 1, 1");
      CHECK(other.host.facts(other.launch.grid[0].name).changed_line > 0);
    }
  }

  TEST_CASE("a variable that a loop or a sum has changed does not have the value that it began with") {
    const std::string launch = " float* d; cudaMalloc(&d, m * 4); k<<<m, 32>>>(d, n);";
    for (const std::string change :
         {"int n = 5, m = 1; while (m < n) m *= 2;", "int n = 5, m = 1; while (m < n) { m = m * 2; }",
          "int n = 5, m = n; m += 32;", "int n = 5, m = n; if (m % 4) m += 4 - m % 4;",
          "int n = 5, m = 1; for (int i = 0; i < n; ++i) { m <<= 1; }",
          "int n = 5, m = 1; for (; m < n; m *= 2) { }"}) {
      CAPTURE(change);
      const Launched found = in_main(change + launch);
      CHECK(found.grid() == "m, 1, 1");
      CHECK(found.bytes(0) == "4 * m");
      const SymbolFacts& facts = found.host.facts(found.launch.grid[0].name);
      CHECK_FALSE(facts.present.has_value());
      CHECK_FALSE(facts.counter);
    }
    CHECK(in_main("int n = 5, m = 0; m += 3; m = n;" + launch).grid() == "n, 1, 1");
    const Launched member =
        in_main("int n = 5; dim3 g(n); while (g.x > 3) g.x >>= 1; float* d; k<<<g, 32>>>(d, n);");
    CHECK(member.grid() == "g.x, 1, 1");
    CHECK(member.host.facts(member.launch.grid[0].name).changed_line == 3);
    const Launched again = in_main(
        "int n = 5, m; float* d; for (m = 0; m < 3; ++m) use(m); for (m = 1; m < n; ++m) k<<<m, 32>>>(d, "
        "n);");
    CHECK(again.host.facts(again.launch.grid[0].name).counter);
  }

  TEST_CASE("a variable may be a choice, and has the value of the last where the others are not known") {
    const Launched found = in_main(
        "int n = argc > 1 ? atoi(argv[1]) : 512, threads = n < 256 ? n : 256; float* d;\n"
        "for (int i : list) use(i);\n"
        "k<<<n, threads, threads <= 32 ? 64 : 2 * threads>>>(d, n);");
    CHECK(found.block() == "n < 256 ? n : 256, 1, 1");
    CHECK(found.text(found.launch.shared_bytes) ==
          "(n < 256 ? n : 256) <= 32 ? 64 : 2 * (n < 256 ? n : 256)");
    CHECK(found.host.facts("main/n").present == 512);
  }

  TEST_CASE("a product is no template, and a template's comma parts nothing") {
    CHECK(in_main("int n = 5; float* d; k<<<(n < 3 ? n : 4), 32>>>(d, n < 9 ? n : 9);")
              .launch.arguments.size() == 2);
    CHECK(in_main("int n = 5; float* d; k<<<f<int, 3>(n), 32>>>(d, n);",
                  "template <class T, int s> T f(T x) { return x * s; }\n")
              .grid() == "3 * n, 1, 1");
  }

  TEST_CASE("constants of a class that a typedef names are worked out") {
    const Launched found =
        in_main("int n = 64; float* d; k<<<n / pack::size, 32>>>(d, n);",
                "template <class T> struct Pack { static constexpr int size = sizeof(int4) / sizeof(T); };\n"
                "typedef __half real;\nusing pack = Pack<real>;\n");
    CHECK(found.grid() == "n / 8, 1, 1");
  }

  TEST_CASE("pitched memory has rows without gaps") {
    const Launched found = in_main(
        "int w = 640, h = 480; float* d; size_t pitch; cudaMallocPitch(&d, &pitch, w * sizeof(float), h);\n"
        "k<<<h, 32>>>(d, pitch / sizeof(float));");
    CHECK(found.bytes(0) == "4 * h * w");
    CHECK(found.text(found.launch.arguments[1].value) == "w");
  }

  TEST_CASE("a device's properties become its limits") {
    CHECK(in_main("int n = 5, sms = 0; cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);\n"
                  "float* d; k<<<4 * sms, 32>>>(d, n);")
              .grid() == "4 * multiprocessors, 1, 1");
    CHECK(in_main("int n = 5; cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); float* d;\n"
                  "k<<<2 * p.multiProcessorCount, 32>>>(d, n);")
              .grid() == "2 * multiprocessors, 1, 1");
  }

  TEST_CASE("cudaLaunchCooperativeKernel is a launch") {
    const Launched found = in_main(
        "int n = 5; float* d; cudaMalloc(&d, n * 4); void* list[] = {(void*)&d, (void*)&n};\n"
        "cudaLaunchCooperativeKernel((void*)k, dim3(n), dim3(64), list, 128, 0);");
    CHECK(found.launch.cooperative);
    CHECK(found.grid() == "n, 1, 1");
    CHECK(found.text(found.launch.shared_bytes) == "128");
    CHECK(found.bytes(0) == "4 * n");
  }

  TEST_CASE("cudaLaunchKernelEx is a launch, whichever way its configuration is written") {
    const std::string start = "int n = 5; float* d; cudaMalloc(&d, n * 4); cudaLaunchConfig_t c";
    for (const std::string given :
         {" = {}; c.gridDim = dim3(n); c.blockDim = dim3(64, 2); c.dynamicSmemBytes = 8 * n;",
          " = {0}; c.gridDim.x = n; c.blockDim.x = 64; c.blockDim.y = 2; c.dynamicSmemBytes = 8 * n;",
          "{.gridDim = dim3(n), .blockDim{64, 2}, .dynamicSmemBytes = n * 8ul};",
          " = {dim3(n), dim3(64, 2), n * 8, 0};"}) {
      CAPTURE(given);
      const Launched found = in_main(start + given + " cudaLaunchKernelEx(&c, k, d, n);");
      CHECK(found.grid() == "n, 1, 1");
      CHECK(found.block() == "64, 2, 1");
      CHECK(found.text(found.launch.shared_bytes) == "8 * n");
      CHECK(found.bytes(0) == "4 * n");
      CHECK(found.text(found.launch.arguments[1].value) == "n");
      CHECK_FALSE(found.launch.cooperative);
    }
    const Launched with_attributes = in_main(
        start +
        "; c.gridDim = n; c.blockDim = 32; cudaLaunchAttribute a[2]; a[0].val.cooperative = 1;\n"
        "a[1].id = cudaLaunchAttributeClusterDimension; a[1].val.clusterDim.x = 2; c.attrs = a;\n"
        "void* list[2]; list[0] = &d; list[1] = (void*)&n;\ncudaLaunchKernelExC(&c, (void*)k, list);");
    CHECK(with_attributes.launch.cooperative);
    CHECK(with_attributes.launch.cluster == std::array<std::int64_t, 3>{2, 1, 1});
    CHECK(with_attributes.grid() == "n, 1, 1");
    CHECK(with_attributes.bytes(0) == "4 * n");
    CHECK(with_attributes.text(with_attributes.launch.arguments[1].value) == "n");
  }

  TEST_CASE("a kernel that a pointer is given has its template arguments") {
    for (const std::string given : {"auto f = k<16>;", "void (*f)(float*) = &k<16>;"})
      CHECK(Launched("template <int B> __global__ void k(float* p) {}\nint main() { float* d; " + given +
                     " f<<<1, 32>>>(d); }\n")
                .launch.template_arguments.size() == 1);
  }

  TEST_CASE("each pointer of an array of them has a buffer of its own") {
    const std::string main =
        "int n = 8; float* d[2]; cudaMalloc(&d[0], n * 4); cudaMalloc(&d[1], 2 * n * 4); ";
    CHECK(in_main(main + "k<<<n, 32>>>(d[1], n);").bytes(0) == "8 * n");
    CHECK(in_main(main + "k<<<n, 32>>>(d[0], n);").bytes(0) == "4 * n");
    CHECK(in_main("int n = 8; float* d[2]; for (int i = 0; i < 2; ++i) cudaMalloc(&d[i], (i + 1) * n * 4);"
                  "k<<<n, 32>>>(d[1], n);")
              .bytes(0) == "?");
  }

  TEST_CASE("numbers may be binary") {
    CHECK(in_main("int n = 5; float* d; k<<<n, 0b10'0000>>>(d, n);").block() == "32, 1, 1");
  }

  TEST_CASE("what a program fills its buffers with is noted") {
    const auto contents = [](const std::string& fill) {
      return in_main(
                 "int n = 8, V = 10; float* h = (float*)malloc(n * 4); float* d; cudaMalloc(&d, n * 4);\n" +
                 fill + "\nk<<<n, 32>>>(d, n);")
          .launch.arguments[0]
          .contents;
    };
    using Kind = BufferContents::Kind;
    CHECK(contents("cudaMemset(d, 0, n * 4);").kind == Kind::zero);
    CHECK(
        contents("for (int i = 0; i < n; ++i) h[i] = 1.0f; cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);")
            .kind == Kind::one);
    const BufferContents whole = contents(
        "for (int i = 0; i < n; ++i) h[i] = rand() % V; cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);");
    CHECK(whole.kind == Kind::whole);
    CHECK_FALSE(whole.is_guess);
    CHECK(text_of(whole.below) == "main/V");
    CHECK(contents("").kind == Kind::unknown);
    const auto copied = [&](const std::string& fill) {
      return contents(fill + " cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);");
    };
    const std::string all = "for (int i = 0; i < n; ++i) ";
    for (const std::string value : {"(float)rand() / RAND_MAX", "rand() / (float)RAND_MAX",
                                    "static_cast<float>(rand()) / static_cast<float>(RAND_MAX)"})
      CHECK_MESSAGE(copied(all + "{ h[i] = " + value + "; }").kind == Kind::unit, value);
    CHECK(copied(all + "h[i] = (float)(rand() % V);").kind == Kind::whole);
    CHECK(copied("if (n > 9) { puts(\"large\"); } " + all + "h[i] = 0; show(n);").kind == Kind::zero);
  }

  TEST_CASE("contents that are not the same for all elements are not known, or a guess") {
    const auto contents = [](const std::string& fill) {
      return in_main("int n = 8; int* h = (int*)malloc(n * 4); int* d; cudaMalloc(&d, n * 4);\n" + fill +
                         "\ncudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice); k<<<n, 32>>>(d, n);",
                     "void put(int* to) { to[0] = 3; }\nvoid get(const int* from) {}\n")
          .launch.arguments[0]
          .contents;
    };
    using Kind = BufferContents::Kind;
    const std::string all = "for (int i = 0; i < n; ++i) ";
    const std::string zeros = all + "h[i] = 0; ";
    CHECK(contents(zeros + "get(h);").kind == Kind::zero);
    for (const std::string fill :
         {"h[0] = 0; for (int i = 1; i < n; ++i) h[i] = h[i - 1] + 7;",
          "for (int i = 1; i < n; ++i) h[i] = 0;", "for (int i = 0; i < n / 2; ++i) h[i] = 0;",
          "for (int i = 0; i < n; i += 2) h[i] = 0;"})
      CHECK_MESSAGE(contents(fill).kind == Kind::unknown, fill);
    for (const std::string statement :
         {"if (i % 2) h[i] = 1; else h[i] = 0;", "{ if (i > 3) continue; h[i] = 0; }", "h[i / 2] = 0;",
          "h[i] = rand() % 100 + 1;", "h[i] = 100.0f * rand() / RAND_MAX;", "h[i] = rand() / RAND_MAX;"})
      CHECK_MESSAGE(contents(all + statement).kind == Kind::unknown, statement);
    for (const std::string then : {"h[3] = 1;", "h[3] += 2;", "put(h);", "elsewhere(h);", "int* g = h + 1;",
                                   "for (int i = 0; i < n; ++i) ++h[i];", "if (n > 3) memset(h, 0, n * 4);"})
      CHECK_MESSAGE(contents(zeros + then).kind == Kind::unknown, then);
    CHECK(contents("if (n > 3) { " + zeros + "}").kind == Kind::unknown);
    const BufferContents rows =
        contents("for (int i = 0; i < n / 2; ++i) for (int j = 0; j < 2; ++j) h[2 * i + j] = rand() % 10;");
    CHECK(rows.kind == Kind::whole);
    CHECK(rows.is_guess);
  }

  TEST_CASE("a launch through a pointer is one of each kernel that the pointer is given") {
    CHECK(in_main("int n = 5; float* d; void (*f)(float*, int); f = &k; f<<<n, 32>>>(d, n);").grid() ==
          "n, 1, 1");
  }

  TEST_CASE("a launch of another namespace's kernel is none") {
    const std::string kernels =
        "namespace a { __global__ void k(float* p, int n) {} }\nnamespace b { __global__ void k(float* p, "
        "int n) "
        "{}\n void go(float* p) { k<<<2, 32>>>(p, 2); } }\n";
    CHECK(Launched(kernels + "int main() { b::k<<<3, 32>>>(0, 3); a::k<<<1, 32>>>(0, 1); }").grid() ==
          "1, 1, 1");
    CHECK(Launched(kernels + "namespace c = a; int main() { c::k<<<5, 32>>>(0, 1); }").grid() == "5, 1, 1");
  }

  TEST_CASE("a number that a template has under a condition stands for the condition's variable") {
    const Launched found(
        "template <int B> __global__ void k(float* p) {}\n"
        "void go(float* p, int b) { if (b == 16) { k<16><<<1, b>>>(p); } }\n");
    REQUIRE(found.launch.equalities.size() == 1);
    CHECK(found.text(found.launch.equalities[0].first) == "b");
    CHECK(found.launch.equalities[0].second.is(16));
  }

  TEST_CASE("programs that call in a circle or are cut anywhere are read to their end") {
    const std::string text =
        "__global__ void k(float* p, int n) {}\nvoid a(float* p, int n);\n"
        "void b(float* p, int n) { a(p, n - 1); }\n"
        "void a(float* p, int n) { int m = m + n; b(p, m); k<<<up(m), dim3(n, m)>>>(p + n, f(n)); }\n"
        "int up(int x) { return up(x); }\nint main() { float* p = p; cudaMalloc(&p, sizeof(p[0]) * up(3)); "
        "a(p, 3); }\n";
    for (std::size_t length = 0; length <= text.size(); ++length) {
      const Program program(
          {"k.cu", text.substr(0, length)},
          [](const std::string&, bool, const std::string&) { return std::optional<ProgramFile>(); });
      HostCode host(program);
      for (const ProgramFunction& function : program.functions())
        if (function.is_kernel) launches_of(host, function);
    }
  }
}
