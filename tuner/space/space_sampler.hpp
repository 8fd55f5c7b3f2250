#pragma once
#include "tuner/space/configuration_list.hpp"
#include "tuner/space/counted_space.hpp"

namespace tuner::space {

/// Valid configurations met by random descents, each once, in written order, marked as a sample: for a space
/// whose constraints are too irregular to count it. What has few siblings is met more often than the rest.
/// The same for the same space, unless `go_on` ended it.
ConfigurationList sample_space(const CompiledSpec& compiled, const model::Problem& problem,
                               const model::DeviceLimits& limits, const GoOn& go_on);

}  // namespace tuner::space
