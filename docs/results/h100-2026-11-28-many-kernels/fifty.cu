#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
#define KERNEL(I) extern "C" __global__ void k##I(float* y, const float* x, float a, int n) { \
  int i = blockIdx.x * blockDim.x + threadIdx.x; \
  if (i < n) { float v = x[i]; for (int r = 0; r < (I % 7) + 1; ++r) v = v * a + I; y[i] = v + y[i] * 0.5f; } }
KERNEL(0)
KERNEL(1)
KERNEL(2)
KERNEL(3)
KERNEL(4)
KERNEL(5)
KERNEL(6)
KERNEL(7)
KERNEL(8)
KERNEL(9)
KERNEL(10)
KERNEL(11)
KERNEL(12)
KERNEL(13)
KERNEL(14)
KERNEL(15)
KERNEL(16)
KERNEL(17)
KERNEL(18)
KERNEL(19)
KERNEL(20)
KERNEL(21)
KERNEL(22)
KERNEL(23)
KERNEL(24)
KERNEL(25)
KERNEL(26)
KERNEL(27)
KERNEL(28)
KERNEL(29)
KERNEL(30)
KERNEL(31)
KERNEL(32)
KERNEL(33)
KERNEL(34)
KERNEL(35)
KERNEL(36)
KERNEL(37)
KERNEL(38)
KERNEL(39)
KERNEL(40)
KERNEL(41)
KERNEL(42)
KERNEL(43)
KERNEL(44)
KERNEL(45)
KERNEL(46)
KERNEL(47)
KERNEL(48)
KERNEL(49)

typedef void (*Kernel)(float*, const float*, float, int);
static Kernel every[] = {k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12,k13,k14,k15,k16,k17,k18,k19,k20,k21,k22,k23,k24,k25,k26,k27,k28,k29,k30,k31,k32,k33,k34,k35,k36,k37,k38,k39,k40,k41,k42,k43,k44,k45,k46,k47,k48,k49};
static void fill(std::vector<float>& v) { for (size_t i = 0; i < v.size(); ++i) v[i] = (i * 37 % 101) / 101.0f; }
static double work(int rounds, int sizes, bool graph) {
  cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  const int most = 1 << 18;
  std::vector<float> h(most); fill(h);
  float *x, *y; cudaMalloc(&x, most * 4); cudaMalloc(&y, most * 4);
  cudaMemcpyAsync(x, h.data(), most * 4, cudaMemcpyHostToDevice, s); cudaMemsetAsync(y, 0, most * 4, s);
  for (int r = 0; r < rounds; ++r) {
    cudaGraph_t g; cudaGraphExec_t e;
    if (graph) cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    for (int z = 0; z < sizes; ++z)
      for (int k = 0; k < 50; ++k) {
        int n = 1000 + 4096 * z + k;
        every[k]<<<(n + 127) / 128, 128, 0, s>>>(y, x, 0.25f, n);
      }
    if (graph) { cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&e, g, 0); cudaGraphLaunch(e, s); cudaGraphLaunch(e, s);
      cudaStreamSynchronize(s); cudaGraphExecDestroy(e); cudaGraphDestroy(g); }
  }
  cudaMemcpyAsync(h.data(), y, most * 4, cudaMemcpyDeviceToHost, s); cudaStreamSynchronize(s);
  double sum = 0; for (float v : h) sum += v;
  cudaFree(x); cudaFree(y); cudaStreamDestroy(s);
  return sum;
}
int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1, rounds = argc > 2 ? atoi(argv[2]) : 2; bool graph = argc > 3;
  std::vector<double> sums(threads); std::vector<std::thread> ts;
  for (int t = 0; t < threads; ++t) ts.emplace_back([&, t] { sums[t] = work(rounds, 50, graph && t % 2 == 0); });
  for (auto& t : ts) t.join();
  for (double s : sums) printf("sum %.6f\n", s);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
