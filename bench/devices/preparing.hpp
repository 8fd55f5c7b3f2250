#pragma once
#include <filesystem>

namespace bench {

/// How much faster are two devices than one, where the first trial of a problem on a device waits for inputs
/// and reference? 15 problems like squares of 256 to 4096, trials, preparations and compilations as long as
/// those of the matmul family on an H100 (docs/results/h100-2026-11-24-devices), once with a strategy that
/// waits for its results and once with one that does not. Prints times, ratios, and how often a problem was
/// prepared. Databases are made in `folder`. Whether two are as much faster as wanted.
bool report_preparing(const std::filesystem::path& folder);

}  // namespace bench
