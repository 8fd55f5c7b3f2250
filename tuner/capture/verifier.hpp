#pragma once
#include <string>
#include <vector>

#include "tuner/capture/replacer.hpp"

namespace tuner::capture {

/// Runs a launch as the program asked for it, puts back what it wrote, runs the replacement, and compares.
/// The replacement's results stay. `told`: how they compare, for people. Fails as the replacement does; then
/// the program's own results are there.
tuner_error verify(const Replacement& replacement, const Launch& launch, const LaunchQueue& queue,
                   CuResult& result, std::string& told);

}  // namespace tuner::capture
