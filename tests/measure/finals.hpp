#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tests/measure/noisy_gpu.hpp"
#include "tuner/measure/runner.hpp"
#include "tuner/measure/sampler.hpp"

namespace tests {

namespace measure = tuner::measure;
using tuner::device::Timing;
using tuner::model::FinalOutcome;
using tuner::model::FinalPolicy;

inline FinalPolicy standard() {
  return measure::policy("standard").final;
}

/// A final of finalists whose times a function tells.
inline FinalOutcome final_of(std::size_t finalists, std::function<Timing(std::size_t)> sample,
                             const FinalPolicy& policy = standard(), std::uint64_t seed = 1) {
  measure::FinalTask task;
  task.policy = policy;
  task.finalists.resize(finalists);
  task.seed = seed;
  task.max_sm_clock_mhz = NoisyGpu::max_clock_mhz;
  task.sample = std::move(sample);
  return measure::Final(std::move(task)).run();
}

inline FinalOutcome final_on(NoisyGpu& gpu, const std::vector<double>& true_ns,
                             const FinalPolicy& policy = standard(), std::uint64_t seed = 1) {
  return final_of(
      true_ns.size(), [&](std::size_t finalist) { return gpu.sample(true_ns[finalist]); }, policy, seed);
}

/// A task of the standard policy, without samples.
inline measure::FinalTask task_of(std::size_t finalists, std::uint64_t seed = 1) {
  measure::FinalTask task;
  task.policy = standard();
  task.finalists.resize(finalists);
  task.seed = seed;
  task.max_sm_clock_mhz = NoisyGpu::max_clock_mhz;
  return task;
}

}  // namespace tests
