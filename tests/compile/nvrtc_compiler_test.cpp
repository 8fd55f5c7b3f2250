#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/compile/nvrtc_jobs.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/error.hpp"

using tuner::model::Compilation;
using tuner::model::CompileJob;
using tuner::model::TrialStatus;
using tuner::test::cuda_job;
using tuner::test::kernel_of;
using tuner::test::real_compiler;

namespace {

bool mentions(const Compilation& compilation, const std::string& text) {
  return compilation.log.find(text) != std::string::npos;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::compile::nvrtc::NvrtcCompiler");

TEST_CASE("a kernel becomes a cubin with its resources") {
  const Compilation compilation = real_compiler().compile(cuda_job(R"(
__constant__ float table[100];
extern "C" __global__ void __launch_bounds__(256) kernel(float* p) {
  __shared__ float tile[512];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x ^ 1] * table[threadIdx.x % 100];
}
)"));
  REQUIRE_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
  REQUIRE(compilation.binary.size() > 64);
  CHECK(std::memcmp(compilation.binary.data(),
                    "\x7f"
                    "ELF",
                    4) == 0);
  REQUIRE(compilation.kernels.size() == 1);
  const auto& kernel = compilation.kernels[0];
  CHECK(kernel.symbol == "kernel");
  CHECK(kernel.registers >= 4);
  CHECK(kernel.registers <= 40);
  CHECK(kernel.static_shared_bytes == 2048);
  CHECK(kernel.constant_bytes >= 400);
  CHECK(kernel.constant_bytes < 600);
  CHECK(kernel.max_threads_per_block == 256);
  CHECK(kernel.spill_store_bytes == 0);
  CHECK(kernel.stack_bytes == 0);
  CHECK(compilation.compile_ms > 1);
  CHECK_FALSE(compilation.from_cache);
  CHECK(compilation.log.empty());
}

TEST_CASE("variables are found by their names, in namespaces and templates, used or not") {
  const CompileJob job = cuda_job(R"(
namespace space { __constant__ float values[25]; }
template <class T> __device__ T table[3];
extern "C" __global__ void kernel(float* p) { *p = 0; }
)",
                                  {"kernel", "&space::values", "&table<double>"});
  const Compilation compilation = real_compiler().compile(job);
  REQUIRE_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
  REQUIRE(compilation.kernels.size() == 3);
  CHECK(compilation.find("&space::values")->symbol == "_ZN5space6valuesE");
  CHECK(compilation.find("&table<double>")->symbol == "_Z5tableIdE");
}

TEST_CASE("a variable that is misspelt is told as one") {
  const Compilation compilation = real_compiler().compile(
      cuda_job("__constant__ float values[25];\n" + kernel_of(""), {"kernel", "&valeus"}));
  CHECK(compilation.status == TrialStatus::compile_error);
  CHECK(mentions(compilation,
                 "symbol 'valeus' is not a variable that the source declares: error: identifier "
                 "\"valeus\" is undefined"));
}

TEST_CASE("spills and stack show what registers hide") {
  CompileJob job = cuda_job(kernel_of(R"(
  float a[100];
  for (int i = 0; i < 100; ++i) a[i] = p[i * n];
  __syncthreads();
  for (int i = 0; i < 100; ++i) for (int j = 0; j < 100; ++j) a[i] += a[j] * p[i + j];
  for (int i = 0; i < 100; ++i) p[i] = a[i];)"));
  job.options = {"--maxrregcount=32"};
  const Compilation compilation = real_compiler().compile(job);
  REQUIRE_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
  CHECK(compilation.kernels.at(0).registers <= 32);
  CHECK(compilation.kernels[0].spill_store_bytes > 100);
  CHECK(compilation.kernels[0].spill_load_bytes > 100);
  CHECK(compilation.kernels[0].stack_bytes > 100);
}

TEST_CASE("entries may be templates, plain functions or extern C, several at once and repeated") {
  const Compilation compilation =
      real_compiler().compile(cuda_job(R"(
template <int N> __global__ void __launch_bounds__(N) tile(float* p) { p[N] = 1; }
namespace deep { __global__ void plain(int* p) { *p = 1; } }
extern "C" __global__ void c_name(int* p) { *p = 2; }
)",
                                       {"tile<64>", "deep::plain", "c_name", "tile<128>", "c_name"}));
  REQUIRE_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
  REQUIRE(compilation.kernels.size() == 5);
  CHECK(compilation.find("tile<64>")->max_threads_per_block == 64);
  CHECK(compilation.find("tile<128>")->max_threads_per_block == 128);
  CHECK(compilation.find("tile<64>")->symbol != compilation.find("tile<128>")->symbol);
  CHECK(compilation.find("deep::plain")->symbol == "_ZN4deep5plainEPi");
  CHECK(compilation.kernels[4].symbol == "c_name");
}

TEST_CASE("a syntax error gives the log with file and line of the user's source") {
  const Compilation compilation = real_compiler().compile(cuda_job("// one\n" + kernel_of("  foo;")));
  CHECK(compilation.status == TrialStatus::compile_error);
  CHECK(compilation.binary.empty());
  CHECK_MESSAGE(mentions(compilation, "main.cu(3): error: identifier \"foo\" is undefined"), compilation.log);
  CHECK_FALSE(mentions(compilation, "/dev/null"));
}

TEST_CASE("code for the host is told in one line, with the compiler that takes it") {
  const Compilation failed = real_compiler().compile(cuda_job(
      "__global__ void k(int* p) { *p = 1; }\nvoid launch(int* p) { k<<<1, 1>>>(p); }\nint main() {}",
      {"k"}));
  CHECK(failed.status == TrialStatus::compile_error);
  const std::string first = failed.log.substr(0, failed.log.find('\n'));
  CHECK_MESSAGE(first.starts_with("main.cu(2): error: "), first);
  CHECK_MESSAGE(first.ends_with("compiler = \"nvcc\" in [kernel] has nvcc compile it)"), first);
}

TEST_CASE("a failing static_assert is the user's error, with its text") {
  const Compilation compilation =
      real_compiler().compile(cuda_job("static_assert(BLOCK == 8, \"needs eight\");" + kernel_of("")));
  CHECK(compilation.status == TrialStatus::compile_error);
  CompileJob job = cuda_job("static_assert(BLOCK == 8, \"needs eight\");" + kernel_of(""));
  job.macros = {{"BLOCK", "7"}};
  CHECK(mentions(real_compiler().compile(job), "needs eight"));
  job.macros = {{"BLOCK", "8"}};
  CHECK(real_compiler().compile(job).status == TrialStatus::ok);
}

TEST_CASE("an error in inline PTX is a compile error with the assembler's words") {
  const Compilation compilation = real_compiler().compile(cuda_job(kernel_of("asm volatile(\"bogus.x;\");")));
  CHECK(compilation.status == TrialStatus::compile_error);
  CHECK(mentions(compilation, "bogus"));
}

TEST_CASE("more than 48 KB of static shared memory is unlaunchable, with both numbers") {
  CompileJob job = cuda_job(kernel_of(
      "  __shared__ float s[COUNT]; s[threadIdx.x] = p[0]; __syncthreads(); p[1] = s[threadIdx.x ^ 1];"));
  job.macros = {{"COUNT", "20000"}};
  const Compilation compilation = real_compiler().compile(job);
  CHECK(compilation.status == TrialStatus::unlaunchable);
  CHECK(mentions(compilation, "80000"));
  CHECK(mentions(compilation, "49152"));
  job.macros = {{"COUNT", "12288"}};
  const Compilation just = real_compiler().compile(job);
  REQUIRE(just.status == TrialStatus::ok);
  CHECK(just.kernels.at(0).static_shared_bytes == 49152);
}

TEST_CASE("a syntax error beside a large shared array is still a syntax error") {
  const Compilation compilation =
      real_compiler().compile(cuda_job(kernel_of("__shared__ float s[20000]; foo;")));
  CHECK(compilation.status == TrialStatus::compile_error);
}

TEST_CASE("words compare in the preprocessor by their codes") {
  CompileJob job = cuda_job(R"(
#if PARTITION == PARTITION_row
extern "C" __global__ void kernel(int* p) { *p = 1; }
#elif PARTITION == PARTITION_column
extern "C" __global__ void other(int* p) { *p = 1; }
#else
#error neither
#endif
)");
  const auto code = [](const char* word) { return std::to_string(tuner::model::word_code(word)); };
  job.vocabulary = {{"PARTITION_row", code("row")}, {"PARTITION_column", code("column")}};
  job.macros = {{"PARTITION", code("row")}};
  CHECK(real_compiler().compile(job).status == TrialStatus::ok);
  job.macros = {{"PARTITION", code("column")}};
  const Compilation column = real_compiler().compile(job);
  CHECK(column.status == TrialStatus::compile_error);
  CHECK(mentions(column, "entry 'kernel'"));
}

TEST_CASE("an entry that is not there is named, with the kernels that are") {
  const Compilation compilation =
      real_compiler().compile(cuda_job("__global__ void first() {}\n__global__ void second() {}", {"third"}));
  CHECK(compilation.status == TrialStatus::compile_error);
  CHECK_MESSAGE(compilation.log.rfind("entry 'third' is not a kernel", 0) == 0, compilation.log);
  CHECK(mentions(compilation, "kernels in the source: first, second"));
}

TEST_CASE("an entry that cannot be instantiated tells the source's own error, or why it is none") {
  const std::string source =
      "#warning about nothing\n"
      "template <int N> __global__ void k(float* a) {\n"
      "  static_assert(N <= 32, \"tile too large\");\n}\n";
  CHECK(real_compiler()
            .compile(cuda_job(source, {"k<64>"}))
            .log.rfind("main.cu(3): error: static assertion failed with \"tile too large\"", 0) == 0);
  const Compilation compilation = real_compiler().compile(cuda_job(source, {"k<float>"}));
  CHECK_MESSAGE(compilation.log.rfind("entry 'k < float >' is not a kernel", 0) == 0, compilation.log);
  CHECK(mentions(compilation, "error: cannot determine which instance of function template \"k\""));
  CHECK(real_compiler().compile(cuda_job(source, {"k<8>"})).status == TrialStatus::ok);
}

TEST_CASE("an entry that is a function but no kernel is named too") {
  const Compilation compilation = real_compiler().compile(
      cuda_job("__device__ int helper(int x) { return x; }\n__global__ void k() {}", {"helper"}));
  CHECK(compilation.status == TrialStatus::compile_error);
  CHECK(mentions(compilation, "'helper'"));
  CHECK(mentions(compilation, "kernels in the source: k"));
}

TEST_CASE("the features of an architecture alone are chosen where the source needs them, or asks") {
  const CompileJob needs = cuda_job(kernel_of("asm volatile(\"wgmma.fence.sync.aligned;\");"));
  const Compilation compilation = real_compiler().compile(needs);
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
  CompileJob older = needs;
  older.architecture = "sm_80";
  const Compilation refused = real_compiler().compile(older);
  CHECK(refused.status == TrialStatus::compile_error);
  CHECK(mentions(refused, "wgmma.fence"));
  const CompileJob asks = cuda_job(
      kernel_of("#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n  p[0] = 1;\n#else\n  static_assert(false);\n#endif"));
  CHECK(real_compiler().compile(asks).status == TrialStatus::ok);
  const CompileJob plain = cuda_job(kernel_of("p[0] = 1;"));
  CompileJob specific = plain;
  specific.architecture = "sm_90a";
  CHECK(real_compiler().compile(plain).binary != real_compiler().compile(specific).binary);
}

TEST_CASE("an architecture that NVRTC does not know ends the command, naming those it knows") {
  CompileJob job = cuda_job(kernel_of(""));
  for (const char* architecture : {"sm_13", "host", "", "sm_"}) {
    job.architecture = architecture;
    CHECK_THROWS_WITH_AS(real_compiler().compile(job), doctest::Contains("sm_90"), tuner::model::Error);
  }
}

TEST_CASE("options that do not exist or must not be used are compile errors that name them") {
  CompileJob job = cuda_job(kernel_of(""));
  job.options = {"--no-such-option"};
  const Compilation unknown = real_compiler().compile(job);
  CHECK(unknown.status == TrialStatus::compile_error);
  CHECK(mentions(unknown, "--no-such-option"));
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "tuner_timing.csv";
  job.options = {"--time=" + file.string()};
  const Compilation writing = real_compiler().compile(job);
  CHECK(writing.status == TrialStatus::compile_error);
  CHECK(mentions(writing, file.string()));
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("only headers of the job are seen, not those beside the process") {
  const std::filesystem::path leak = std::filesystem::current_path() / "tuner_leak.cuh";
  std::ofstream(leak) << "// found\n";
  const Compilation compilation =
      real_compiler().compile(cuda_job("#include \"tuner_leak.cuh\"\n" + kernel_of("")));
  std::filesystem::remove(leak);
  CHECK(compilation.status == TrialStatus::compile_error);
  CHECK(mentions(compilation, "tuner_leak.cuh"));
}

TEST_CASE("a source that NVRTC would not read to its end is refused, with the line") {
  for (const char byte : {'\0', '\xFF'}) {
    const Compilation compilation = real_compiler().compile(cuda_job(kernel_of("") + "// " + byte + "\nfoo"));
    CHECK(compilation.status == TrialStatus::compile_error);
    CHECK(mentions(compilation, "main.cu(4): error: a byte"));
  }
  CompileJob job = cuda_job("");
  job.source.clear();
  CHECK(real_compiler().compile(job).status == TrialStatus::compile_error);
}

TEST_CASE("bytes that are not text come back as text in the log") {
  const Compilation compilation = real_compiler().compile(cuda_job("static_assert(false, \"\xFE bad\");\n"));
  CHECK(compilation.status == TrialStatus::compile_error);
  CHECK(mentions(compilation, "\xEF\xBF\xBD"));
  CHECK_FALSE(mentions(compilation, "\xFE"));
}

TEST_CASE("the name says compiler and version") {
  CHECK(real_compiler().name().rfind("nvrtc 1", 0) == 0);
}

TEST_SUITE_END();
