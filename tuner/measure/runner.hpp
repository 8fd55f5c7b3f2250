#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "tuner/device/device.hpp"
#include "tuner/measure/energy.hpp"
#include "tuner/measure/inputs.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::measure {

class Examination;

/// What the device's management says of it now; 0: unknown.
struct Reading {
  double sm_clock_mhz = 0;
  double temperature_c = 0;
  double power_w = 0;
};

/// What a runner asks of its surroundings; each may be left out.
struct Surroundings {
  std::function<double()> now_ns;  ///< a monotonic clock, for noticing idle times; default: steady_clock
  double max_sm_clock_mhz = 0;     ///< of the device, to tell throttled samples by; 0: unknown
  /// Asked once after the last sample. Its clock is used where samples have none of their own.
  std::function<Reading()> reading;
  /// Opens the device's counters, on the thread that uses the device; null: it has none.
  std::function<std::unique_ptr<device::Counters>()> counters;
  /// As EnergyCounter::joules; null: the device does not count its energy.
  std::function<std::optional<double>()> joules;
  std::function<void(double ns)> pause;  ///< lets the device wait; default: sleeps
};

/// Runs trials on a Device of this process. Configurations of one problem share inputs and reference. One
/// trial: run and verify the probes, small problems of the same binary; load and bind; run on the second
/// input set of inputs and compare; a long kernel that is hopeless by then is dropped, on a device that was
/// at work; warm the clocks where the device was idle; run on the first input set and compare; sample; look
/// at everything once more, when outputs must be the same bits where the plan says deterministic. Each
/// verified run starts on poisoned outputs, and all are compared in full; see Examination.
///
/// A problem whose error bound would accept anything is `skipped`, with the reason.
/// What is wrong is reported as the first of: out_of_bounds (the fences around its buffers changed: whatever
/// else is wrong may follow from it), input_modified (the comparison's inputs are suspect), wrong_result,
/// unstable. Nothing is timed before the first three hold, and all are asked after the last sample; the
/// detail names the check: the probe, the input set, or the timed launches. The outcome's subject is the
/// binary where a probe failed, and the problem where its inputs or its reference could not be made.
class DeviceTrialRunner final : public model::TrialRunner {
 public:
  explicit DeviceTrialRunner(std::unique_ptr<device::Device> device, Surroundings surroundings = {});

  const model::DeviceInfo& device() const override { return m_device->info(); }
  model::TrialOutcome run(const model::TrialJob& job) override;
  /// A final on verified kernels, each verified once more before the first round. Fences and inputs are
  /// looked at after the last round; what is wrong then has no culprit. `timing` is entered with
  /// each round. Energy is measured behind the last one, where the policy asks for it.
  model::FinalOutcome run_final(const model::FinalJob& job) override;
  /// Each pass finds the caches as a timed launch does: after another run of the same, or flushed where the
  /// policy says so.
  model::Profile profile(const model::ProfileJob& job) override;
  void report_phases_to(std::function<void(model::TrialPhase)> listener) override;

 private:
  void enter(model::TrialPhase phase) const;
  /// With its inputs made and its binary loaded.
  Examination loaded(const model::TrialJob& job, model::TrialOutcome& outcome);
  /// Has work done whose fault is the failure. False where the device was lost before, which is one too.
  bool attempt(model::TrialOutcome& failure, const std::function<void()>& work);
  void attempt_trial(const model::TrialJob& job, model::TrialOutcome& outcome);
  void load_library(const model::TrialJob& job);
  bool probe(const model::TrialJob& job, const model::Plan& plan, model::TrialOutcome& outcome);
  bool verify_second_set(Examination& examination, device::Timing& cold_run, model::TrialOutcome& outcome);
  bool verify_first_set(Examination& examination, device::Timing& warm_run, model::TrialOutcome& outcome);
  void time(const model::TrialJob& job, Examination& examination, const device::Timing& warm_run,
            model::TrialOutcome& outcome);
  void attempt_profile(const model::ProfileJob& job, model::Profile& profile);
  void attempt_final(const model::FinalJob& job, model::FinalOutcome& outcome);
  void add_reading(model::Measurement& measurement) const;
  double max_sm_clock_mhz(const model::MeasurePolicy& policy) const;
  /// Nothing where it cannot be told of this plan under this policy.
  EnergyMeter* meter_for(const model::TrialJob& job);
  bool is_idle() const;
  void wake_up();
  void warm_up(device::Sequence& sequence);

  std::unique_ptr<device::Device> m_device;
  Surroundings m_surroundings;
  std::function<void(model::TrialPhase)> m_listener;
  InputsCache m_inputs;
  std::optional<EnergyMeter> m_meter;
  bool m_probing = false;
  std::optional<double> m_last_active_ns;
  double m_woken_ns = 0;  ///< when it last ceased to idle
  bool m_lost = false;
};

}  // namespace tuner::measure
