#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "tuner/search/strategies.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search::learn {

std::span<const Setting> settings();

/// Learns from results which candidates are worth trying: Gaussian processes over all kernels of the space
/// together. See docs/search.md.
std::unique_ptr<Strategy> make(const SearchSpace& space, std::uint64_t seed, const Settings& settings);

}  // namespace tuner::search::learn
