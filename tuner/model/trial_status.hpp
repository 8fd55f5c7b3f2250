#pragma once
#include <optional>
#include <string_view>

namespace tuner::model {

/// How a trial ended. Each is a row in the database; none ends the sweep.
enum class TrialStatus {
  ok,
  dropped,         ///< clearly slower than the best; few samples kept, time approximate
  unlaunchable,    ///< the device cannot hold one block of it, known before any launch
  compile_error,   ///< the compiler rejected it; the log is kept
  launch_error,    ///< the driver rejected the launch
  wrong_result,    ///< an output element is outside the error bound, or was never written
  out_of_bounds,   ///< it wrote outside a buffer
  input_modified,  ///< it changed an argument declared `in`
  unstable,        ///< declared deterministic, and two runs differ
  timeout,         ///< a phase passed its deadline and its process was killed
  crashed,         ///< the process measuring or compiling it died, or the driver's context was lost
  skipped,         ///< the spec excludes this device or problem
  quarantined,     ///< its process was seen to die or hang twice; not tried again until its source changes
};

/// `ok`, `compile_error`, …: as stored and shown.
std::string_view to_string(TrialStatus status);
std::optional<TrialStatus> parse_trial_status(std::string_view text);
/// Statuses whose time may compete for `best`: only ok.
inline bool has_trusted_time(TrialStatus status) {
  return status == TrialStatus::ok;
}
/// Statuses with which a process was seen to die or hang: what it worked on may have been innocent.
inline bool is_death(TrialStatus status) {
  return status == TrialStatus::crashed || status == TrialStatus::timeout;
}
/// Statuses shown under failures: all but ok, dropped and skipped.
bool is_failure(TrialStatus status);

}  // namespace tuner::model
