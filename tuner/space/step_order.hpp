#pragma once
#include <vector>

#include "tuner/model/kernel_spec.hpp"

namespace tuner::space {

/// For each step that is kept, the kept steps (numbered among themselves) it must wait for on other streams.
/// Whoever waited for a step that is left out waits for what that step would have waited for: its own waits
/// and the steps before it on its stream.
std::vector<std::vector<int>> waits_of_kept(const std::vector<model::StepSpec>& steps,
                                            const std::vector<bool>& kept);

}  // namespace tuner::space
