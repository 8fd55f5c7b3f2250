// Multiplies matrices with the pack that was built in: `multiply cpu`, or `multiply [M N K]...` on the first
// GPU, in a stream and in a captured graph. There it prints how long a launch takes, and how long the first
// took with all that comes before it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuner/tuner.hpp>
#include <vector>

#include "matmul.tuned.h"

#ifdef WITH_CUDA
#include <cuda_runtime.h>
#endif

namespace {

struct Size {
  std::int64_t m, n, k;
};

const std::vector<Size> sizes = {{64, 64, 64}, {128, 96, 32}, {33, 17, 5}, {256, 256, 256}};

/// Small whole numbers, so that every order of a sum is exact.
struct Product {
  explicit Product(Size size) : m(size.m), n(size.n), k(size.k), a(m * k), b(k * n), c(m * n, NAN) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
  }
  /// Looks at some 1,000 elements, the last one among them.
  bool is_right() const {
    const std::int64_t step = 1 + m * n / 1'000;
    for (std::int64_t at = m * n - 1; at >= 0; at -= step) {
      float sum = 0;
      for (std::int64_t i = 0; i < k; ++i) sum += a[at / n * k + i] * b[i * n + at % n];
      if (sum != c[at]) return false;
    }
    return true;
  }
  std::int64_t m, n, k;
  std::vector<float> a, b, c;
};

int failed(const char* doing, tuner::error error) {
  std::fprintf(stderr, "%s: %s %s\n", doing, error.text(), error.detail());
  return EXIT_FAILURE;
}

/// Whether it is right.
bool print(const Product& p, const tuner::choice& choice) {
  const bool is_right = p.is_right();
  static const char* const known[] = {"", "measured", "by rule", "same architecture", "by default"};
  std::printf("%lldx%lldx%lld  %s %s (%s)  %s", static_cast<long long>(p.m), static_cast<long long>(p.n),
              static_cast<long long>(p.k), choice.kernel, choice.configuration, known[choice.known],
              is_right ? "right" : "WRONG");
  return is_right;
}

int multiply_on_cpu(const tuner::kernel& kernel) {
  for (const Size& size : sizes) {
    Product p(size);
    const tuner::choice choice = kernel.pick(TUNER_CPU, {p.m, p.n, p.k});
    if (choice.error) return failed("pick", choice.error);
    const tuner::error error =
        kernel.launch(TUNER_CPU_STREAM, {p.m, p.n, p.k}, tuner::array{p.a.data(), p.a.size()},
                      tuner::array{p.b.data(), p.b.size()}, tuner::array{p.c.data(), p.c.size()});
    if (error) return failed("launch", error);
    const bool is_right = print(p, choice);
    std::printf("\n");
    if (!is_right) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

#ifdef WITH_CUDA
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(EXIT_FAILURE);
}

void require(tuner::error error) {
  if (error) std::exit(failed("tuner", error));
}

void* on_gpu(std::size_t bytes, const void* values = nullptr) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, bytes));
  require(values ? cudaMemcpy(memory, values, bytes, cudaMemcpyHostToDevice) : cudaMemset(memory, 0, bytes));
  return memory;
}

/// The median of 21 batches of what `once` queues in `stream`; each batch fills about a millisecond.
template <typename Once>
double median_us(cudaStream_t stream, const Once& once) {
  cudaEvent_t start, stop;
  require(cudaEventCreate(&start));
  require(cudaEventCreate(&stop));
  const auto batch_us = [&](int launches) {
    require(cudaEventRecord(start, stream));
    for (int i = 0; i < launches; ++i) once();
    require(cudaEventRecord(stop, stream));
    require(cudaEventSynchronize(stop));
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, start, stop));
    return 1000.0 * milliseconds / launches;
  };
  for (int i = 0; i < 20; ++i) once();  // the clock rises
  const int launches = std::clamp(static_cast<int>(1000 / batch_us(10)), 2, 200);
  std::vector<double> us(21);
  for (double& one : us) one = batch_us(launches);
  std::nth_element(us.begin(), us.begin() + 10, us.end());
  require(cudaEventDestroy(start));
  require(cudaEventDestroy(stop));
  return us[10];
}

/// One product in a stream and in a graph; false if it is wrong.
bool multiply(const tuner::kernel& kernel, Size size, cudaStream_t stream) {
  Product p(size);
  const std::size_t c_bytes = p.c.size() * sizeof(float);
  auto* a = static_cast<float*>(on_gpu(p.a.size() * sizeof(float), p.a.data()));
  auto* b = static_cast<float*>(on_gpu(p.b.size() * sizeof(float), p.b.data()));
  auto* c = static_cast<float*>(on_gpu(c_bytes));
  tuner_workspace needed = {};
  require(kernel.workspace_for(0, {p.m, p.n, p.k}, &needed));
  const tuner::workspace workspace{needed.bytes > 0 ? on_gpu(needed.bytes) : nullptr, needed.bytes};

  const auto start = Clock::now();
  require(
      kernel.prepare(nullptr, {p.m, p.n, p.k}));  // before a graph is captured, what it launches is loaded
  const double load_ms = milliseconds_since(start);
  const auto launch = [&] { require(kernel.launch(stream, {p.m, p.n, p.k}, a, b, c, workspace)); };
  const double in_stream_us = median_us(stream, launch);

  constexpr int launches_of_graph = 8;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  require(cudaMemset(c, 0xff, c_bytes));
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < launches_of_graph; ++i) launch();
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphInstantiate(&executable, graph, 0));
  const double in_graph_us =
      median_us(stream, [&] { require(cudaGraphLaunch(executable, stream)); }) / launches_of_graph;
  require(cudaMemcpy(p.c.data(), c, c_bytes, cudaMemcpyDeviceToHost));

  const tuner::choice choice = kernel.pick(0, {p.m, p.n, p.k});
  const bool is_right = print(p, choice);
  std::printf("  %.2f us in a stream, %.2f in a graph", in_stream_us, in_graph_us);
  if (choice.expected_ns > 0)
    std::printf(", expected %.2f (%+.1f %%)", choice.expected_ns / 1000,
                100 * (in_stream_us * 1000 / choice.expected_ns - 1));
  std::printf("; loaded in %.2f ms\n", load_ms);
  std::fflush(stdout);
  require(cudaGraphExecDestroy(executable));
  require(cudaGraphDestroy(graph));
  for (void* memory :
       {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c), workspace.pointer})
    require(cudaFree(memory));
  return is_right;
}

int multiply_on_gpu(const tuner::kernel& kernel, const std::vector<Size>& asked) {
  cudaStream_t stream;
  require(cudaStreamCreate(&stream));
  for (const Size& size : asked)
    if (!multiply(kernel, size, stream)) return EXIT_FAILURE;
  require(cudaStreamDestroy(stream));
  return EXIT_SUCCESS;
}
#endif

}  // namespace

int main(int argc, char** argv) {
  tuner::pack pack;
  tuner::kernel kernel;
  if (const auto error = pack.view(matmul_tuned, matmul_tuned_bytes)) return failed("view", error);
  if (const auto error = tuner::kernel::find(pack, "matmul", "float", &kernel)) return failed("find", error);
#ifdef WITH_CUDA
  if (argc < 2 || std::strcmp(argv[1], "cpu") != 0) {
    std::vector<Size> asked;
    for (int i = 1; i + 2 < argc; i += 3)
      asked.push_back({std::atoll(argv[i]), std::atoll(argv[i + 1]), std::atoll(argv[i + 2])});
    return multiply_on_gpu(kernel, asked.empty() ? sizes : asked);
  }
#endif
  static_cast<void>(argc);
  static_cast<void>(argv);
  return multiply_on_cpu(kernel);
}
