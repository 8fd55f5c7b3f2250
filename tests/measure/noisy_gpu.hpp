#pragma once
#include <cmath>
#include <cstdint>
#include <random>

#include "tuner/device/device.hpp"

namespace tests {

/// Times as a GPU gives them, from a seed: around the true one there is noise, some samples are interrupted,
/// the clock wanders for all alike, and now and then it is lowered.
class NoisyGpu {
 public:
  static constexpr double max_clock_mhz = 1980;

  struct Weather {
    double noise = 0.005;         ///< standard deviation of a sample
    double drift = 0.015;         ///< from the fastest to the slowest, within drift_samples
    double drift_samples = 300;   ///< half a period
    double outlier_share = 0.02;  ///< of samples that take 3 to 30 % longer
    double throttled_share = 0;   ///< of samples at 0.6 of the highest clock
  };

  explicit NoisyGpu(std::uint64_t seed) : m_random(seed) {}
  NoisyGpu(std::uint64_t seed, const Weather& weather) : m_weather(weather), m_random(seed) {}

  /// One sample of what takes `true_ns`.
  tuner::device::Timing sample(double true_ns) {
    const double phase = std::acos(-1.0) * (samples + static_cast<double>(m_start)) / m_weather.drift_samples;
    ++samples;
    double ns = true_ns * (1 + m_weather.noise * m_normal(m_random) + m_weather.drift / 2 * std::sin(phase));
    if (m_uniform(m_random) < m_weather.outlier_share) ns *= 1.03 + 0.27 * m_uniform(m_random);
    if (m_uniform(m_random) >= m_weather.throttled_share) return {ns, 0.95 * max_clock_mhz};
    return {ns / 0.6, 0.6 * max_clock_mhz};
  }

  int samples = 0;  ///< so far

 private:
  Weather m_weather;
  std::mt19937_64 m_random;
  std::normal_distribution<double> m_normal;
  std::uniform_real_distribution<double> m_uniform;
  std::uint64_t m_start = m_random() % 1000;
};

class NoisySequence final : public tuner::device::Sequence {
 public:
  using Sequence::run;
  NoisySequence(NoisyGpu& gpu, double true_ns) : m_gpu(gpu), m_true_ns(true_ns) {}
  tuner::device::Timing run(int repetitions, tuner::model::Execution) override {
    return m_gpu.sample(m_true_ns * repetitions);
  }
  int blocks_per_multiprocessor() const override { return 1; }

 private:
  NoisyGpu& m_gpu;
  double m_true_ns;
};

}  // namespace tests
