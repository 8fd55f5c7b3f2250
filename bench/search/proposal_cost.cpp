#include "bench/search/proposal_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <fstream>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/search/strategies.hpp"

namespace bench {
namespace {

using namespace tuner;

constexpr double limit_ms = 20;
constexpr double limit_mib = 200;
constexpr std::size_t depth = 16;

double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib / 1024;
  }
  throw model::Error("/proc/self/status does not say VmHWM");
}

/// Eight parameters of four or five values and one of two, as in a wide space of matrix multiplications.
model::KernelSpec invented() {
  model::KernelSpec spec;
  spec.name = "invented";
  spec.family = "invented";
  spec.sizes = {"N"};
  spec.types = {model::ElementType::float32};
  for (const int values : {4, 4, 4, 4, 4, 4, 5, 5, 2}) {
    model::ParameterSpec& parameter = spec.parameters.emplace_back();
    parameter.name = fmt::format("P{}", spec.parameters.size());
    for (int v = 0; v < values; ++v) parameter.values.emplace_back(std::int64_t{8} << v);
  }
  model::StepSpec launch;
  launch.entry = "invented";
  launch.grid = {{"1", {}}};
  launch.block = {{"P1", {}}, {"P2", {}}};
  spec.steps = {launch};
  return spec;
}

double time_ns(std::span<const std::uint16_t> at) {
  double log_time = 0;
  for (std::size_t p = 0; p < at.size(); ++p) {
    const double off = at[p] - 0.3 * static_cast<double>(p);
    log_time += 0.05 * off * off;
    if (p > 0) log_time += 0.03 * std::abs(static_cast<double>(at[p]) - static_cast<double>(at[p - 1]));
  }
  return 1e6 * std::exp(log_time);
}

}  // namespace

bool print_proposal_cost(const std::string& text, std::size_t evaluations) {
  using Clock = std::chrono::steady_clock;
  const model::KernelSpec spec = invented();
  space::ConfigurationList list(spec.parameters);
  std::vector<std::uint16_t> at(spec.parameters.size(), 0);
  for (bool more = true; more;) {
    list.add(at);
    std::size_t p = 0;
    while (p < at.size() && ++at[p] == spec.parameters[p].values.size()) at[p++] = 0;
    more = p < at.size();
  }
  search::SearchSpace space;
  space.problem = {"invented", {{"N", 1024}}, model::ElementType::float32, 0};
  space.kernels = {{&spec, &list}};
  for (std::size_t i = 0; i < list.size(); ++i) space.candidates.push_back({0, i});
  space.known.resize(space.size());
  const double before_mib = peak_mib();

  const auto ms_since = [](Clock::time_point began) {
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
  };
  auto began = Clock::now();
  const auto strategy = search::strategy_named(text).make(space, 1);
  const double start_ms = ms_since(began);
  std::deque<std::size_t> under_way;
  std::vector<double> cost_ms;
  for (std::size_t done = 0; done < evaluations; ++done) {
    while (under_way.size() < depth) {
      began = Clock::now();
      under_way.push_back(strategy->next()->candidate);
      cost_ms.push_back(ms_since(began));
    }
    began = Clock::now();
    strategy->report(under_way.front(),
                     {model::TrialStatus::ok, time_ns(space.coordinates(under_way.front()))});
    under_way.pop_front();
    cost_ms.back() += ms_since(began);
  }
  double sum = 0;
  for (const double ms : cost_ms) sum += ms;
  std::sort(cost_ms.begin(), cost_ms.end());
  const double mean_ms = sum / static_cast<double>(cost_ms.size());
  const double mib = peak_mib() - before_mib;
  fmt::print(
      "{}: {} candidates, {} proposals: beginning {:.0f} ms, then mean {:.2f} ms, median {:.2f}, 95 % "
      "{:.1f}, "
      "longest {:.1f}\n",
      text, space.size(), cost_ms.size(), start_ms, mean_ms, cost_ms[cost_ms.size() / 2],
      cost_ms[cost_ms.size() * 95 / 100], cost_ms.back());
  fmt::print("mean / limit of {} ms: {:.3f}; memory {:.0f} MiB / limit of {}: {:.3f}\n", limit_ms,
             mean_ms / limit_ms, mib, limit_mib, mib / limit_mib);
  return mean_ms <= limit_ms && mib <= limit_mib;
}

}  // namespace bench
