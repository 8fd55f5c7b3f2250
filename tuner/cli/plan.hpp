#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/outlined_sweep.hpp"

namespace tuner::cli {

/// What a sweep will take, as far as the past or a sample tells.
struct SweepPlan {
  std::int64_t trials = 0;
  std::int64_t known = 0;
  std::int64_t problems = 0;
  std::int64_t binaries = 0;               ///< that the trials left need, each once
  std::int64_t references = 0;             ///< likewise
  std::int64_t cached = 0;                 ///< of both, those in the cache
  bool is_sampled = false;                 ///< binaries and compiling are told by a sample of what is left
  double compile_seconds = 0;              ///< of one core, for what is not in the cache
  std::vector<std::string> compile_basis;  ///< a sentence a kernel: by what it is expected
  double device_seconds = 0;
  std::vector<std::string> device_basis;  ///< likewise, a sentence a family
  bool is_device_assumed = false;         ///< nothing like it was measured
  std::int64_t left() const { return trials - known; }
};

/// Compiles a few configurations of each kernel that the database knows no compile times of, past the cache.
/// Throws what a missing compiler throws.
SweepPlan plan_sweep(const OutlinedSweep& sweep, const config::Settings& settings,
                     const db::Connection& known);

/// Into how many parts, to be done at once, the sweep is split so that each takes about an hour.
int sensible_parts(const SweepPlan& plan, int compilers);

}  // namespace tuner::cli
