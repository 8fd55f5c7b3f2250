#include "tuner/compile/nvcc/nvcc_compiler.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/compile/nvcc_jobs.hpp"
#include "tests/support/variable.hpp"
#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/util/files.hpp"

using tuner::model::Compilation;
using tuner::model::CompileJob;
using tuner::model::TrialStatus;
using tuner::test::nvcc_compiler;
using tuner::test::nvcc_job;
using tuner::test::Variable;

namespace {

bool mentions(const Compilation& compilation, const std::string& text) {
  return compilation.log.find(text) != std::string::npos;
}

const char* const with_host_code = R"(#include <iostream>
#include <vector>
#include <map>
template <typename T, int N> __global__ void __launch_bounds__(N) tile(T* p) { p[threadIdx.x] *= N; }
namespace deep { static __global__ void hidden(int* p) { *p = SCALE; } }
namespace { template <int N> __global__ void unnamed(int* p) { *p = N; } }
extern "C" __global__ void c_name(float* p, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x] + n;
}
int main() {
  std::vector<float> host(64);
  c_name<<<1, 64>>>(nullptr, 3);
  std::cout << host.size() << "\n";
}
)";

}  // namespace

TEST_SUITE_BEGIN("tuner::compile::nvcc::NvccCompiler");

TEST_CASE("a source with code for the host becomes a cubin, whatever kind of name its kernels have") {
  CompileJob job = nvcc_job(with_host_code, {"tile<float, 64>", "deep::hidden", "unnamed<3>", "c_name",
                                             "tile<TYPE, SCALE>", "c_name"});
  job.macros = {{"SCALE", "128"}, {"TYPE", "unsigned long long"}};
  const Compilation compilation = nvcc_compiler().compile(job);
  REQUIRE_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
  REQUIRE(compilation.kernels.size() == 6);
  CHECK(compilation.kernels[0].symbol == "_Z4tileIfLi64EEvPT_");
  CHECK(compilation.kernels[0].max_threads_per_block == 64);
  CHECK(compilation.kernels[1].symbol == "_ZN4deep6hiddenEPi");
  CHECK(compilation.kernels[2].symbol.find("7unnamedILi3EEEvPi") != std::string::npos);
  CHECK(compilation.kernels[3].symbol == "c_name");
  CHECK(compilation.kernels[3].static_shared_bytes == 256);
  CHECK(compilation.kernels[4].symbol == "_Z4tileIyLi128EEvPT_");
  CHECK(compilation.kernels[4].max_threads_per_block == 128);
  CHECK(compilation.kernels[5].symbol == "c_name");
  CHECK(compilation.log.empty());
  CHECK(compilation.binary.size() > 64);
}

TEST_CASE("parameters of one compound type, which a mangled name abbreviates, hide no kernel") {
  const CompileJob job = nvcc_job(R"(#include <vector>
struct Pair { float a, b; };
__global__ void two(float* x, float* y, int n) { x[0] = y[0] + n; }
template <typename T> __global__ void tile(const T* x, T* y, const T* z) { y[0] = x[0] + z[0]; }
namespace deep { __global__ void pairs(Pair* x, Pair* y, const Pair* z) { x[0].a = y[0].b + z[0].a; } }
int main() { two<<<1, 1>>>(nullptr, nullptr, 0); })",
                                  {"two", "tile<float>", "deep::pairs"});
  const Compilation compilation = nvcc_compiler().compile(job);
  REQUIRE_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
  CHECK(compilation.kernels[0].symbol == "_Z3twoPfS_i");
  CHECK(compilation.kernels[1].symbol == "_Z4tileIfEvPKT_PS0_S2_");
  CHECK(compilation.kernels[2].symbol == "_ZN4deep5pairsEP4PairS1_PKS0_");
}

TEST_CASE("an overload is named by its parameters, beside kernels and functions of the host of its name") {
  CompileJob job = nvcc_job(
      R"(#include <vector>
__global__ void three(float* x, int n) { x[0] = n; }
void three(std::vector<float>& values, int n) { values[0] = n; }
__global__ void three(float* x, const float* __restrict__ y) { x[0] = y[0]; }
template <typename T> __global__ void tile(T* x, int n) { x[0] = n; }
template <typename T> __global__ void tile(T* x, T* y) { x[0] = y[0]; })",
      {"three(float* x, int n)", "three(float*, const float* __restrict__ y)", "tile<int>(int*, int*)"});
  const Compilation compilation = nvcc_compiler().compile(job);
  REQUIRE_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
  CHECK(compilation.kernels[0].symbol == "_Z5threePfi");
  CHECK(compilation.kernels[1].symbol == "_Z5threePfPKf");
  CHECK(compilation.kernels[2].symbol == "_Z4tileIiEvPT_S1_");
  job.entries = {"three"};
  const Compilation unclear = nvcc_compiler().compile(job);
  CHECK(unclear.status == TrialStatus::compile_error);
  CHECK_MESSAGE(mentions(unclear,
                         "entry 'three' is the name of several functions; say which by its "
                         "parameters: entry = \"three(float*, int)\""),
                unclear.log);
}

TEST_CASE("a source of an older C++ is compiled as it asks") {
  CompileJob job = nvcc_job(
      "#if __cplusplus != 201103L\n#error not C++11\n#endif\n__global__ void kernel(int* p, int* q) { *p = "
      "*q; }\n");
  job.options = {"-std=c++11"};
  const Compilation compilation = nvcc_compiler().compile(job);
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("a kernel has the registers that NVRTC gives it") {
  CompileJob job = nvcc_job(R"(
__constant__ float table[100];
extern "C" __global__ void __launch_bounds__(128) kernel(float* p) {
  float sum = 0;
  for (int i = 0; i < 100; ++i) sum += table[i] * p[i * 128 + threadIdx.x];
  p[threadIdx.x] = sum;
})");
  const Compilation by_nvcc = nvcc_compiler().compile(job);
  REQUIRE_MESSAGE(by_nvcc.status == TrialStatus::ok, by_nvcc.log);
  const auto by_nvrtc =
      tuner::compile::nvrtc::NvrtcCompiler(tuner::compile::nvrtc::load_library()).compile(job);
  CHECK(by_nvcc.kernels == by_nvrtc.kernels);
}

TEST_CASE("variables that are filled from outside are found by their addresses, wherever they are") {
  const CompileJob job = nvcc_job(R"(
__constant__ float weights[9];
namespace deep { __device__ int table[4]; }
static __device__ double factor;
extern "C" __global__ void k(float* p) { p[0] = weights[1] + deep::table[2] + factor; })",
                                  {"k", "&weights", "&deep::table", "&factor"});
  const Compilation made = nvcc_compiler().compile(job);
  REQUIRE_MESSAGE(made.status == TrialStatus::ok, made.log);
  REQUIRE(made.kernels.size() == 4);
  CHECK(made.kernels[1].entry == "&weights");
  CHECK(made.kernels[1].symbol == "weights");
  CHECK(made.kernels[2].symbol == "_ZN4deep5tableE");
  // A static variable's name in the binary is nvcc's own.
  const auto* bytes = reinterpret_cast<const char*>(made.binary.data());
  for (const auto& kernel : made.kernels)
    CHECK(std::string_view(bytes, made.binary.size()).find(kernel.symbol) != std::string_view::npos);
}

TEST_CASE("headers of the job are found, and beside them nothing of the machine's that has their name") {
  CompileJob job = nvcc_job(
      "#include \"parts/tile.cuh\"\n#include <wide.cuh>\nextern \"C\" __global__ void "
      "kernel(int* p) { *p = part() + wide; }\n");
  job.source.push_back(
      {"parts/tile.cuh", "#include \"../wide.cuh\"\n__device__ int part() { return wide; }\n"});
  job.source.push_back({"wide.cuh", "#pragma once\nconstexpr int wide = 7;\n"});
  const Compilation compilation = nvcc_compiler().compile(job);
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("a header that is included by two names is there once") {
  CompileJob job = nvcc_job(
      "#include <wide.cuh>\n#include <api/wide.cuh>\nextern \"C\" __global__ void kernel(int* p) { *p = "
      "wide; }\n");
  for (const char* name : {"wide.cuh", "api/wide.cuh"})
    job.source.push_back({name, "#pragma once\nconstexpr int wide = 7;\n"});
  const Compilation compilation = nvcc_compiler().compile(job);
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("a header above the source is found, also where none is beside it") {
  CompileJob job = nvcc_job(
      "#include \"../shared/wide.cuh\"\nextern \"C\" __global__ void kernel(int* p) { *p = "
      "wide; }\n");
  job.source.push_back({"../shared/wide.cuh", "constexpr int wide = 7;\n"});
  const Compilation compilation = nvcc_compiler().compile(job);
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("a mistake is told with file and line, the error first") {
  CompileJob job = nvcc_job(
      "#include <vector>\n__device__ int unused() { int nobody; return 1; }\nextern \"C\" __global__ void "
      "kernel(float* p) {\n  foo;\n}\n");
  job.macros = {{"A", "1"}, {"B", "2"}};
  const Compilation compilation = nvcc_compiler().compile(job);
  CHECK(compilation.status == TrialStatus::compile_error);
  CHECK(compilation.binary.empty());
  CHECK_MESSAGE(compilation.log.starts_with("main.cu(4): error: identifier \"foo\" is undefined"),
                compilation.log);
  CHECK_FALSE(mentions(compilation, "/tmp"));
  CHECK_FALSE(mentions(compilation, "# --error"));
}

TEST_CASE("a warning does not fail, and is kept") {
  const Compilation compilation = nvcc_compiler().compile(
      nvcc_job("extern \"C\" __global__ void kernel(float* p) { int nobody; p[0] = 1; }\n"));
  CHECK(compilation.status == TrialStatus::ok);
  CHECK_MESSAGE(mentions(compilation, "main.cu(1): warning"), compilation.log);
}

TEST_CASE("an entry that is no kernel says so and lists the kernels") {
  const Compilation misspelt = nvcc_compiler().compile(
      nvcc_job("template <int N> __global__ void tile(int* p) { *p = N; }\nint main() {}\n", {"tlie<4>"}));
  CHECK(misspelt.status == TrialStatus::compile_error);
  CHECK_MESSAGE(mentions(misspelt,
                         "entry 'tlie<4>' is not a kernel that the source declares or can "
                         "instantiate: identifier \"tlie\" is undefined; kernels in the source: tile"),
                misspelt.log);
  const Compilation variable = nvcc_compiler().compile(nvcc_job(
      "namespace space { __constant__ int values[2]; }\n__global__ void k(int* p) {}\n", {"k", "&values"}));
  CHECK(variable.status == TrialStatus::compile_error);
  CHECK_MESSAGE(mentions(variable,
                         "symbol 'values' is not a variable that the source declares: identifier "
                         "\"values\" is undefined; its name is 'space::values'"),
                variable.log);
  const Compilation function = nvcc_compiler().compile(nvcc_job(
      "__device__ int twice(int n) { return 2 * n; }\n__global__ void k(int* p) { *p = twice(1); }\n",
      {"twice"}));
  CHECK(function.status == TrialStatus::compile_error);
  CHECK_MESSAGE(mentions(function, "entry 'twice' is not a __global__ function; kernels in the source: k"),
                function.log);
}

TEST_CASE("flags of the environment, which are no part of a binary's identity, are not taken") {
  const Variable before("NVCC_PREPEND_FLAGS", "-DFACTOR=2");
  const Variable behind("NVCC_APPEND_FLAGS", "-DFACTOR=2");
  const Compilation compilation = nvcc_compiler().compile(nvcc_job(
      "#ifdef FACTOR\n#error taken\n#endif\nextern \"C\" __global__ void kernel(int* p) { *p = 1; }\n"));
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("headers of CPATH, which are no part of a binary's identity, are not found") {
  const tuner::util::TemporaryFolder folder;
  folder.write("outside.h", "#define FACTOR 2\n");
  const Variable path("CPATH", folder.path().c_str());
  const Compilation compilation = nvcc_compiler().compile(
      nvcc_job("#include <outside.h>\nextern \"C\" __global__ void kernel(int* p) { *p *= FACTOR; }\n"));
  CHECK(compilation.status == TrialStatus::compile_error);
  CHECK_MESSAGE(mentions(compilation, "outside.h"), compilation.log);
}

TEST_CASE("more than 48 KB of static shared memory is unlaunchable, with both numbers") {
  const Compilation compilation = nvcc_compiler().compile(
      nvcc_job("extern \"C\" __global__ void kernel(float* p) {\n  __shared__ float s[20000];\n"
               "  s[threadIdx.x] = p[0]; __syncthreads(); p[1] = s[threadIdx.x ^ 1];\n}\n"));
  CHECK(compilation.status == TrialStatus::unlaunchable);
  CHECK(mentions(compilation, "80000"));
  CHECK(mentions(compilation, "49152"));
}

TEST_CASE("an architecture's own features are there for the source that needs or asks for them") {
  const Compilation needs = nvcc_compiler().compile(
      nvcc_job("extern \"C\" __global__ void kernel() { asm volatile(\"wgmma.fence.sync.aligned;\"); }\n"));
  CHECK_MESSAGE(needs.status == TrialStatus::ok, needs.log);
  const Compilation asks = nvcc_compiler().compile(
      nvcc_job("extern \"C\" __global__ void kernel(int* p) {\n#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n  "
               "__shared__ int s[100]; s[threadIdx.x] = *p; __syncthreads(); *p = s[5];\n#endif\n}\n"));
  REQUIRE_MESSAGE(asks.status == TrialStatus::ok, asks.log);
  CHECK(asks.kernels[0].static_shared_bytes == 400);
}

TEST_CASE("options are nvcc's own; what runs programs, names files or makes something else is refused") {
  const char* const text =
      "#ifndef WIDE\n#error no width\n#endif\n"
      "extern \"C\" __global__ void kernel(float* p) { auto f = [] __device__ (float x) "
      "{ return x / 3 * WIDE; }; *p = f(*p); }\n";
  CompileJob job = nvcc_job(text);
  job.options = {"--extended-lambda", "-DWIDE=4",   "-O3",      "--use_fast_math",
                 "-Xptxas=-O2",       "-Xcompiler", "-fopenmp", "-lineinfo"};
  const Compilation compilation = nvcc_compiler().compile(job);
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);

  const tuner::util::TemporaryFolder folder;
  const std::string mark = (folder.path() / "mark").string();
  for (const std::string& option :
       {std::string("-arch=sm_80"), std::string("-gencode=arch=compute_80,code=sm_80"),
        std::string("-rdc=true"), std::string("-ptx"), "-o=" + mark, "-DX=$(touch " + mark + ")",
        "-DX=`touch " + mark + "`", std::string("-ccbin=/bin/true"), "-Xcompiler=-wrapper," + mark,
        "-Xptxas=-o," + mark, "-include=" + mark}) {
    CAPTURE(option);
    job.options = {"-DWIDE=4", option};
    const Compilation refused = nvcc_compiler().compile(job);
    CHECK(refused.status == TrialStatus::compile_error);
    CHECK_MESSAGE(refused.log.starts_with("compile option '" + option + "' cannot be used: "), refused.log);
  }
  CHECK_FALSE(std::filesystem::exists(mark));
}

TEST_CASE("macros reach the source as they are, whatever a shell would make of them") {
  CompileJob job = nvcc_job(
      "static_assert(sizeof(TEXT) == 17);\nextern \"C\" __global__ void kernel(PAIR<4, 2>* p) "
      "{ p->v = 1; }\n");
  job.source[0].text.insert(0, "template <int A, int B> struct Pair { int v; };\n#line 1\n");
  job.macros = {{"PAIR", "Pair"}, {"TEXT", "\"$(false) `false`\""}};
  const Compilation compilation = nvcc_compiler().compile(job);
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("nothing stays behind in the temporary folder") {
  const tuner::util::TemporaryFolder folder;
  const Variable temporary("TMPDIR", folder.path().string());
  nvcc_compiler().compile(nvcc_job("extern \"C\" __global__ void kernel() {}\n"));
  nvcc_compiler().compile(nvcc_job("nonsense\n"));
  std::string left;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path()))
    left += file.path().string() + "\n";
  CHECK(left == "");
}

TEST_CASE("where there is no nvcc of the release, the error says where it was looked for and what to do") {
  const auto error_of = [](const std::string& release) {
    try {
      tuner::compile::nvcc::NvccCompiler compiler(release);
    } catch (const tuner::model::Error& error) {
      return std::string(error.what()) + " | " + error.hint();
    }
    return std::string("found");
  };
  const std::string other = error_of("1.2");
  CHECK(other.find("nvcc 1.2 was not found; a spec asks for it with compiler = \"nvcc\"") == 0);
  CHECK(other.find(": is 1") != std::string::npos);
  CHECK(other.find("set TUNER_NVCC, or TUNER_NVRTC, to the other's") != std::string::npos);
  const Variable asked_for("TUNER_NVCC", "/nowhere/nvcc");
  CHECK(error_of("13.0").find("Looked for:\n  /nowhere/nvcc | install the CUDA toolkit") !=
        std::string::npos);
}

TEST_SUITE_END();
