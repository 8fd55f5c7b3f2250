#pragma once
#include <cstddef>
#include <limits>
#include <vector>

#include "tuner/space/configuration_list.hpp"

namespace tuner::search {

/// A small part of a space in which every two values of different parameters that occur together somewhere
/// occur together at least once (pairwise covering, as in combinatorial testing). Greedy and repeatable:
/// indices into `list`, ascending. Of more than `most` only the first that the greedy choice makes, which
/// have the most pairs that no earlier one has. Of a list that is counted, of `drawn_of_counted` of its
/// configurations, drawn at random: pairs that none of these has are missing.
constexpr std::size_t drawn_of_counted = 20'000;
std::vector<std::size_t> covering_sample(const space::ConfigurationList& list,
                                         std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace tuner::search
