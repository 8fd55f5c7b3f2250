#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace bench::sweep {

/// What a whole `tuner run` did, as seen from outside and from its database.
struct TunerRun {
  double seconds = 0;  ///< of the process, from its start to its end
  int trials = 0;
  int ok = 0;  ///< dropped ones included: verified and timed
  int failed = 0;
  int unexpected = 0;           ///< of those that failed, others than unlaunchable
  double launches_seconds = 0;  ///< on the GPU: verified runs, samples and finals, at least
  std::string best;             ///< its metric and configuration
  std::string where_time_went;  ///< the tuner's own words
};

/// Runs `program run …` in an empty home: no cache, no database, no settings, NVRTC's and the driver's caches
/// off. Throws std::runtime_error with what it printed where it fails.
TunerRun run_tuner(const std::string& program, const std::filesystem::path& spec, const std::string& size,
                   const std::vector<std::string>& more);

}  // namespace bench::sweep
