#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/measure/inputs_cache.hpp"
#include "tuner/model/trial_runner.hpp"

namespace tuner::measure {

class Verifier;

/// What a runner asks of its surroundings; each may be left out.
struct Surroundings {
  std::function<double()> now_ns;  ///< a monotonic clock, for noticing idle times; default: steady_clock
  std::function<double()> sm_clock_mhz;  ///< of the device, 0 where unknown; default: unknown
};

/// Runs trials on a Device of this process. Configurations of one problem share inputs and reference. One
/// trial: load and bind; run on poisoned outputs and compare; warm the clocks where the device was idle; run
/// again, which must give the same bits where the plan says deterministic; sample; look at everything once
/// more, so that the timed launches are verified too (their results not when outputs are read back: those
/// pile up).
///
/// A problem whose error bound would accept anything is `skipped`, with the reason.
/// What is wrong is reported as the first of: out_of_bounds (the fences around its buffers changed: whatever
/// else is wrong may follow from it), input_modified (the comparison's inputs are suspect), wrong_result,
/// unstable. Nothing is timed before all of these hold, and they are asked again after the last sample.
class DeviceTrialRunner final : public model::TrialRunner {
 public:
  explicit DeviceTrialRunner(std::unique_ptr<device::Device> device, Surroundings surroundings = {});

  const model::DeviceInfo& device() const override { return m_device->info(); }
  model::TrialOutcome run(const model::TrialJob& job) override;
  void report_phases_to(std::function<void(model::TrialPhase)> listener) override;

 private:
  void enter(model::TrialPhase phase) const;
  void attempt(const model::TrialJob& job, model::TrialOutcome& outcome);
  bool verify(const model::TrialJob& job, Verifier& verifier, device::Sequence& sequence,
              std::vector<double>& warm_runs, model::TrialOutcome& outcome);
  void time(const model::TrialJob& job, const Verifier& verifier, device::Sequence& sequence,
            std::vector<double> warm_runs, model::TrialOutcome& outcome);
  void warm_up(device::Sequence& sequence);

  std::unique_ptr<device::Device> m_device;
  Surroundings m_surroundings;
  std::function<void(model::TrialPhase)> m_listener;
  InputsCache m_inputs;
  std::optional<double> m_last_active_ns;
  bool m_lost = false;
};

}  // namespace tuner::measure
