// Two questions, each answered against a limit measured in the same run, on one worker:
//   how many threads a second reach a barrier and go on, against switches of bare Boost fibres;
//   how much slower a kernel is than the loop a C++ programmer would write for it.
#include <fmt/format.h>

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/cpu/cpu_device.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;

namespace {

constexpr int rounds = 7;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The fastest of several runs, in processor time: with one worker all work is this thread's, and what else
/// the machine does stays out of it.
double best_seconds(const std::function<void()>& work) {
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    const double start = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

struct Experiment {
  std::string source;
  model::Dim3 grid;
  model::Dim3 block;
};

/// A compiled kernel(float* a, float* b, float* c, int n) with its arrays.
class Bench {
 public:
  explicit Bench(std::int64_t elements) : m_device({.workers = 1}) {
    for (int i = 0; i < 3; ++i) {
      m_arrays.push_back(m_device.allocate(elements * 4));
      m_device.fill(m_arrays.back()->address(), model::ElementType::float32, elements,
                    {model::Init::Kind::uniform, -1, 1}, static_cast<std::uint64_t>(i));
      m_bindings.buffers.push_back(m_arrays.back()->address());
    }
  }

  float* array(std::size_t i) { return reinterpret_cast<float*>(m_arrays[i]->address()); }

  double seconds(const Experiment& experiment, std::int64_t n) {
    compile::host::HostCompiler compiler;
    model::CompileJob job;
    job.source = {{"bench.cu", experiment.source}};
    job.entries = {"kernel"};
    const model::Compilation compilation = compiler.compile(job);
    if (compilation.status != model::TrialStatus::ok) throw model::Error(compilation.log);
    const auto module = m_device.load(compilation.binary);
    model::Step step;
    step.entry = "kernel";
    step.grid = experiment.grid;
    step.block = experiment.block;
    for (int i = 0; i < 3; ++i) step.operands.push_back({.kind = model::Operand::Kind::buffer, .buffer = i});
    step.operands.push_back({.kind = model::Operand::Kind::scalar, .integer = n});
    const auto sequence = m_device.bind(*module, compilation.kernels, {step}, {}, m_bindings);
    sequence->run(1);
    return best_seconds([&] { sequence->run(1); });
  }

 private:
  device::cpu::CpuDevice m_device;
  std::vector<std::unique_ptr<device::Buffer>> m_arrays;
  device::Bindings m_bindings;
};

/// Fibres that do nothing but resume the next one, round and round.
class Ring {
 public:
  explicit Ring(std::size_t count) : m_fibres(count) {
    for (std::size_t i = 0; i < count; ++i) {
      m_fibres[i] = boost::context::fiber([this, i](boost::context::fiber&& from) {
        keep(std::move(from));
        for (;;) resume(i + 1);
        return std::move(m_main);
      });
    }
  }

  void go_round() { resume(0); }

 private:
  void resume(std::size_t next) {
    boost::context::fiber& self = m_running == m_fibres.size() ? m_main : m_fibres[m_running];
    m_from = &self;
    m_running = next;
    boost::context::fiber& target = next == m_fibres.size() ? m_main : m_fibres[next];
    keep(std::move(target).resume());
  }
  void keep(boost::context::fiber&& from) { *m_from = std::move(from); }

  std::vector<boost::context::fiber> m_fibres;
  boost::context::fiber m_main;
  boost::context::fiber* m_from = nullptr;
  std::size_t m_running = m_fibres.size();
};

double bare_switches_per_second() {
  constexpr std::size_t fibres = 256;
  constexpr int turns = 4000;
  Ring ring(fibres);
  const double seconds = best_seconds([&] {
    for (int i = 0; i < turns; ++i) ring.go_round();
  });
  return static_cast<double>(fibres + 1) * turns / seconds;
}

void barriers(double bare) {
  constexpr int steps = 2000;
  Bench bench(1024);
  for (const std::int64_t threads : {32, 256, 1024}) {
    const double seconds =
        bench.seconds({"extern \"C\" __global__ void kernel(float*, float*, float*, int n) {\n"
                       "  for (int i = 0; i < n; ++i) __syncthreads();\n}\n",
                       {1, 1, 1},
                       {threads, 1, 1}},
                      steps);
    const double rate = static_cast<double>(threads) * steps / seconds;
    fmt::print("barriers, {:4} threads a block  {:7.1f} M threads/s  {:4.2f} of bare fibre switches\n",
               threads, rate / 1e6, rate / bare);
  }
  const double seconds =
      bench.seconds({"extern \"C\" __global__ void kernel(float* a, float*, float*, int n) {\n"
                     "  float sum = threadIdx.x;\n"
                     "  for (int i = 0; i < n; ++i) sum += __shfl_xor_sync(0xffffffff, sum, 1);\n"
                     "  a[threadIdx.x] = sum;\n}\n",
                     {1, 1, 1},
                     {256, 1, 1}},
                    steps);
  const double rate = 256.0 * steps / seconds;
  fmt::print("shuffles,  256 threads a block  {:7.1f} M threads/s  {:4.2f} of bare fibre switches\n",
             rate / 1e6, rate / bare);
}

void saxpy() {
  constexpr std::int64_t n = 1 << 20;
  Bench bench(n);
  const float* a = bench.array(0);
  const float* b = bench.array(1);
  float* c = bench.array(2);
  const double loop = best_seconds([&] {
    for (std::int64_t i = 0; i < n; ++i) c[i] = 2.0F * a[i] + b[i];
  });
  const double kernel =
      bench.seconds({"extern \"C\" __global__ void kernel(float* a, float* b, float* c, int n) {\n"
                     "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "  if (i < n) c[i] = 2.0f * a[i] + b[i];\n}\n",
                     {n / 256, 1, 1},
                     {256, 1, 1}},
                    n);
  fmt::print("saxpy, one element a thread     {:7.2f} ns/element   {:4.1f} times the plain loop\n",
             kernel / n * 1e9, kernel / loop);
}

void plain_multiply(const float* a, const float* b, float* c, int n) {
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
      c[row * n + column] = sum;
    }
  }
}

void multiply() {
  constexpr int n = 256;
  Bench bench(n * n);
  const double loop =
      best_seconds([&] { plain_multiply(bench.array(0), bench.array(1), bench.array(2), n); });
  const std::string naive = R"(extern "C" __global__ void kernel(float* a, float* b, float* c, int n) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
})";
  const std::string shared = R"(extern "C" __global__ void kernel(float* a, float* b, float* c, int n) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int y = threadIdx.y, x = threadIdx.x, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    tile_a[y][x] = a[row * n + k0 + x];
    tile_b[y][x] = b[(k0 + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
})";
  const auto report = [&](const char* what, const std::string& source) {
    const double seconds = bench.seconds({source, {n / 16, n / 16, 1}, {16, 16, 1}}, n);
    fmt::print("{:31} {:7.2f} GFLOP/s      {:4.2f} times the plain loops' time\n", what,
               2e-9 * n * n * n / seconds, seconds / loop);
  };
  report("256^3 product, naive", naive);
  report("256^3 product, shared tiles", shared);
}

}  // namespace

int main() {
  try {
    const double bare = bare_switches_per_second();
    fmt::print("bare switches, ring of 256      {:7.1f} M switches/s\n", bare / 1e6);
    barriers(bare);
    saxpy();
    multiply();
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_cpu_barriers: {}\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
