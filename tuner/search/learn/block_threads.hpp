#pragma once
#include <cstdint>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tuner::search::learn {

/// Threads of the first launch's block, for each candidate; 0 where its expressions have no value without a
/// device. Empty where they say nothing of any kernel.
std::vector<std::int64_t> block_threads(const SearchSpace& space);

}  // namespace tuner::search::learn
