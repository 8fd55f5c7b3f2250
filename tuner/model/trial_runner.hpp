#pragma once
#include <functional>
#include <optional>
#include <string_view>

#include "tuner/model/device_info.hpp"
#include "tuner/model/final.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::model {

/// What a running trial does next. Inputs are prepared for probes too, so preparing may come before and after
/// probing. Verifying and timing are told again where they go on, so that a supervisor's deadline, which
/// starts anew with each, is one for a launch.
enum class TrialPhase {
  preparing,  ///< makes inputs and runs the reference: slow for large problems, and not the kernel's fault
  probing,    ///< runs the binary on small awkward problems, told again before each launch of it
  loading,    ///< loads the binary
  verifying,
  timing,
};

/// `preparing`, `loading`, …
std::string_view to_string(TrialPhase phase);
std::optional<TrialPhase> parse_trial_phase(std::string_view text);

/// Runs one trial and says how it ended. Implemented over a Device (measure), over a child process (worker),
/// and over a recording (device/replay). One caller at a time.
class TrialRunner {
 public:
  TrialRunner() = default;
  TrialRunner(const TrialRunner&) = delete;
  TrialRunner& operator=(const TrialRunner&) = delete;
  virtual ~TrialRunner() = default;

  virtual const DeviceInfo& device() const = 0;
  /// Trials will follow: what takes a while (a context, a process) may begin now. Does not wait for it.
  virtual void prepare() {}
  virtual TrialOutcome run(const TrialJob& job) = 0;
  /// The same; `before_launch` is called once, before anything of the job is launched: what must be on the
  /// disk by then is written in it. A runner that works in another process goes on meanwhile with what comes
  /// before a launch. What it throws passes through, and the job is not launched.
  virtual TrialOutcome run_with_notice(const TrialJob& job, const std::function<void()>& before_launch) {
    before_launch();
    return run(job);
  }
  /// A failure is a value here too. There is at least one trial.
  virtual FinalOutcome run_final(const FinalJob& job) = 0;
  /// From now on `listener` is called, from within run(), as each phase begins; a null one ends it. Runners
  /// that have no phases ignore it.
  virtual void report_phases_to(std::function<void(TrialPhase)> /*listener*/) {}
};

}  // namespace tuner::model
