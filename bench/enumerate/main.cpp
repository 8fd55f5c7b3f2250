// How long does it take to know every valid configuration of a large space? CLTune's GEMM space, and one with
// two lists of 512 values and 10^8 raw combinations, against a limit of 50 ms: the best of 20 rounds,
// compiling the spec included. Then spaces of 10^6 to 10^10 valid configurations, which are counted rather
// than listed, against a limit of a second and 100 MiB.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <string>

#include "tests/space/cltune_gemm.hpp"
#include "tests/space/spec_builder.hpp"
#include "tuner/space/kernel_space.hpp"

namespace {

using namespace tuner;

constexpr double limit_ms = 50;
constexpr int rounds = 20;

constexpr double long_lists_combinations = 512.0 * 512 * 64 * 8;

/// y = a x with a tile of A x B elements. Few shapes fit.
model::KernelSpec long_lists() {
  model::KernelSpec spec = space::scale_spec();
  const auto range = [](std::int64_t most) {
    std::vector<model::Value> values;
    for (std::int64_t value = 1; value <= most; ++value) values.emplace_back(value);
    return values;
  };
  spec.parameters = {space::parameter("B", range(512)), space::parameter("A", range(512)),
                     space::parameter("C", range(64)), space::parameter("D", range(8))};
  spec.constraints = {space::expression("A * B <= 1024"), space::expression("A * B % (32 * C) == 0"),
                      space::expression("is_pow2(D)")};
  return spec;
}

template <typename Work>
void report(const char* what, double combinations, Work&& work) {
  double best_ms = std::numeric_limits<double>::infinity();
  std::int64_t found = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    found = work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    best_ms = std::min(best_ms, took.count());
  }
  fmt::print("{:<44} {:>8.2f} ms   {:>5.2f} of {} ms   {:>6.0f} M combinations/s   {} valid\n", what, best_ms,
             best_ms / limit_ms, limit_ms, combinations / best_ms / 1e3, found);
}

/// A tile of A x B, strides that divide it, and what is left of `valid` in parameters that two constraints
/// tie to the tile.
model::KernelSpec large(int exponent) {
  model::KernelSpec spec = space::scale_spec();
  const auto range = [](std::int64_t most) {
    std::vector<model::Value> values;
    for (std::int64_t value = 1; value <= most; ++value) values.emplace_back(value);
    return values;
  };
  spec.parameters = {space::parameter("B", range(48)), space::parameter("A", range(48))};
  spec.constraints = {space::expression("A * B <= 1024")};
  std::string last = "A";
  for (int i = 3; i < exponent; ++i) {
    const std::string name = "P" + std::to_string(i);
    spec.parameters.push_back(space::parameter(name, range(12)));
    if (i < 9) spec.constraints.push_back(space::expression(last + " * " + name + " % 7 != 0"));
    last = name;
  }
  return spec;
}

std::int64_t peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void report_large(int exponent) {
  const model::KernelSpec spec = large(exponent);
  const model::Problem problem = space::make_problem(spec, {1 << 20}, std::nullopt, 0);
  const space::KernelSpace kernel(spec);
  const std::int64_t before_kib = peak_kib();
  const auto begin = std::chrono::steady_clock::now();
  const space::ConfigurationList list = kernel.list(problem, {});
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  constexpr int draws = 100'000;
  std::mt19937_64 random(1);
  std::size_t sum = 0;
  const auto draw = std::chrono::steady_clock::now();
  for (int i = 0; i < draws; ++i) sum += list.coordinates(random() % list.size())[0];
  const std::chrono::duration<double, std::nano> drew = std::chrono::steady_clock::now() - draw;
  fmt::print(
      "{:>14} valid: {:>8.2f} ms, {:>5.2f} of 1 s; {:>7} edges, {:>5.1f} MiB more; {:.0f} ns a draw{}\n",
      list.size(), took.count(), took.count() / 1000, list.counted() ? list.counted()->edges() : 0,
      static_cast<double>(peak_kib() - before_kib) / 1024, drew.count() / draws, sum == 0 ? "!" : "");
}

}  // namespace

int main() {
  for (const int exponent : {6, 7, 8, 9, 10}) report_large(exponent);
  const model::KernelSpec spec = space::cltune_gemm();
  const model::Problem problem = space::make_problem(spec, {2048}, std::nullopt, 0);
  const model::DeviceLimits limits;
  fmt::print("CLTune's GEMM space, {} combinations\n", space::cltune_gemm_combinations);
  constexpr double of_gemm = space::cltune_gemm_combinations;
  report("count", of_gemm, [&] { return space::count(spec, problem, limits); });
  report("list (coordinates kept)", of_gemm,
         [&] { return static_cast<std::int64_t>(space::KernelSpace(spec).list(problem, limits).size()); });
  report("enumerate (a Configuration shown for each)", of_gemm, [&] {
    std::int64_t visited = 0;
    space::enumerate(spec, problem, limits, [&](const model::Configuration&) { return ++visited > 0; });
    return visited;
  });
  report("configurations (a Configuration kept for each)", of_gemm,
         [&] { return static_cast<std::int64_t>(space::configurations(spec, problem, limits).size()); });

  const model::KernelSpec lists = long_lists();
  const model::Problem elements = space::make_problem(lists, {1 << 20}, std::nullopt, 0);
  fmt::print("lists of 512 values, {} combinations\n", long_lists_combinations);
  report("count", long_lists_combinations, [&] { return space::count(lists, elements, limits); });
  report("list (coordinates kept)", long_lists_combinations,
         [&] { return static_cast<std::int64_t>(space::KernelSpace(lists).list(elements, limits).size()); });
}
