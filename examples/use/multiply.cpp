// Multiplies matrices with the pack that was built in: `multiply cpu`, or on the first GPU, in a stream and
// in a graph.
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

const std::int64_t sizes[][3] = {{64, 64, 64}, {128, 96, 32}, {33, 17, 5}, {256, 256, 256}};

struct Product {
  Product(const std::int64_t (&size)[3]) : m(size[0]), n(size[1]), k(size[2]), a(m * k), b(k * n), c(m * n) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
  }
  bool is_right() const {
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        float sum = 0;
        for (std::int64_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
        if (sum != c[row * n + column]) return false;
      }
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

void print(const Product& p, const tuner::choice& choice) {
  static const char* const known[] = {"", "measured", "by rule", "same architecture", "by default"};
  std::printf("%lldx%lldx%lld  %s %s (%s)  %s\n", static_cast<long long>(p.m), static_cast<long long>(p.n),
              static_cast<long long>(p.k), choice.kernel, choice.configuration, known[choice.known],
              p.is_right() ? "right" : "WRONG");
}

int multiply_on_cpu(const tuner::kernel& kernel) {
  for (const auto& size : sizes) {
    Product p(size);
    const tuner::choice choice = kernel.pick(TUNER_CPU, {p.m, p.n, p.k});
    if (choice.error) return failed("pick", choice.error);
    const tuner::error error =
        kernel.launch(TUNER_CPU_STREAM, {p.m, p.n, p.k}, tuner::array{p.a.data(), p.a.size()},
                      tuner::array{p.b.data(), p.b.size()}, tuner::array{p.c.data(), p.c.size()});
    if (error) return failed("launch", error);
    print(p, choice);
    if (!p.is_right()) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

#ifdef WITH_CUDA
float* on_gpu(const std::vector<float>& values) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, values.size() * sizeof(float)) != cudaSuccess) std::abort();
  cudaMemcpy(memory, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  return static_cast<float*>(memory);
}

int multiply_on_gpu(const tuner::kernel& kernel) {
  cudaStream_t stream;
  if (cudaStreamCreate(&stream) != cudaSuccess) return failed("stream", TUNER_NO_DEVICE);
  for (const auto& size : sizes) {
    Product p(size);
    float *a = on_gpu(p.a), *b = on_gpu(p.b), *c = on_gpu(p.c);
    tuner_workspace needed = {};
    if (const auto error = kernel.workspace_for(0, {p.m, p.n, p.k}, &needed))
      return failed("workspace", error);
    tuner::workspace workspace{nullptr, needed.bytes};
    if (needed.bytes > 0) cudaMalloc(&workspace.pointer, needed.bytes);
    if (needed.bytes > 0) cudaMemset(workspace.pointer, 0, needed.bytes);
    // Before a graph is captured, what it launches is loaded.
    if (const auto error = kernel.prepare(nullptr, {p.m, p.n, p.k})) return failed("prepare", error);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (const auto error = kernel.launch(stream, {p.m, p.n, p.k}, a, b, c, workspace))
      return failed("launch", error);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    if (const auto error = kernel.launch(stream, {p.m, p.n, p.k}, a, b, c, workspace))
      return failed("launch", error);
    cudaMemcpyAsync(p.c.data(), c, p.c.size() * sizeof(float), cudaMemcpyDeviceToHost, stream);
    if (cudaStreamSynchronize(stream) != cudaSuccess) return failed("run", TUNER_CANNOT_LAUNCH);
    print(p, kernel.pick(0, {p.m, p.n, p.k}));
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    for (void* memory :
         {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c), workspace.pointer})
      cudaFree(memory);
    if (!p.is_right()) return EXIT_FAILURE;
  }
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
  if (argc < 2 || std::strcmp(argv[1], "cpu") != 0) return multiply_on_gpu(kernel);
#endif
  static_cast<void>(argc);
  static_cast<void>(argv);
  return multiply_on_cpu(kernel);
}
