#pragma once
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// Orders the problems of each family and type so that what one search finds helps the next, where the
/// strategies of `choice` learn from each other's results: first the problem of which most is known or, where
/// nothing is, the one nearest to all others; then always the nearest to one of those before. Else the order
/// stays as it was asked for.
void order_groups(const Request& request, const StrategyChoice& choice, TrialList& list);

}  // namespace tuner::sweep
