#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::write_text;

TEST_SUITE("tuner command line, nvcc") {
  namespace {

  const char* const spec = R"toml(constraints = []
[kernel]
name = "twice"
source = "twice.cu"
entry = "twice<THREADS>"
sizes = ["N"]
compiler = "nvcc"
options = ["--extended-lambda", "-DFACTOR=2"]

[parameters]
THREADS = [64, 128]

[launch]
block = ["THREADS"]
grid = ["ceil_div(N, THREADS)"]

[[arguments]]
name = "x"
type = "float*"
access = "inout"
extent = ["N"]
init = "uniform(-1, 1)"

[[arguments]]
name = "n"
type = "int"
value = "N"

[verify]
reference = "reference.cu"
rounding_terms = "1"

[verify.launch]
entry = "reference"
block = [256]
grid = ["ceil_div(N, 256)"]
arguments = ["x", "x.expected", "x.magnitude", "N"]
)toml";

  const std::string kernel = R"(#include <iostream>
#include <vector>
template <int BLOCK> __global__ void twice(float* x, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) x[i] *= FACTOR;
}
)";

  /// A kernel in a source that has a whole program in it.
  void write_kernel(const User& user, const std::string& host_code) {
    write_text(user.home / "twice.toml", spec);
    write_text(user.home / "twice.cu", kernel + host_code);
    write_text(
        user.home / "reference.cu",
        "extern \"C\" __global__ void reference(const float* x, double* expected, double* magnitude, int N) "
        "{\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < N) expected[i] = 2.0 * x[i];\n"
        "  if (i < N) magnitude[i] = fabs(2.0 * x[i]);\n}\n");
  }

  constexpr int no_device = 4;

  }  // namespace

  TEST_CASE("the CPU device runs a kernel that asks for nvcc, which need not be there") {
    User user;
    write_kernel(user, "int main() { std::cout << std::vector<int>(3).size(); }\n");
    user.environment["TUNER_NVCC"] = "/nowhere/nvcc";
    const auto run = user.types({"run", "--kernel", "twice.toml", "--device", "cpu", "--sizes", "1000"});
    INFO(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK(has(run.out, "THREADS="));
    const auto again = user.types({"run", "--kernel", "twice.toml", "--device", "cpu", "--sizes", "1000"});
    CHECK_FALSE(has(again.err, "trials in "));
  }

  TEST_CASE("a kernel with two buffers of one type is found beside a function of the host of its name") {
    User user;
    write_kernel(user, "");
    std::string changed = spec;
    changed.replace(changed.find("twice<THREADS>"), 14, "twice");
    changed.replace(
        changed.find("[verify]"), 0,
        "[[arguments]]\nname = \"y\"\ntype = \"float*\"\naccess = \"in\"\nextent = [\"N\"]\ninit = "
        "\"constant(0)\"\n\n");
    write_text(user.home / "twice.toml", changed);
    write_text(user.home / "twice.cu", R"(#include <vector>
__global__ void twice(float* x, int n, float* y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) x[i] = x[i] * FACTOR + y[i];
}
__global__ void twice(float* x, float* y) { x[0] = y[0]; }
void twice(std::vector<float>& x) { twice<<<1, 1>>>(x.data(), 0, nullptr); }
)");
    const auto check = user.types({"check", "twice.toml"});
    INFO(check.out, check.err);
    if (check.exit_code == no_device) {
      MESSAGE("no CUDA toolkit here");
      return;
    }
    CHECK(check.exit_code == 0);
    CHECK(has(check.out, "2 of them tried for sm_90 by nvcc "));
  }

  TEST_CASE("what NVCC_CCBIN names has a say in what nvcc makes, so it is part of the toolkit") {
    User user;
    user.has_own_cache();
    write_kernel(user, "");
    const std::string wrapper = user.home / "wrapper";
    const auto compiles = [&] {
      return user.types({"compile", "--kernel", "twice.toml", "--gpu", "sm_90", "--sizes", "1000"});
    };
    const auto first = compiles();
    if (first.exit_code == no_device) {
      MESSAGE("no CUDA toolkit here");
      return;
    }
    CHECK(has(compiles().err, ", 4 were there"));
    user.environment["NVCC_CCBIN"] = wrapper;
    for (const char* option : {"-DFIRST", "-DSECOND"}) {
      write_text(wrapper, std::string("#!/bin/sh\nexec g++ ") + option + " \"$@\"\n");
      chmod(wrapper.c_str(), 0755);
      CHECK(has(compiles().err, ", 0 were there"));
      CHECK(has(compiles().err, ", 4 were there"));
    }
    user.environment.erase("NVCC_CCBIN");
    CHECK(has(compiles().err, ", 4 were there"));
  }

  TEST_CASE("check compiles a whole program's kernel by nvcc, and says so where there is none") {
    User user;
    write_kernel(user, "int main() {\n  twice<32><<<1, 32>>>(nullptr, 0);\n  std::cout << 1;\n}\n");
    const auto check = user.types({"check", "twice.toml"});
    INFO(check.out, check.err);
    if (check.exit_code == no_device) {
      MESSAGE("no CUDA toolkit here");
      return;
    }
    CHECK(check.exit_code == 0);
    CHECK(has(check.out, "2 of them tried for sm_90 by nvcc "));
    CHECK(has(check.out, "ok"));

    user.environment["TUNER_NVCC"] = "/nowhere/nvcc";
    const auto absent = user.types({"check", "twice.toml"});
    CHECK(absent.exit_code == no_device);
    CHECK(has(absent.err, "a spec asks for it"));
    CHECK(has(absent.err, "/nowhere/nvcc"));
    CHECK(has(absent.err, "TUNER_NVCC"));

    user.environment.erase("TUNER_NVCC");
    write_text(user.home / "twice.cu", "\n\nnonsense\n" + kernel);
    const auto wrong = user.types({"check", "twice.toml"});
    CHECK(wrong.exit_code == 1);
    CHECK(has(wrong.err, "compile_error of"));
    CHECK(has(wrong.err, "twice.cu(3): error"));
  }
}
