#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "tuner/search/settings.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search {

std::span<const Setting> local_search_settings();

/// Iterated local search: tries the neighbours of the best near here in a random order and moves to the first
/// that is faster. Where none is left it goes on some random steps from the best of all, or anywhere.
std::unique_ptr<Strategy> local_search(const SearchSpace& space, std::uint64_t seed,
                                       const Settings& settings);

}  // namespace tuner::search
