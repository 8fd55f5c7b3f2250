#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "tuner/search/strategies.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// Every candidate that is not known, in the order the spec's value lists give.
std::unique_ptr<Strategy> written_order(const SearchSpace& space, std::uint64_t seed,
                                        const Settings& settings);

/// Every candidate that is not known, in a random order that the space and the seed determine, whatever is
/// known: a drift of the device's clocks then falls on all parts of the space alike, a sweep that is cut
/// short has seen a fair sample of it, and one that is resumed goes on in the order it began with.
std::unique_ptr<Strategy> random_order(const SearchSpace& space, std::uint64_t seed,
                                       const Settings& settings);

std::span<const Setting> local_search_settings();

/// Iterated local search: tries the neighbours of the best near here in a random order and moves to the first
/// that is faster. Where none is left it goes on some random steps from the best of all, or anywhere.
std::unique_ptr<Strategy> local_search(const SearchSpace& space, std::uint64_t seed,
                                       const Settings& settings);

std::span<const Setting> genetic_settings();

/// A genetic algorithm without generations: each proposal crosses two of the fastest so far, and sometimes
/// changes a parameter more. Results enter the population as they come, so that any number may be under way.
std::unique_ptr<Strategy> genetic(const SearchSpace& space, std::uint64_t seed, const Settings& settings);

}  // namespace tuner::search
