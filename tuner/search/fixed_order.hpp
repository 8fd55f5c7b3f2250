#pragma once
#include <cstdint>
#include <memory>

#include "tuner/search/settings.hpp"
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

}  // namespace tuner::search
