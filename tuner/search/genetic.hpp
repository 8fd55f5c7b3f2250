#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "tuner/search/settings.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search {

std::span<const Setting> genetic_settings();

/// A genetic algorithm without generations: each proposal crosses two of the fastest so far, and sometimes
/// changes a parameter more. Results enter the population as they come, so that any number may be under way.
std::unique_ptr<Strategy> genetic(const SearchSpace& space, std::uint64_t seed, const Settings& settings);

}  // namespace tuner::search
