#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/cli/compare.hpp"

namespace tuner::cli {

/// The file that one commits to hold later results against: of each problem in an environment the
/// configuration that was to be used, its time with interval and a few of its samples, the GPU, and the
/// digest of the kernel's definition. An entry a line, for a readable diff:
/// {"format":"tuner-baseline","version":1,"entries":[…]}.
std::string baseline_text(const std::vector<BestTrial>& best);

/// Whether `file` begins as these do; false where it cannot be read.
bool looks_like_baseline(const std::filesystem::path& file);

/// The inverse, of text that is not trusted. Throws model::Error that names the file and the entry.
std::vector<BestTrial> read_baseline(const std::filesystem::path& file);

}  // namespace tuner::cli
