#pragma once
#include <string>
#include <vector>

#include "config/draft_plan.hpp"
#include "config/recorded_launches.hpp"

namespace config {

/// A kernel's recorded launches in the words of a spec.
struct CapturePlan {
  DraftPlan plan;
  RecordedLaunches launches;
  std::vector<std::string> integers;  ///< what the spec writes for each of `launches.integers`
  FitNames names;                     ///< of the plan, in the kept launches
};

/// Parameters are those that the source has, with the values of the recorded launch as default. Sizes are
/// integers that grids and extents follow, or that differ between launches. Blocks and grids are as in the
/// launch of the source where that gives the recorded numbers, or else expressions fitted to them.
CapturePlan plan_capture(DraftSource& source, const CapturedSource& captured);

/// Whether the name occurs in an expression.
bool mentions(const std::string& expression, const std::string& name);

}  // namespace config
