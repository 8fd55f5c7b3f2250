// What sources of others need of a spec: a whole program around a kernel, an old C++, headers from outside,
// constants, a memset in the timed part.
#include <doctest/doctest.h>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::write_text;

TEST_SUITE("tuner command line, sources of others") {
  namespace {

  /// Sums blocks of numbers into one that has to be 0 before, scaled by the square root of how many there
  /// are.
  void write_program(const User& user) {
    write_text(user.home / "settings.h", "#pragma once\ntypedef float number;\n");
    write_text(user.home / "sum.cu", R"(#include <stdio.h>
#include <vector>
#include <cublas_v2.h>
#define ON_BOTH __host__ __device__
#define CHECK(call) check((call), __LINE__)
void check(cudaError_t error, int line) {
  if (error != cudaSuccess) printf("line %d\n", line);
}
namespace parts {
ON_BOTH inline number twice(number x) { return 2 * x; }
template <class T> T on_host(const std::vector<T>& all) { return all.at(0); }
}
cublasHandle_t handle;
struct Options { int blocks; bool quiet; };
__global__ void sum(const number* x, number* out, float scale, int n) {
  number own = 0;
#pragma unroll UNROLL
  for (int i = 0; i < UNROLL; ++i) {
    const int at = (blockIdx.x * blockDim.x + threadIdx.x) * UNROLL + i;
    if (at < n) own += parts::twice(x[at]) * scale;
  }
  atomicAdd(out, own);
}
void sum(const std::vector<number>& x) {
  number* out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(number)));
  sum<<<1, 32>>>(x.data(), out, 1.0f, static_cast<int>(x.size()));
}
int main(int argc, char** argv) {
  Options options = {argc, false};
  sum(std::vector<number>(options.blocks));
  return parts::on_host(std::vector<int>{0});
}
)");
    write_text(
        user.home / "reference.cu",
        "extern \"C\" __global__ void reference(const float* x, double* out, double* magnitude, int N) {\n"
        "  double sum = 0, size = 0;\n"
        "  for (int i = 0; i < N; ++i) { sum += 2.0 * x[i]; size += 2.0 * fabs((double)x[i]); }\n"
        "  out[0] = sum / sqrt((double)N);\n  magnitude[0] = size / sqrt((double)N);\n}\n");
    write_text(user.home / "sum.toml", R"toml(constraints = []
[kernel]
name = "scaled_sum"
source = "sum.cu"
entry = "sum"
sizes = ["N"]
compiler = "nvcc"
deterministic = false
options = ["-std=c++11", "-include settings.h"]

[parameters]
UNROLL = { values = [1, 4], constexpr = true }

[[launch]]
memset = "out"

[[launch]]
block = 64
grid = "ceil_div(N, 64 * UNROLL)"

[[arguments]]
name = "x"
type = "float*"
access = "in"
extent = "N"
init = "uniform(-1, 1)"

[[arguments]]
name = "out"
type = "float*"
access = "out"
extent = 1

[[arguments]]
name = "scale"
type = "float"
value = "1 / sqrt(N)"

[[arguments]]
name = "n"
type = "int"
value = "N"

[verify]
reference = "reference.cu"
rounding_terms = "N + 4"

[verify.launch]
entry = "reference"
block = 1
grid = 1
arguments = ["x", "out.expected", "out.magnitude", "N"]
)toml");
  }

  constexpr int no_device = 4;

  }  // namespace

  TEST_CASE("a whole program's kernel runs on the CPU device, without the code for the host") {
    const User user;
    write_program(user);
    const auto run = user.types({"run", "--kernel", "sum.toml", "--device", "cpu", "--sizes", "1000"});
    INFO(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(run.out, "UNROLL="));
    CHECK_FALSE(has(run.err, "failed"));
  }

  TEST_CASE("classes of a program keep what kernels use, and lose their functions of the host") {
    const User user;
    write_program(user);
    write_text(user.home / "sum.cu",
               "#include <cuda_runtime.h>\n"
               "struct Scale {\n  float by;\n  explicit Scale(float of) : by{of} {}\n"
               "  __device__ float operator()(float x) const { return by * x; }\n};\n"
               "__global__ void sum(const float* x, float* out, float scale, int n);\n"
               "template <class T> class Solver {\n public:\n  Solver(int n) : m_n{n}, m_x(nullptr) { "
               "cudaMalloc(&m_x, n * sizeof(T)); }\n"
               "  ~Solver() { cudaFree(m_x); }\n  void step() const { sum<<<1, 1>>>(m_x, m_x, 1, m_n); }\n"
               "  static __device__ T first(const T* x) { return x[0]; }\n private:\n  int m_n = {1};\n  T* "
               "m_x;\n};\n"
               "__global__ void sum(const float* x, float* out, float scale, int n) {\n"
               "  float all = Solver<float>::first(x);\n  for (int i = 1; i < n; ++i) all += x[i];\n"
               "  out[0] = 2 * scale * all * (UNROLL > 0);\n}\n"
               "template <class T> int twice(T x) { return 2 * x; }\ntemplate int twice<float>(float);\n"
               "int main() { Solver<float> solver(3); solver.step(); }\n");
    const auto run = user.types({"run", "--kernel", "sum.toml", "--device", "cpu", "--sizes", "1000"});
    INFO(run.out, run.err, user.types({"list", "failures"}).out);
    CHECK(run.exit_code == 0);
    CHECK_FALSE(has(run.err, "failed"));
  }

  TEST_CASE("nvcc compiles it as it is") {
    const User user;
    write_program(user);
    const auto check = user.types({"check", "sum.toml"});
    INFO(check.out, check.err);
    if (check.exit_code == no_device) {
      MESSAGE("no CUDA toolkit here");
      return;
    }
    CHECK(check.exit_code == 0);
    CHECK(has(check.out, "2 of them tried for sm_90 by nvcc "));
  }

  TEST_CASE("host code that cannot be taken out is named in one line, with the way out") {
    const User user;
    write_program(user);
    write_text(user.home / "sum.cu",
               "struct Timer { Unknown begin; };\n__global__ void sum(const float* x, float* out, float "
               "scale, int n) { out[0] = UNROLL; }\nint main() { sum<<<1, 1>>>(0, 0, 0, 0); }\n");
    CHECK(user.types({"run", "--kernel", "sum.toml", "--device", "cpu", "--sizes", "1000"}).exit_code == 1);
    const std::string told = tuner::test::words_of(user.types({"list", "failures"}).out);
    CHECK(has(told,
              "error: 'Unknown' does not name a type (the CPU device removes functions of the host, see "
              "sum.cu:3"));
  }
}
