#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tuner::test {

/// Kernels of one family, `scale_0` and so on: each next one does more for the same result.
inline void write_kernels(const std::filesystem::path& folder, int kernels) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "scale.cu") << R"(
__global__ void scale(float* x, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n) return;
  float y = x[i];
  for (int k = 0; k < WORK; ++k) y = y * 0.5f + x[i] * 0.5f;
  x[i] = y * 2;
}
)";
  for (int kernel = 0; kernel < kernels; ++kernel) {
    std::ofstream(folder / fmt::format("scale_{}.toml", kernel)) << fmt::format(R"toml(verify = "none"
[kernel]
name = "scale_{0}"
family = "scale"
description = "twice as much of everything, and that {1} times over before it is written"
source = "scale.cu"
entry = "scale"
sizes = ["N"]
default = {{ BLOCK_SIZE = 32 }}
options = ["-DWORK={1}"]
[parameters]
BLOCK_SIZE = [32, 64, 128]
UNROLL_OF_NOTHING = ["by_hand", "by_the_compiler"]
[launch]
block = ["BLOCK_SIZE"]
grid = ["ceil_div(N, BLOCK_SIZE)"]
[[arguments]]
name = "x"
type = "float*"
access = "inout"
extent = ["N"]
init = "uniform(-1, 1)"
[[arguments]]
name = "N"
type = "int"
[metrics]
"GB/s" = "8 * N / time_ns"
)toml",
                                                                                kernel, 40 * kernel);
  }
}

}  // namespace tuner::test
