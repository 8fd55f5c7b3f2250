#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/measure/noisy_gpu.hpp"
#include "tests/support/fake_device.hpp"
#include "tuner/measure/runner.hpp"
#include "tuner/measure/sampler.hpp"

// Racing and finals together, as a sweep has them.

namespace measure = tuner::measure;
using tests::NoisyGpu;

namespace {

constexpr std::size_t configurations = 200;

/// Times like those of a tiled kernel's configurations: a crowd within a few percent of the best, a long
/// tail.
std::vector<double> true_times(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> above(0, 1.2);
  std::vector<double> out(configurations);
  for (double& time : out) time = 1e6 * (1 + above(random));
  return out;
}

/// What a sweep with a policy would pick, and the time it would tell for it.
struct Picked {
  std::size_t configuration = 0;
  double told_ns = 0;
  int dropped = 0;
};

Picked race(NoisyGpu& gpu, const std::vector<double>& times, const tuner::model::MeasurePolicy& policy,
            std::uint64_t seed) {
  tests::FakeScript script;
  tests::FakeDevice device(script);
  Picked out;
  std::vector<double> medians(times.size(), 1e18);
  double best_ns = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    tests::NoisySequence sequence(gpu, times[i]);
    measure::SamplingTask task;
    task.policy = policy;
    task.best_ns = best_ns;
    task.warm_runs = {sequence.run(1)};
    task.max_sm_clock_mhz = NoisyGpu::max_clock_mhz;
    const auto samples = measure::Sampler(device, sequence, task).run();
    REQUIRE_FALSE(samples.measurement.samples_ns.empty());
    out.dropped += samples.dropped ? 1 : 0;
    if (samples.dropped) continue;
    medians[i] = samples.measurement.median_ns;
    if (best_ns == 0 || medians[i] < best_ns) best_ns = medians[i];
  }

  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return medians[a] < medians[b]; });
  std::erase_if(order, [&](auto i) { return medians[i] > policy.final.within * best_ns; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(policy.final.finalists)));
  measure::FinalTask task;
  task.policy = policy.final;
  task.finalists.resize(order.size());
  task.seed = seed;
  task.max_sm_clock_mhz = NoisyGpu::max_clock_mhz;
  task.sample = [&](std::size_t finalist) { return gpu.sample(times[order[finalist]]); };
  const auto outcome = measure::Final(std::move(task)).run();
  out.configuration = order[outcome.fastest];
  out.told_ns = outcome.standings[outcome.fastest].measurement.median_ns;
  return out;
}

}  // namespace

TEST_SUITE("tuner::measure racing") {
  TEST_CASE("a race and a final pick within 1 % of the best, at a tenth of 100 launches each") {
    const NoisyGpu::Weather calm = {.drift = 0, .outlier_share = 0};
    const NoisyGpu::Weather usual = {.outlier_share = 0.01};
    const NoisyGpu::Weather throttled = {.throttled_share = 0.02};
    for (const auto& weather : {calm, usual, throttled}) {
      int good = 0;
      int most_launches = 0;
      double told = 0;
      for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const auto times = true_times(seed);
        NoisyGpu gpu(1000 + seed, weather);
        const Picked picked = race(gpu, times, measure::policy("standard"), seed);
        const double best = *std::min_element(times.begin(), times.end());
        good += times[picked.configuration] <= 1.01 * best ? 1 : 0;
        most_launches = std::max(most_launches, gpu.samples);
        told += picked.told_ns / times[picked.configuration] / 100;
      }
      CAPTURE(weather.drift);
      CAPTURE(weather.throttled_share);
      CHECK(good >= 95);
      CHECK(most_launches < 100 * static_cast<int>(configurations) / 10);
      // A winner's time is as true as anybody's. Drift and outliers shift everybody's.
      if (weather.drift == 0) CHECK(std::fabs(told - 1) < 0.001);
    }
  }

  TEST_CASE("most configurations are dropped after one launch or three") {
    NoisyGpu gpu(1);
    const Picked picked = race(gpu, true_times(1), measure::policy("standard"), 1);
    CHECK(picked.dropped > 50);
  }
}
