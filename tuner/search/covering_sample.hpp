#pragma once
#include <cstddef>
#include <vector>

#include "tuner/space/configuration_list.hpp"

namespace tuner::search {

/// A small part of a space in which every two values of different parameters that occur together somewhere
/// occur together at least once (pairwise covering, as in combinatorial testing). Greedy and repeatable:
/// indices into `list`, ascending.
std::vector<std::size_t> covering_sample(const space::ConfigurationList& list);

}  // namespace tuner::search
