#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tuner::capture {

/// A launch in the folder of a capture.
struct SavedLaunch {
  std::string folder;  ///< below that of the capture
  std::string kernel;  ///< as the binary has it
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;  ///< of its files
};

/// Makes the final form of what the library left in `folder`, a launch's: compares memory before and after,
/// packs it as `.npy.gz` and writes launch.json last (docs/capture.md). Throws model::Error where the launch
/// is not whole.
SavedLaunch finish_launch(const std::filesystem::path& folder);

}  // namespace tuner::capture
