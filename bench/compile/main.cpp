// How much of NVRTC's speed is left after everything we do around it? Compiles the same configurations of a
// tiled matrix multiplication twice for each number of threads: with nothing but NVRTC calls on bare threads,
// and through CompilePool and NvrtcCompiler (resources, stand-in headers, deduplication, bounded results).
// NVRTC's cache is off in both. Then the host's compiler for the CPU device, one thread: g++ reads the
// headers of kernels each time, and once. Usage: bench_compile [MOST_THREADS] [ROUNDS]
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include "tuner/compile/compile_pool.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/model/error.hpp"

namespace {

namespace nvrtc = tuner::compile::nvrtc;
using tuner::model::CompileJob;

constexpr const char* source = R"(
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int n) {
  __shared__ float a[BLOCK * TILE_Y][BLOCK * TILE_X];
  __shared__ float b[BLOCK * TILE_X][BLOCK * TILE_X];
  float sum[TILE_Y][TILE_X] = {};
  const int row = blockIdx.y * BLOCK * TILE_Y + threadIdx.y, column = blockIdx.x * BLOCK * TILE_X + threadIdx.x;
  for (int k = 0; k < n; k += BLOCK * TILE_X) {
#pragma unroll
    for (int i = 0; i < TILE_Y; ++i)
#pragma unroll
      for (int j = 0; j < TILE_X; ++j)
        a[threadIdx.y + i * BLOCK][threadIdx.x + j * BLOCK] = A[(row + i * BLOCK) * n + k + threadIdx.x + j * BLOCK];
#pragma unroll
    for (int i = 0; i < TILE_X; ++i)
#pragma unroll
      for (int j = 0; j < TILE_X; ++j)
        b[threadIdx.y + i * BLOCK][threadIdx.x + j * BLOCK] =
            B[(k + threadIdx.y + i * BLOCK) * n + column + j * BLOCK];
    __syncthreads();
#pragma unroll
    for (int p = 0; p < BLOCK * TILE_X; ++p)
#pragma unroll
      for (int i = 0; i < TILE_Y; ++i)
#pragma unroll
        for (int j = 0; j < TILE_X; ++j)
          sum[i][j] += a[threadIdx.y + i * BLOCK][p] * b[p][threadIdx.x + j * BLOCK];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TILE_Y; ++i)
#pragma unroll
    for (int j = 0; j < TILE_X; ++j) C[(row + i * BLOCK) * n + column + j * BLOCK] = sum[i][j];
}
)";

std::vector<CompileJob> jobs_of_round(int round, const std::string& compiler) {
  std::vector<CompileJob> jobs;
  for (const int block : {8, 16, 32}) {
    for (const int tile_y : {1, 2, 3, 4}) {
      for (const int tile_x : {1, 2, 3, 4}) {
        if ((tile_x * tile_y + tile_x * tile_x) * block * block * 4 > 49152) continue;
        CompileJob job;
        job.source = {{"matmul.cu", source}};
        job.entries = {"matmul"};
        job.architecture = "sm_90";
        job.compiler = compiler;
        job.macros = {{"BLOCK", std::to_string(block)},
                      {"TILE_Y", std::to_string(tile_y)},
                      {"TILE_X", std::to_string(tile_x)},
                      {"ROUND", std::to_string(round)}};  // distinct to every cache
        jobs.push_back(std::move(job));
      }
    }
  }
  return jobs;
}

/// What a pass over the jobs took. Processor time is what the ratio is judged by on a machine that is shared.
struct Cost {
  double wall_s = 0;
  double cpu_s = 0;
  Cost& operator+=(const Cost& other) {
    wall_s += other.wall_s;
    cpu_s += other.cpu_s;
    return *this;
  }
};

class Stopwatch {
 public:
  Cost elapsed() const {
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count(),
            static_cast<double>(std::clock() - m_cpu_start) / CLOCKS_PER_SEC};
  }

 private:
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
  std::clock_t m_cpu_start = std::clock();
};

/// All jobs with nothing around NVRTC.
Cost run_bare(const nvrtc::Library& library, const std::vector<CompileJob>& jobs, int threads) {
  const Stopwatch stopwatch;
  std::atomic<std::size_t> next{0};
  std::atomic<int> failures{0};
  std::vector<std::jthread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (std::size_t at = next++; at < jobs.size(); at = next++) {
        nvrtc::Request request{
            jobs[at].source, {"--gpu-architecture=sm_90", "--modify-stack-limit=false"}, {"matmul"}};
        if (library.version() >= nvrtc::Version{12, 9}) request.options.emplace_back("--no-cache");
        for (const auto& macro : jobs[at].macros)
          request.options.push_back("-D" + macro.name + "=" + macro.value);
        if (library.compile(request).outcome != nvrtc::Answer::Outcome::ok) ++failures;
      }
    });
  }
  workers.clear();
  if (failures > 0)
    throw tuner::model::Error(fmt::format("{} configurations did not compile", failures.load()));
  return stopwatch.elapsed();
}

Cost run_pool(const std::shared_ptr<const nvrtc::Library>& library, std::vector<CompileJob> jobs,
              int threads) {
  const Stopwatch stopwatch;
  tuner::compile::CompilePool pool(threads, [&] { return std::make_unique<nvrtc::NvrtcCompiler>(library); });
  for (CompileJob& job : jobs) pool.submit(std::move(job));
  while (const auto finished = pool.take()) {
    if (finished->compilation->status != tuner::model::TrialStatus::ok) {
      throw tuner::model::Error("a configuration did not compile: " + finished->compilation->log);
    }
  }
  return stopwatch.elapsed();
}

namespace host = tuner::compile::host;

double host_seconds(host::HostCompiler& compiler, const std::vector<CompileJob>& jobs) {
  const Stopwatch stopwatch;
  for (const CompileJob& job : jobs) {
    const auto compilation = compiler.compile(job);
    if (compilation.status != tuner::model::TrialStatus::ok) throw tuner::model::Error(compilation.log);
  }
  return stopwatch.elapsed().wall_s;
}

/// Without headers of the toolkit, and with some.
void run_host(int rounds) {
  const tuner::util::TemporaryFolder folder;
  host::HostCompiler each_time;
  host::HostCompiler once({.cache = std::make_shared<tuner::compile::BinaryCache>(folder.path())});
  fmt::print("\n{}, headers      read each time    read once    ratio\n", each_time.name());
  for (const char* include : {"", "#include <cuda_bf16.h>\n"}) {
    std::vector<CompileJob> jobs = jobs_of_round(0, each_time.name());
    for (CompileJob& job : jobs) job.source.front().text.insert(0, include);
    jobs.resize(jobs.size() / 3);
    static_cast<void>(once.compile(jobs.front()));
    double each_time_s = 0;
    double once_s = 0;
    for (int round = 0; round < rounds; ++round) {
      each_time_s += host_seconds(each_time, jobs);
      once_s += host_seconds(once, jobs);
    }
    const double count = static_cast<double>(jobs.size()) * rounds;
    fmt::print("{:<24}{:>10.0f} ms{:>10.0f} ms{:>9.2f}\n",
               *include == '\0' ? "CUDA's own" : "and narrow types", 1000 * each_time_s / count,
               1000 * once_s / count, each_time_s / once_s);
  }
}

void run(int most_threads, int rounds) {
  const auto library = nvrtc::load_library();
  const std::string name = nvrtc::NvrtcCompiler(library).name();
  run_bare(*library, {jobs_of_round(-1, name).front()}, 1);  // NVRTC starts up at its first compilation
  int round = 0;
  fmt::print("{}, {} configurations a round, {} rounds\n", name, jobs_of_round(0, name).size(), rounds);
  fmt::print("{:>7}  {:>8}  {:>8}  {:>10}  {:>9}\n", "threads", "bare /s", "pool /s", "wall ratio",
             "cpu ratio");
  for (int threads = 1; threads <= most_threads; threads *= 2) {
    // Alternating, so that another load on the machine hits both.
    Cost bare;
    Cost pool;
    double count = 0;
    for (int i = 0; i < rounds; ++i) {
      bare += run_bare(*library, jobs_of_round(round++, name), threads);
      std::vector<CompileJob> jobs = jobs_of_round(round++, name);
      count += static_cast<double>(jobs.size());
      pool += run_pool(library, std::move(jobs), threads);
    }
    fmt::print("{:>7}  {:>8.1f}  {:>8.1f}  {:>10.3f}  {:>9.3f}\n", threads, count / bare.wall_s,
               count / pool.wall_s, bare.wall_s / pool.wall_s, bare.cpu_s / pool.cpu_s);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int at, int usual) {
    return argc > at ? std::max(std::atoi(argv[at]), 1) : usual;
  };
  try {
    run(argument(1, static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U))), argument(2, 3));
    run_host(argument(2, 3));
    return 0;
  } catch (const tuner::model::Error& error) {
    fmt::print(stderr, "bench_compile: {}\n{}\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
}
