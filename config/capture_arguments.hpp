#pragma once
#include <string>
#include <vector>

#include "config/capture_plan.hpp"
#include "config/draft_plan.hpp"

namespace config {

/// The arguments of a captured kernel, with recorded values and files.
struct CaptureArguments {
  DraftArguments arguments;
  std::string structs;  ///< TOML: of those that the source does not say
  std::string verify;   ///< TOML; empty: nothing that a launch wrote was recorded
  std::vector<DraftFile> files;
  std::vector<std::string> sizes;  ///< of the launches that the spec is held against
  bool has_fixed_extent = false;   ///< a buffer holds so much as in the launch, whatever the sizes are
};

/// Outputs are held against what the recorded launch left. How exactly follows from launches with the same
/// inputs, where the capture has some.
CaptureArguments capture_arguments(DraftSource& source, const CapturedSource& captured,
                                   const CapturePlan& planned);

}  // namespace config
