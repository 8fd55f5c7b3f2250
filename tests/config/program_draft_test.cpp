// What a program says of the arguments that it passes: fields, members, buffers, references.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/config/drafted.hpp"

using namespace config;
using config_test::copy_kernel;
using config_test::draft_of;
using config_test::Drafted;
using config_test::drafted;
using config_test::program_of;
using config_test::spec_of;

TEST_SUITE("config::draft_spec of what the program says of arguments") {
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
    SUBCASE("what it calls may be a template, and what it names itself is no macro") {
      const std::string with_template =
          "#define HALF 0.5f\ntemplate <class T> T half_of(T x) { return x / 2; }\n"
          "void k_cpu(float* out, const float* in, int n) {\n"
          "  const double HALF = 0.5; for (int i = 0; i < n; ++i) out[i] = HALF * half_of(in[i]); }\n";
      const std::string text = draft_of(program_of(copy_kernel, launch, with_template)).reference;
      CAPTURE(text);
      CHECK(text.find("template < class T > static __device__ T half_of(T x)") != std::string::npos);
      CHECK(text.find("#define HALF") == std::string::npos);
    }
    SUBCASE("one that calls a specialised template is none") {
      const std::string specialised =
          "template <int D> float half_of(float x);\n"
          "template <> float half_of<3>(float x) { return x / 2; }\n"
          "void k_cpu(float* out, const float* in, int n) { out[n] = half_of<3>(in[n]); }\n";
      CHECK(draft_of(program_of(copy_kernel, launch, specialised)).reference.empty());
    }
    SUBCASE("a size whose type a template gives has the type that the launch gives") {
      const std::string of_type =
          "template <class T> __global__ void k(float* d, const float* e, T N) {\n"
          "  d[blockIdx.x * blockDim.x + threadIdx.x] = e[N - 1]; }\n";
      const std::string text =
          draft_of(program_of(of_type,
                              "float *h_d = (float*)malloc(n * 4), *h_e = (float*)malloc(n * 4);\n"
                              "  k_cpu(h_d, h_e, n);\n  k<int><<<n / 64, 64>>>(d, e, n);",
                              before))
              .reference;
      CHECK_MESSAGE(text.find("const float* e, int N)") != std::string::npos, text);
    }
    SUBCASE("one that only fills a buffer is none") {
      const std::string fills =
          "void k_cpu(float* out, float x, int n) { for (int i = 0; i < n; ++i) out[i] = x; }\n";
      const std::string call = "float* h_d = (float*)malloc(n * 4);\n  k_cpu(h_d, 1.0f, n);\n";
      CHECK(
          draft_of(program_of(copy_kernel, call + "  k<<<n / 64, 64>>>(d, e, n);", fills)).reference.empty());
    }
    SUBCASE("buffers of the host are those that are copied, not those that some call has beside them") {
      const std::string adds =
          "__global__ void k(float* d, const float* e, const float* f, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i] = e[i] - f[i]; }\n"
          "void k_cpu(float* out, const float* in, const float* less, int n) {\n"
          "  for (int i = 0; i < n; ++i) out[i] = in[i] - less[i]; }\n";
      const auto arguments = [&](const std::string& copies) {
        return draft_of(
                   adds +
                   "int main() { int n = 4096; float *p, *q, *r; cudaMalloc(&p, n * 4);\n"
                   "  cudaMalloc(&q, n * 4); cudaMalloc(&r, n * 4);\n"
                   "  float *a = load(n), *b = load(n), *c = load(n);\n  show(a, q, r); show(b, q, p);\n" +
                   copies +
                   "  cudaMemcpy(c, p, n * 4, cudaMemcpyDeviceToHost);\n"
                   "  k_cpu(c, a, b, n);\n  k<<<n / 64, 64>>>(p, q, r, n);\n}\n")
            .reference;
      };
      const std::string copies =
          "  cudaMemcpy(q, a, n * 4, cudaMemcpyHostToDevice);\n"
          "  cudaMemcpy(r, b, n * 4, cudaMemcpyHostToDevice);\n";
      const std::string text = arguments(copies);
      CHECK_MESSAGE(text.find("k_cpu(d_expected, e, f, N);") != std::string::npos, text);
      CHECK(arguments("").empty());
    }
    SUBCASE("a call that takes both buffers pairs them where it compares them, and an assignment does") {
      const auto of_pairing = [&](const std::string& pairing) {
        return draft_of(program_of(copy_kernel,
                                   "float *a = load(n), *b = load(n); cudaMemcpy(a, d, n * 4, toHost);\n  " +
                                       pairing + " k_cpu(a, b, n);\n  k<<<n / 64, 64>>>(d, e, n);",
                                   before))
            .reference;
      };
      CHECK_FALSE(of_pairing("check_result(b, e, n);").empty());
      CHECK_FALSE(of_pairing("e = b;").empty());
      CHECK(of_pairing("train(b, e, n);").empty());
    }
    SUBCASE("it may take buffers as rows of one width") {
      const std::string rows =
          "#define WIDTH 32\nvoid k_cpu(float (*out)[WIDTH], const float in[][WIDTH], int n) {\n"
          "  for (int i = 0; i < n / 32; ++i) for (int j = 0; j < 32; ++j) out[i][j] = in[i][j]; }\n";
      const std::string cast = "float *h_d = (float*)malloc(n * 4), *h_e = (float*)malloc(n * 4);\n";
      const std::string by_rows =
          cast + "  k_cpu((float (*)[WIDTH])h_d, (float (*)[WIDTH])h_e, n);\n  k<<<n / 64, 64>>>(d, e, n);";
      const std::string text = draft_of(program_of(copy_kernel, by_rows, rows)).reference;
      CAPTURE(text);
      CHECK(text.find("#define WIDTH 32\n") != std::string::npos);
      CHECK(text.find("void k_cpu(double (*out)[WIDTH], const float (*in)[WIDTH], int n)") !=
            std::string::npos);
      CHECK(text.find("k_cpu((double (*)[WIDTH])d_expected, (const float (*)[WIDTH])e, N);") !=
            std::string::npos);
    }
    SUBCASE("whole numbers are equal to what their type keeps, but for a few that rounding may tip") {
      const auto of_bytes = [](const std::string& expression) {
        const std::string body = " = " + expression + "; }\n";
        return drafted(
            "__global__ void k(unsigned char* d, const unsigned char* e, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i]" +
            body + "void k_cpu(unsigned char* d, const unsigned char* e, int n) {\n" +
            "  for (int i = 0; i < n; ++i) d[i]" + body +
            "int main() { int n = 4096; unsigned char *d, *e; cudaMalloc(&d, n); cudaMalloc(&e, n);\n"
            "  unsigned char *h_d = (unsigned char*)malloc(n), *h_e = (unsigned char*)malloc(n);\n"
            "  k<<<n / 64, 64>>>(d, e, n); k_cpu(h_d, h_e, n);\n}\n");
      };
      const Drafted wraps = of_bytes("3 * e[i]");
      CHECK(wraps.draft.reference.find("  keep_whole<unsigned char>(d_expected, 1LL * N);\n") !=
            std::string::npos);
      CHECK(wraps.draft.spec.find("rounding_terms = \"0\"") != std::string::npos);
      CHECK(spec_of(wraps).verify->tolerance == tuner::model::Tolerance{});
      CHECK_FALSE(spec_of(wraps).arguments.front().tolerance);
      CHECK_FALSE(wraps.asks("how exact are results?"));
      const Drafted rounds = of_bytes("0.3f * e[i]");
      CHECK(spec_of(rounds).arguments.front().tolerance == tuner::model::Tolerance{.share = 0.01});
      CHECK(rounds.asks("how exact are results?"));
    }
    SUBCASE("each output has the tolerance of its own type") {
      const std::string kernel =
          "__global__ void k(float* d, __half* h, double* g, const float* e, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { d[i] = e[i]; h[i] = e[i]; g[i] = "
          "e[i]; } }\n"
          "void k_cpu(float* d, __half* h, double* g, const float* e, int n) {\n"
          "  for (int i = 0; i < n; ++i) { d[i] = e[i]; h[i] = e[i]; g[i] = e[i]; } }\n";
      const Drafted mixed =
          drafted(program_of(kernel,
                             "__half *h, *h_h; double *g, *h_g; float *h_d, *h_e; cudaMalloc(&h, n * 2); "
                             "cudaMalloc(&g, n * 8);\n"
                             "  k_cpu(h_d, h_h, h_g, h_e, n);\n  k<<<n / 64, 64>>>(d, h, g, e, n);"));
      const auto relative = [&](std::size_t i) { return spec_of(mixed).arguments[i].tolerance->relative; };
      REQUIRE(spec_of(mixed).verify);
      CHECK(relative(0) == 1e-4);
      CHECK(relative(1) == 0.02);
      CHECK(relative(2) == 1e-9);
    }
    SUBCASE("one that leaves out a result is none") {
      const std::string reads =
          "void k_cpu(const float* out, const float* in, int n) { n = out[0] + in[0]; }\n";
      const SpecDraft draft = draft_of(program_of(copy_kernel, launch, reads));
      CHECK(draft.reference.empty());
      CHECK(draft.spec.find("verify = \"none\"") != std::string::npos);
    }
  }

  TEST_CASE("of several functions of the CPU the one that is called like the kernel is the reference") {
    const auto cpu = [](const std::string& name, const std::string& times) {
      return "void " + name +
             "(float* out, const float* in, int n) {\n  for (int i = 0; i < n; ++i) out[i] = " + times +
             " * in[i]; }\n";
    };
    const auto draft = [](const std::string& functions, const std::string& calls) {
      return drafted(program_of(copy_kernel,
                                "float *h_d = (float*)malloc(n * 4), *h_e = (float*)malloc(n * 4);\n  " +
                                    calls + "\n  k<<<n / 64, 64>>>(d, e, n);",
                                functions));
    };
    const Drafted named =
        draft(cpu("first_cpu", "2") + cpu("k_cpu", "3"), "first_cpu(h_d, h_e, n); k_cpu(h_d, h_e, n);");
    CHECK(named.draft.reference.find("k_cpu(d_expected, e, N);") != std::string::npos);
    CHECK(named.asks("is k_cpu of line 3 right? first_cpu of line 1 takes the same buffers"));
    const Drafted open =
        draft(cpu("first", "2") + cpu("second", "3"), "first(h_d, h_e, n); second(h_d, h_e, n);");
    CHECK(open.draft.reference.empty());
    CHECK(open.asks("which of first of line 1 and second of line 3 computes what k does?"));
    const Drafted twice = draft(cpu("k_cpu", "3"), "k_cpu(h_d, h_e, n / 2); k_cpu(h_d, h_e, n);");
    CHECK(twice.draft.reference.empty());
    CHECK(twice.asks("k_cpu of line 1 is called with several arguments"));
    CHECK_FALSE(draft(cpu("k_cpu", "3"), "k_cpu(h_d, h_e, n); k_cpu(h_d, h_e, n);").draft.reference.empty());
  }

  TEST_CASE("a function of the CPU that is called like another kernel is no reference") {
    const std::string text =
        "void scale_cpu(float* out, const float* in, int n) { for (int i = 0; i < n; ++i) out[i] = 2 * "
        "in[i]; }\n"
        "__global__ void scale(float* d, const float* e, int n) { d[threadIdx.x] = 2 * e[threadIdx.x]; }\n"
        "__global__ void square(float* d, const float* e, int n) { d[threadIdx.x] = e[n] * e[n]; }\n" +
        program_of(
            "",
            "float *h_d = (float*)malloc(n * 4), *h_e = (float*)malloc(n * 4); scale_cpu(h_d, h_e, n);\n"
            "  scale<<<n / 64, 64>>>(d, e, n); square<<<n / 64, 64>>>(d, e, n);");
    const tuner::source::Program program({"k.cu", text}, [](const std::string&, bool, const std::string&) {
      return std::optional<tuner::source::ProgramFile>();
    });
    const auto reference = [&](const std::string& name) {
      const auto kernel = std::ranges::find(program.functions(), name, &tuner::source::ProgramFunction::name);
      return draft_spec(program, *kernel, {"k.cu", "k_reference.cu"}).reference;
    };
    CHECK_FALSE(reference("scale").empty());
    CHECK(reference("square").empty());
  }

  TEST_CASE("a reference keeps the program's names, or is none") {
    SpecDraft draft;
    const auto asks = [&](const std::string& question) {
      return std::ranges::count(draft.questions, question) > 0;
    };
    const auto reference = [&](const std::string& before, const std::string& cpu) {
      draft = draft_of(program_of(copy_kernel,
                                  "float *h_d = (float*)malloc(n * 4), *h_e = (float*)malloc(n * 4);\n"
                                  "  k_cpu(h_d, h_e, n);\n  k<<<n / 64, 64>>>(d, e, n);",
                                  before + cpu));
      return draft.reference;
    };
    const std::string head =
        "k_cpu(float* out, const float* in, int n) { for (int i = 0; i < n; ++i) out[i] = ";
    const auto has = [](const std::string& text, const std::string& part) {
      CHECK_MESSAGE(text.find(part) != std::string::npos, text);
    };
    const std::string half =
        reference("",
                  "int k_cpu(float* out, const float* in, int n) { int half = n / 2; half t = 1;\n"
                  "  out[half] = in[n - 1]; return half; }\n");
    has(half, "static __device__ int k_cpu(");
    has(half, "int half = n / 2;");
    has(half, "return half;");
    // What a size is called may be a macro too.
    const std::string macro = reference("#define N 4096\n", "void " + head + "in[i] + n - N; }\n");
    has(macro, "#define N 4096\n");
    CHECK(macro.find("#undef N\n") < macro.find("extern \"C\""));
    CHECK(asks("N: k_cpu of line 2 has the macro of this name, which is the same for all sizes"));
    const std::string size =
        draft_of(
            "#define N 4096\nvoid k_cpu(float* out, const float* in) { for (int i = 0; i < N; ++i) out[i] = "
            "in[i]; }\n" +
            copy_kernel +
            "int main() { float *h_d = load(N), *h_e = load(N), *d, *e; k_cpu(h_d, h_e);\n"
            "  cudaMalloc(&d, N * 4); cudaMalloc(&e, N * 4); k<<<N / 64, 64>>>(d, e, N); }\n")
            .reference;
    has(size, "static __device__ int N;\n");
    has(size, "  ::N = N;\n  k_cpu(d_expected, e);\n");
    has(reference("enum { zero, shift = 4, next };\n", "void " + head + "in[i] + next; }\n"),
        "static constexpr int next = 4 + 1;\n");
    has(reference("const float weights[2] = {0.5f, 2};\n", "void " + head + "in[i] * weights[i % 2]; }\n"),
        "static __device__ const double weights[2] = {0.5, 2};\n");
    CHECK(reference("int calls = 0;\n", "void " + head + "in[i] + calls; }\n").empty());
    CHECK(reference("struct Pair { float a, b; };\n",
                    "void " + head + "in[i]; Pair p; p.a = 1; out[0] = p.a; }\n")
              .empty());
  }

  TEST_CASE("a quotient of integers is a guess where a spec keeps its rest") {
    const auto draft = [](const std::string& scale) {
      return drafted(
          program_of("__global__ void k(float* d, const float* e, float s, int n) {\n"
                     "  int i = threadIdx.x; if (i < n) d[i] = s * e[i]; }\n",
                     "float s = " + scale + "; k<<<n / 64, 64>>>(d, e, s, n);"));
    };
    CHECK(draft("n / 3.0f").draft.spec.find("value = \"N / 3.0\"\n") != std::string::npos);
    const Drafted whole = draft("n / 3");
    CHECK(whole.draft.spec.find("value = \"N / 3\"  # ?\n") != std::string::npos);
    CHECK(whole.asks("s: is N / 3 right? The program drops the rest of a quotient, and a spec keeps it"));
  }

  TEST_CASE("a size that the program changes before the launch is asked for") {
    const Drafted result = drafted(
        "__global__ void k(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] "
        "= 1; "
        "}\n"
        "int main() {\n  int n = 3000, m = 1;\n  while (m < n) m *= 2;\n  float* a;\n"
        "  cudaMalloc(&a, m * sizeof(float));\n  k<<<(m + 255) / 256, 256>>>(a, m); }\n");
    CHECK(spec_of(result).arguments[0].extent.front().text == "N");
    CHECK(spec_of(result).steps.front().grid.front().text == "ceil_div(N, BLOCK_SIZE)");
    CHECK(result.draft.sizes.empty());
    CHECK(result.asks(
        "N: line 4 changes `m` before the launch: how large is it, and does it follow from others?"));
    CHECK(result.draft.spec.find("# ? N: line 4 changes `m`") != std::string::npos);
  }

  TEST_CASE("what a host buffer may hold in part is marked as a guess") {
    const auto line = [](const std::string& fill) {
      const std::string spec =
          draft_of(program_of("__global__ void k(float* d, const int* e, int n) {\n"
                              "  int i = threadIdx.x; if (i < n) d[i] = e[i]; }\n",
                              "int* h = (int*)malloc(n * 4); " + fill +
                                  "\n  cudaMemcpy(e, h, 2 * n * 4, cudaMemcpyHostToDevice);\n"
                                  "  k<<<n / 64, 64>>>(d, e, n);"))
              .spec;
      const std::size_t at = spec.find("init = ");
      return spec.substr(at, spec.find('\n', at) - at);
    };
    CHECK(line("for (int i = 0; i < 2 * n; ++i) h[i] = rand() % 9;") == "init = \"integers(0, 8)\"");
    CHECK(line("for (int i = 0; i < n; ++i) h[i] = rand() % 9;") == "init = \"integers(0, 8)\"  # ?");
    CHECK(line("h[0] = 0; for (int i = 1; i < n; ++i) h[i] = h[i - 1] + 7;").ends_with("  # ?"));
  }

  TEST_CASE("sizes that only the contents of buffers know are taken as they are") {
    const Drafted result = drafted(
        "__global__ void k(int rows, const int* begin, const int* column, const float* a, const float* x, "
        "float* "
        "y) {\n"
        "  int row = blockIdx.x * blockDim.x + threadIdx.x; if (row >= rows) return;\n"
        "  float sum = 0; for (int j = begin[row]; j < begin[row + 1]; ++j) sum += a[j] * x[column[j]];\n"
        "  y[row] = sum; }\n"
        "void run(int rows, int columns, int entries) { int *b, *c; float *a, *x, *y;\n"
        "  cudaMalloc(&b, (rows + 1) * 4); cudaMalloc(&c, entries * 4); cudaMalloc(&a, entries * 4);\n"
        "  cudaMalloc(&x, columns * 4); cudaMalloc(&y, rows * 4);\n"
        "  k<<<(rows + 63) / 64, 64>>>(rows, b, c, a, x, y); }\n");
    CHECK(result.draft.spec.find("init = \"sorted(0, ENTRIES)\"  # ?\n") != std::string::npos);
    CHECK(result.draft.spec.find("init = \"integers(0, COLUMNS - 1)\"  # ?\n") != std::string::npos);
    CHECK_FALSE(result.asks("how many elements has it?"));
  }

  TEST_CASE("indices of a buffer of so many numbers are below that number") {
    const Drafted result = drafted(
        "__global__ void k(const int* which, const float* table, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = table[which[i]]; }\n"
        "void run(int n) { int* w; float *t, *y;\n"
        "  cudaMalloc(&w, n * 4); cudaMalloc(&t, 256 * sizeof(float)); cudaMalloc(&y, n * sizeof(float));\n"
        "  k<<<(n + 63) / 64, 64>>>(w, t, y, n); }\n");
    CHECK(result.draft.spec.find("init = \"integers(0, 255)\"  # ?\n") != std::string::npos);
  }

  TEST_CASE("a pointer to arrays leads to as many elements as were allocated, or as rows and indices say") {
    const std::string kernel =
        "#define WIDTH 32\n__global__ void k(float (*d)[WIDTH], const float e[][WIDTH], int rows) {\n"
        "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (r < rows) for (int j = 0; j < WIDTH; ++j) d[r][j] = e[r][j]; }\n";
    const auto extents = [](const std::string& source) {
      std::string text;
      const Drafted result = drafted(source);
      for (const auto& one : spec_of(result).arguments.front().extent) text += one.text + ";";
      return text;
    };
    CHECK(extents(kernel) == "ROWS;32;");
    CHECK(extents(kernel +
                  "int main() { int rows = 1000; float (*d)[WIDTH], (*e)[WIDTH];\n"
                  "  cudaMalloc(&d, 2 * rows * WIDTH * sizeof(float)); cudaMalloc(&e, rows * WIDTH * 4);\n"
                  "  k<<<(rows + 63) / 64, 64>>>(d, e, rows); }\n") == "64;ROWS;");
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
        "cudaSurfaceObject_t result, float* y, int m, int n) {\n"
        "  y[n] = m; }");
    CHECK(draft.spec.find(
              "name = \"map\"\ntype = \"CUtensorMap\"\ntensor = \"?\"\nshape = [\"N\", \"M\"]  # ?\n"
              "box = [\"N\", \"M\"]  # ?\n") != std::string::npos);
    CHECK(
        draft.spec.find("type = \"cudaTextureObject_t\"\ntexture = \"?\"\nshape = [\"N\", \"M\"]  # ?\n\n") !=
        std::string::npos);
    CHECK(
        draft.spec.find("type = \"cudaSurfaceObject_t\"\nsurface = \"?\"\nshape = [\"N\", \"M\"]  # ?\n\n") !=
        std::string::npos);
    CHECK(std::count_if(draft.questions.begin(), draft.questions.end(), [](const std::string& question) {
            return question.find("over which buffer?") != std::string::npos;
          }) == 3);
  }
}
