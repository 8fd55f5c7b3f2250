#include "config/time_specs.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using config::ListOf;
using config::split_list;
using Parts = std::vector<std::string>;

TEST_SUITE("config, what is timed without a spec") {
  TEST_CASE("lists are split at commas outside of brackets, and `<` is a bracket in types alone") {
    CHECK(split_list("Tile<8, 4>[N, M] in, 2.5", ListOf::types) == Parts{"Tile<8, 4>[N, M] in", "2.5"});
    CHECK(split_list("N < 32 ? 1 : 2, ceil_div(M, 8)", ListOf::expressions) ==
          Parts{"N < 32 ? 1 : 2", "ceil_div(M, 8)"});
    CHECK(split_list("(N > M) * 2, 1 << 3", ListOf::expressions) == Parts{"(N > M) * 2", "1 << 3"});
    CHECK(split_list(" ", ListOf::expressions).empty());
  }

  TEST_CASE("a kernel that uses a variable of the device has its own buffers") {
    const tuner::source::Program program(
        {"k.cu",
         "__constant__ float weights[4];\n"
         "__global__ void k(float* y, const float* x, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = weights[0] * x[i]; }\n"},
        [](const std::string&, bool, const std::string&) { return std::nullopt; });
    const config::TimedKernel kernel{"k", "/k.cu", "k", program, program.functions().front(), "."};
    config::TimeRequest request;
    for (int i = 0; i < 2; ++i) request.kernels.push_back(kernel);
    request.arguments = "float[N], float[N], N";
    const std::string spec = config::time_specs(request).specs.front();
    const std::size_t y = spec.find("name = \"y\"");
    const std::size_t access = spec.find("access = ", y);
    CHECK_MESSAGE(spec.substr(access, 14) == "access = \"out\"", spec);
  }
}
