#pragma once
#include <string_view>
#include <vector>

#include "tuner/model/trial.hpp"

namespace tuner::measure {

/// `quick`, `standard`, `thorough`, `complete` (nothing is dropped) or `exhaustive` (100 samples of
/// everything), as --measure takes them. The policy's own name carries a version (`standard-3`): it is part
/// of the comparison class, so a change of any number below is a new version. With `flush_l2` samples start
/// with a cold L2 cache. Throws model::UsageError for another name.
model::MeasurePolicy policy(std::string_view name, bool flush_l2 = false);
std::vector<std::string_view> policy_names();

}  // namespace tuner::measure
