#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// What is left to gain after some candidates were drawn at random, from how close the fastest of them lie:
/// the logarithm of the time is taken to have an exponential lower tail, whose mean the fastest tell (Hill,
/// A simple general approach to inference about the tail of a distribution, 1975). Of `left` candidates that
/// were not drawn, J are faster with probability (1 - q) q^J, q = left / all, and the gain is the largest of
/// J exponential variables. Tails of real spaces end, so this errs on the side of hope.
///
/// `log_times`: of what was drawn, failures left out; `drawn`: with them. Nothing below 10 times.
std::optional<Outlook> order_statistics(std::vector<double> log_times, std::size_t drawn, std::size_t left);

/// At most this share of what is left of `candidates` is faster than the best of `drawn` of them, with 95 %
/// confidence: were more of them faster, so many draws would have met one. Holds on any space.
double most_faster(std::size_t candidates, std::size_t drawn);

/// What any strategy knows once no candidate is left.
Outlook exhausted();

}  // namespace tuner::search
