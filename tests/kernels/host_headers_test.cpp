// Headers of the host's standard library and of the CUDA toolkit in kernels on the CPU device.
#include <doctest/doctest.h>

#include "tests/kernels/cpu_machine.hpp"
#include "tests/support/contains.hpp"

using tuner::model::TrialStatus;
using tuner::test::CpuMachine;
using tuner::test::KernelRun;

namespace {

std::vector<float> run_floats(const std::string& source, tuner::compile::host::Instrument instrument = {}) {
  CpuMachine machine;
  return machine.run(
      KernelRun{.source = source, .block = {1, 1, 1}, .instrument = instrument, .reads_headers_anew = true},
      std::vector<float>(8, -7));
}

}  // namespace

TEST_SUITE_BEGIN("tuner::device::cpu headers");

TEST_CASE("a kernel may include any header of the standard library, and keeps CUDA's functions") {
  for (const std::string header :
       {"algorithm", "array",  "chrono", "cstdlib",     "cstring", "ctime",    "functional",
        "iostream",  "limits", "memory", "numeric",     "random",  "stdlib.h", "string",
        "string.h",  "time.h", "tuple",  "type_traits", "utility", "vector"}) {
    CAPTURE(header);
    const std::vector<float> out = run_floats("#include <" + header + ">\n" + R"(
      __device__ __noinline__ float twice(float x) { return 2 * x; }
      __global__ void kernel(float* out) {
        __shared__ float one;
        one = 1;
        __syncthreads();
        const long start = clock();
        out[0] = twice(one);
        out[1] = sqrtf(16.0f) + sqrt(9.0f) + powf(2.0f, 3.0f);
        out[2] = min(3, 4u) + max(1.5f, 0.5f) + abs(-2) + abs(-2.5f) + fabsf(-1.0f);
        out[3] = rsqrtf(4.0f) + exp10f(1.0f);
        out[4] = isnan(out[0]) + isinf(out[1]) + 2 * (clock() >= start);
        uint bits = __float_as_uint(1.0f);
        out[5] = bits >> 23;
        printf("not to be seen %d\n", threadIdx.x);
        assert(out[0] == 2);
      })");
    CHECK(out == std::vector<float>{2, 15, 10, 10.5, 2, 127, -7, -7});
  }
}

TEST_CASE("what a kernel takes from the standard library works") {
  const std::vector<float> out = run_floats(R"(
    #include <algorithm>
    #include <array>
    #include <cmath>
    #include <limits>
    __global__ void kernel(float* out) {
      std::array<float, 4> values = {3, 1, 2, 0};
      std::sort(values.begin(), values.end());
      for (int i = 0; i < 4; ++i) out[i] = values[i];
      out[4] = std::numeric_limits<int>::max() == 2147483647;
      out[5] = std::sqrt(4.0f) + std::min(1, 2) + std::max(1.0f, 2.0f);
    })");
  CHECK(out == std::vector<float>{0, 1, 2, 3, 1, 5, -7, -7});
}

TEST_CASE("half precision is computed as the toolkit's headers have it") {
  if (!tuner::test::has_toolkit()) return;
  for (const auto instrument :
       {tuner::compile::host::Instrument::none, tuner::compile::host::Instrument::accesses}) {
    const std::vector<float> out = run_floats(R"(
      #include <cuda_fp16.h>
      __global__ void kernel(float* out) {
        half x = __float2half(1.5f), y = 2048.0f;
        out[0] = __half2float(x * x + __hfma(x, x, x));
        y += half(1.0f);                      // lost: half has 11 bits
        out[1] = float(y);
        half2 pair = __floats2half2_rn(1.0f, 4.0f);
        pair = h2sqrt(__hfma2(pair, pair, __half2half2(half(0.0f))));
        out[2] = __low2float(pair) + 10 * __high2float(pair);
        half sum = 0.0f;
        atomicAdd(&sum, half(0.25f));
        atomicAdd(&pair, pair);
        out[3] = float(sum) + float(pair.x);
        out[4] = __half2int_rn(half(2.5f)) + float(hexp(half(0.0f)));
        out[5] = float(__shfl_sync(1u, x, 0)) + float(__ldg(&x)) + sizeof(half2);
      })",
                                              instrument);
    CHECK(out == std::vector<float>{6, 2048, 41, 2.25, 3, 7, -7, -7});
  }
}

TEST_CASE("bfloat16, FP8, complex numbers and the driver's types come from the toolkit") {
  if (!tuner::test::has_toolkit()) return;
  const std::vector<float> out = run_floats(R"(
    #include <cuComplex.h>
    #include <cuda.h>
    #include <cuda_bf16.h>
    #include <cuda_fp8.h>
    __global__ void kernel(float* out) {
      __nv_bfloat16 x = 256.0f;
      out[0] = float(x + __nv_bfloat16(1.0f));                    // lost: 8 bits
      out[1] = float(__hfma(x, x, x)) + float(hsqrt(x));
      out[2] = float(__nv_fp8_e4m3(1000.0f));                     // the largest there is
      out[3] = float(__nv_fp8_e5m2(1.1f));
      const cuFloatComplex z = cuCmulf(make_cuFloatComplex(1, 2), make_cuFloatComplex(3, 4));
      out[4] = cuCrealf(z) + 100 * cuCimagf(z);
      out[5] = sizeof(CUtensorMap);
      out[6] = sizeof(double4_32a);
    })");
  CHECK(out == std::vector<float>{256, 65552, 448, 1, 995, 128, 32, -7});
}

TEST_CASE("integers become bfloat16 rounded as their names say, narrow numbers clamp to integers") {
  if (!tuner::test::has_toolkit()) return;
  const std::vector<float> out = run_floats(R"(
    #include <cuda_bf16.h>
    __global__ void kernel(float* out) {
      out[0] = __bfloat162float(__int2bfloat16_rd(-257)) + __bfloat162float(__uint2bfloat16_ru(257u));
      out[1] = __bfloat162float(__short2bfloat16_rz(-257)) + __bfloat162float(__ushort2bfloat16_rd(257));
      out[2] = __bfloat162float(__ll2bfloat16_ru(-257)) + __bfloat162float(__ull2bfloat16_rz(257));
      out[3] = __half2short_rn(__float2half(60000)) + __half2int_rd(__float2half(NAN));
      out[4] = __half2ll_rn(__float2half(NAN)) < 0;
    })");
  CHECK(out == std::vector<float>{0, 0, 0, 32767, 1, -7, -7, -7});
}

TEST_CASE("parameters may have the names that a header of matrices has") {
  if (!tuner::test::has_toolkit()) return;
  CpuMachine machine;
  const std::string source =
      "#if M > 0\n#include <mma.h>\n#endif\n#include <cooperative_groups/scan.h>\n"
      "__global__ void kernel(int* out) { *out = M + N + K + Value + Result; }";
  CHECK(machine.run({.source = source,
                     .macros = {{"M", "16"}, {"N", "8"}, {"K", "4"}, {"Value", "2"}, {"Result", "1"}}},
                    std::vector<int>(1, 0))[0] == 31);
}

TEST_CASE("a source for nvcc may have functions of the host, without a launch") {
  tuner::compile::host::HostCompiler compiler;
  tuner::model::CompileJob job;
  job.source = {{"kernel.cu",
                 "#include <iostream>\nvoid check(cudaError_t error) { std::cout << int(error); }\n"
                 "__global__ void kernel(int* out) { *out = 1; }\n"}};
  job.entries = {"kernel"};
  CHECK(compiler.compile(job).status == TrialStatus::compile_error);
  job.by_nvcc = true;
  CHECK(compiler.compile(job).status == TrialStatus::ok);
}

TEST_CASE("a header of the toolkit where there is none makes the kernel unavailable, with the reason") {
  CpuMachine machine;
  // As the runtime's cuda_fp16.h says it.
  const auto made = machine.compile(
      {.source =
           "#error \"no CUDA toolkit: cuda_fp16.h is one of its headers\"\n__global__ void kernel() {}"});
  CHECK(made.status == TrialStatus::skipped);
  CHECK(contains(made.log, "no CUDA toolkit"));
}

TEST_CASE("a failure begins with the error, not with the way to it") {
  CpuMachine machine;
  const auto made =
      machine.compile({.source = "#include <cuda_fp16.h>\n#include <vector>\n"
                                 "__global__ void kernel(std::vector<undeclared>* x) { nowhere(); }"});
  CHECK(made.status == TrialStatus::compile_error);
  const std::string first = made.log.substr(0, made.log.find('\n'));
  CHECK(contains(first, ":3:"));
  CHECK(contains(first, ": error: "));
}

TEST_CASE("inline PTX is named as what does not run here, with its line") {
  CpuMachine machine;
  for (const std::string assembly : {"asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(x) : \"f\"(*out));",
                                     "asm volatile(\"wgmma.fence.sync.aligned;\\n\" ::: \"memory\");"}) {
    CAPTURE(assembly);
    const auto made = machine.compile({.source = "__global__ void kernel(float* out) {\n  float x = 0;\n  " +
                                                 assembly + "\n  *out = x;\n}"});
    CHECK(made.status == TrialStatus::compile_error);
    CHECK(made.log.starts_with("kernel.cu:3: error: inline PTX does not run on the CPU"));
  }
}
