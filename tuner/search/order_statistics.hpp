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

/// What any strategy knows once no candidate is left.
Outlook exhausted();

}  // namespace tuner::search
