#pragma once
#include <cstdint>
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

 private:
  std::mt19937_64 m_engine;
};

}  // namespace tuner::search
