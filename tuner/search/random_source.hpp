#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace tuner::search {

/// Random numbers that a seed determines on every platform: the engine's output is fixed by the C++ standard,
/// that of std::uniform_int_distribution and std::shuffle is not.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : m_engine(seed) {}

  /// Uniform in 0 … bound-1; `bound` at least 1.
  std::uint64_t below(std::uint64_t bound) {
    // The first 2^64 mod bound numbers would make small results likelier than large ones.
    const std::uint64_t unfair = (0 - bound) % bound;
    std::uint64_t drawn = m_engine();
    while (drawn < unfair) drawn = m_engine();
    return drawn % bound;
  }
  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(m_engine() >> 11) * 0x1p-53; }
  /// Of mean 0 and standard deviation 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

 private:
  std::mt19937_64 m_engine;
};

}  // namespace tuner::search
