#pragma once
#include <string>
#include <vector>

#include "config/fit_expression.hpp"
#include "config/recorded_launches.hpp"

namespace config {

/// What of a kernel's integers is a size, and what follows from sizes.
struct RecordedSizes {
  std::vector<FitName> sizes;
  std::vector<std::string> integers;  ///< what the spec writes for each integer of the launches
};

/// Integers become sizes but for those that are a product of others, or say how data lies and are equal to
/// one. A kernel without integers has one size, which is how much
/// an output holds; then `launches` are left with those in which that is known.
RecordedSizes find_recorded_sizes(const DraftSource& source, const DraftTypes& types, const DraftPlan& plan,
                                  RecordedLaunches& launches);

}  // namespace config
