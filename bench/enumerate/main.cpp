// How long does it take to know every valid configuration of a large space? CLTune's GEMM space, against a
// limit of 50 ms: the best of 20 rounds, compiling the spec included.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "tests/space/cltune_gemm.hpp"
#include "tuner/space/kernel_space.hpp"

namespace {

using namespace tuner;

constexpr double limit_ms = 50;
constexpr int rounds = 20;

template <typename Work>
void report(const char* what, Work&& work) {
  double best_ms = std::numeric_limits<double>::infinity();
  std::int64_t found = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    found = work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    best_ms = std::min(best_ms, took.count());
  }
  fmt::print("{:<44} {:>8.2f} ms   {:>5.2f} of {} ms   {:>6.0f} M combinations/s   {} valid\n", what, best_ms,
             best_ms / limit_ms, limit_ms, space::cltune_gemm_combinations / best_ms / 1e3, found);
}

}  // namespace

int main() {
  const model::KernelSpec spec = space::cltune_gemm();
  const model::Problem problem = space::make_problem(spec, {2048}, std::nullopt, 0);
  const model::DeviceLimits limits;
  fmt::print("CLTune's GEMM space, {} combinations\n", space::cltune_gemm_combinations);
  report("count", [&] { return space::count(spec, problem, limits); });
  report("list (coordinates kept)",
         [&] { return static_cast<std::int64_t>(space::KernelSpace(spec).list(problem, limits).size()); });
  report("enumerate (a Configuration shown for each)", [&] {
    std::int64_t visited = 0;
    space::enumerate(spec, problem, limits, [&](const model::Configuration&) { return ++visited > 0; });
    return visited;
  });
  report("configurations (a Configuration kept for each)",
         [&] { return static_cast<std::int64_t>(space::configurations(spec, problem, limits).size()); });
}
