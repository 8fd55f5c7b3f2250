// One process with a context on each of two GPUs: each gets its own module, answers and streams.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <tuner/tuner.hpp>
#include <vector>

static void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}
static bool fine(tuner::error error, const char* doing) {
  if (!error) return true;
  std::fprintf(stderr, "%s: %s %s\n", doing, error.text(), error.detail());
  return false;
}

struct Side {
  int device;
  cudaStream_t stream;
  float *a, *b, *c;
  std::int64_t n;
};

int main(int argc, char** argv) {
  tuner::pack pack;
  tuner::kernel kernel;
  if (argc < 2 || !fine(pack.open(argv[1]), "open") ||
      !fine(tuner::kernel::find(pack, "matmul", "float", &kernel), "find"))
    return 1;
  const std::int64_t all[] = {512, 1024, 2048, 768};
  int wrong = 0;
  for (std::int64_t n : all) {
    Side sides[2];
    for (int d = 0; d < 2; ++d) {
      Side& s = sides[d];
      s = {d, nullptr, nullptr, nullptr, nullptr, n};
      require(cudaSetDevice(d));
      require(cudaStreamCreate(&s.stream));
      std::vector<float> a(n * n), b(n * n);
      for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>((i + d) % 7) - 3, b[i] = static_cast<float>((i + d) % 5) - 2;
      require(cudaMalloc(&s.a, n * n * 4));
      require(cudaMalloc(&s.b, n * n * 4));
      require(cudaMalloc(&s.c, n * n * 4));
      require(cudaMemcpy(s.a, a.data(), n * n * 4, cudaMemcpyHostToDevice));
      require(cudaMemcpy(s.b, b.data(), n * n * 4, cudaMemcpyHostToDevice));
      require(cudaMemset(s.c, 0xff, n * n * 4));
      if (!fine(kernel.prepare(nullptr, {n, n, n}), "prepare")) return 1;
    }
    const auto run = [&](int d) {
      Side& s = sides[d];
      require(cudaSetDevice(d));
      tuner_workspace needed = {};
      fine(kernel.workspace_for(d, {n, n, n}, &needed), "workspace");
      void* memory = nullptr;
      if (needed.bytes > 0) {
        require(cudaMalloc(&memory, needed.bytes));
        require(cudaMemset(memory, 0, needed.bytes));
      }
      for (int i = 0; i < 50; ++i)
        if (!fine(kernel.launch(s.stream, {n, n, n}, s.a, s.b, s.c, tuner::workspace{memory, needed.bytes}),
                  "launch"))
          std::exit(1);
      require(cudaStreamSynchronize(s.stream));
    };
    std::thread other([&] { run(1); });
    run(0);
    other.join();
    for (int d = 0; d < 2; ++d) {
      require(cudaSetDevice(d));
      std::vector<float> c(n * n);
      require(cudaMemcpy(c.data(), sides[d].c, n * n * 4, cudaMemcpyDeviceToHost));
      bool right = true;
      for (std::int64_t at = n * n - 1; at >= 0; at -= 1 + n * n / 500) {
        float sum = 0;
        for (std::int64_t i = 0; i < n; ++i)
          sum += (static_cast<float>((at / n * n + i + d) % 7) - 3) *
                 (static_cast<float>((i * n + at % n + d) % 5) - 2);
        right = right && sum == c[at];
      }
      const tuner::choice choice = kernel.pick(d, {n, n, n});
      std::printf("GPU %d, %lld: %s, %s; known %d\n", d, static_cast<long long>(n), right ? "right" : "WRONG",
                  choice.configuration, choice.known);
      wrong += right ? 0 : 1;
    }
  }
  // A stream of one GPU while the other is current.
  require(cudaSetDevice(0));
  cudaStream_t of_one;
  require(cudaSetDevice(1));
  require(cudaStreamCreate(&of_one));
  require(cudaSetDevice(0));
  float* x;
  require(cudaMalloc(&x, 4 * 512 * 512));
  const auto error = kernel.launch(of_one, {512, 512, 512}, x, x, x);
  std::printf("a stream of GPU 1 while GPU 0 is current: %s %s\n", error.text(), error.detail());
  std::printf("%d wrong\n", wrong);
  return wrong;
}
