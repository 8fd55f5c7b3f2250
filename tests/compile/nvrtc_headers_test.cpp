#include <doctest/doctest.h>

#include <ctime>
#include <string>
#include <vector>

#include "tests/compile/nvrtc_jobs.hpp"
#include "tests/support/variable.hpp"
#include "tuner/util/files.hpp"

using tuner::model::Compilation;
using tuner::model::CompileJob;
using tuner::model::TrialStatus;
using tuner::test::cuda_job;
using tuner::test::kernel_of;
using tuner::test::real_compiler;

TEST_SUITE_BEGIN("tuner::compile::nvrtc headers");

TEST_CASE("headers of the job are found by the names it gives them") {
  CompileJob job =
      cuda_job("#include \"tile.cuh\"\n#include \"sub/more.cuh\"\n" + kernel_of("p[0] = TILE + MORE;"));
  job.source[0].name = "kernels/matmul/naive.cu";
  job.source.push_back({"tile.cuh", "#pragma once\n#include \"sub/more.cuh\"\n#define TILE 1\n"});
  job.source.push_back({"sub/more.cuh", "#pragma once\n#define MORE 2\n"});
  const Compilation compilation = real_compiler().compile(job);
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("a header that is included by two names is there once") {
  CompileJob job = cuda_job("#include <wide.cuh>\n#include <api/wide.cuh>\n" + kernel_of("p[0] = wide;"));
  for (const char* name : {"wide.cuh", "api/wide.cuh"})
    job.source.push_back({name, "#pragma once\nconstexpr int wide = 7;\n"});
  const Compilation compilation = real_compiler().compile(job);
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("an error in a header is reported at the header's line") {
  CompileJob job = cuda_job("#include \"tile.cuh\"\n" + kernel_of(""));
  job.source.push_back({"tile.cuh", "\n\nint x = ;\n"});
  const Compilation compilation = real_compiler().compile(job);
  CHECK_MESSAGE(compilation.log.find("tile.cuh(3): error") != std::string::npos, compilation.log);
}

TEST_CASE("the toolkit's own headers serve device code, and its standard ones are found as std" *
          doctest::skip(tuner::test::no_toolkit())) {
  const Compilation compilation = real_compiler().compile(cuda_job(R"(
#include <array>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/std/array>
#include <limits>
#include <tuple>
#include <type_traits>
namespace cg = cooperative_groups;
template <class T, std::enable_if_t<std::is_same_v<T, float>, int> = 0> __device__ T half_of(T x) { return x / 2; }
)" + kernel_of(R"(
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ Reduce::TempStorage scratch;
  const std::array<float, 2> pair = {1, 2};
  const uint whole = n;
  p[0] = Reduce(scratch).Sum(half_of(p[threadIdx.x])) + pair[1] + std::numeric_limits<float>::max() + whole;
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  p[1] = cg::reduce(tile, p[threadIdx.x], cg::plus<float>()) + std::get<0>(std::make_tuple(1.0f));
  cg::this_grid().sync();
)")));
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("a kernel from a textbook compiles with its host includes") {
  CompileJob job = cuda_job(R"(
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <algorithm>
#include <iostream>
#include <vector>
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
extern "C" __global__ void kernel(float* p, std::uint32_t n, size_t stride, int64_t offset) {
  const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < INT_MAX);
  if (i >= n) return;
  float best = -FLT_MAX;
  for (std::uint32_t k = 0; k < n; ++k) best = std::max(best, std::sqrt(p[k * stride + offset]));
  if (std::isnan(best) || best == INFINITY) printf("no number at %u\n", static_cast<uint32_t>(i));
  p[i] = best * static_cast<float>(M_PI) + std::fabs(p[i]) + fmaxf(p[i], DBL_EPSILON);
}
)");
  const Compilation compilation = real_compiler().compile(job);
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("maths functions in std keep the type of their argument") {
  const Compilation compilation =
      real_compiler().compile(cuda_job("#include <cmath>\nstatic_assert(sizeof(std::sqrt(1.0f)) == 4 && "
                                       "sizeof(std::pow(2.0, 1.0)) == 8, \"\");" +
                                       kernel_of("p[0] = std::exp(p[1]) + std::floor(p[2]);")));
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("the toolkit's device headers are found where there is a toolkit" *
          doctest::skip(tuner::test::no_toolkit())) {
  for (const char* header : {"cuda_fp16.h", "cuda_bf16.h", "mma.h", "cuda.h", "cuda_pipeline.h"}) {
    const Compilation compilation = real_compiler().compile(
        cuda_job(std::string("#include <cstdint>\n#include <") + header + ">\n" + kernel_of("")));
    CHECK_MESSAGE(compilation.status == TrialStatus::ok, header << ": " << compilation.log);
  }
}

TEST_CASE("a kernel can take a tensor map") {
  const Compilation compilation = real_compiler().compile(
      cuda_job("#include <cuda.h>\nextern \"C\" __global__ void kernel(const __grid_constant__ CUtensorMap "
               "map, float* p) {"
               " static_assert(sizeof(map) == 128, \"\"); p[0] = alignof(CUtensorMap); }"));
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("stand-ins and the toolkit's own <cuda/std/...> go together" *
          doctest::skip(tuner::test::no_toolkit())) {
  const Compilation compilation = real_compiler().compile(
      cuda_job("#include <cstdint>\n#include <cuda/std/cstdint>\n#include <cstddef>\n" +
               kernel_of("p[0] = INT32_MAX;")));
  CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
}

TEST_CASE("a job's own header wins over a stand-in of the same name") {
  CompileJob job = cuda_job("#include <cstdio>\n" + kernel_of("p[0] = MINE;"));
  job.source.push_back({"cstdio", "#define MINE 1\n"});
  CHECK(real_compiler().compile(job).status == TrialStatus::ok);
}

TEST_CASE("headers above a stop are read once, and what they hold is never that of another source") {
  const tuner::util::TemporaryFolder kept;  // NVRTC leaves what it read there
  const tuner::test::Variable folder("TMPDIR", kept.path());
  const auto job_with = [](int width, int block, const char* above) {
    CompileJob job = cuda_job(std::string(above) +
                              "#include \"width.cuh\"\n#pragma nv_hdrstop\n"
                              "static_assert(WIDTH * BLOCK == PRODUCT, \"another's header\");\n"
                              "extern \"C\" __global__ void kernel(uint* p) { *p = BLOCK; }\n");
    job.source.push_back(
        {"width.cuh", "#pragma once\n#ifdef BLOCK\n#error seen\n#endif\nconstexpr int WIDTH = " +
                          std::to_string(width) + ";\n"});
    job.macros = {{"BLOCK", std::to_string(block)}, {"PRODUCT", std::to_string(width * block)}};
    return job;
  };
  const auto compile = [&](int width, int block, const char* above) {
    return real_compiler().compile(job_with(width, block, above));
  };
  for (const int width : {3, 5, 3})
    for (const int block : {32, 64}) {
      const Compilation compilation = compile(width, block, "");
      CHECK_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
      CHECK_MESSAGE(compilation.log.empty(), compilation.log);
    }
  CompileJob wrong = job_with(3, 32, "");
  wrong.source[0].text += "foo;\n";
  const Compilation failed = real_compiler().compile(wrong);
  CHECK_MESSAGE(failed.log.starts_with("main.cu(5): error"), failed.log);

  if (tuner::test::no_toolkit()) return;
  const char* const much =
      "#include <cub/block/block_radix_sort.cuh>\n#include <cub/block/block_reduce.cuh>\n";
  std::vector<double> seconds;
  for (const int block : {32, 64, 96, 128}) {
    const std::clock_t start = std::clock();
    const Compilation compilation = compile(3, block, much);
    seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    REQUIRE_MESSAGE(compilation.status == TrialStatus::ok, compilation.log);
  }
  CHECK(seconds[1] + seconds[2] + seconds[3] < 1.5 * seconds[0]);
}

TEST_SUITE_END();
