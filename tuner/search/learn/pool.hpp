#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "tuner/search/learn/records.hpp"
#include "tuner/search/neighbourhood.hpp"
#include "tuner/search/open_candidates.hpp"

namespace tuner::search::learn {

/// The candidates that a model looks at: all that are open, or of a large space `most` of them: what records
/// find best, neighbours and crossings of the best so far, and the rest at random.
std::vector<std::size_t> make_pool(std::size_t most, const OpenCandidates& open, const Records& records,
                                   const Neighbourhood& neighbourhood, std::span<const std::size_t> best,
                                   RandomSource& random);

}  // namespace tuner::search::learn
