#pragma once
#include <cstddef>
#include <string>

namespace bench {

/// Plays `strategy` over an invented space of 204,800 candidates, 16 under way, and prints what proposals
/// cost in time and memory. Returns whether they stay within the limits: 20 ms a proposal, 200 MB.
bool print_proposal_cost(const std::string& strategy, std::size_t evaluations);

}  // namespace bench
