#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/measure/inputs.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::measure {

/// What Final needs to know; it knows no device.
struct FinalTask {
  struct Finalist {
    int launches_per_sample = 1;
    int kernels = 1;      ///< launches of one sequence
    bool may_win = true;  ///< a baseline may not: it stays to the end, and no finalist leaves because of it
  };
  model::FinalPolicy policy;
  std::vector<Finalist> finalists;  ///< at least one that may win
  std::uint64_t seed = 0;
  double max_sm_clock_mhz = 0;                        ///< to tell throttled samples by; 0: unknown
  std::function<device::Timing(std::size_t)> sample;  ///< takes one of this finalist
  std::function<void()> begin_round;                  ///< called before each
  std::function<void()> rest;  ///< called before a round is taken again for its clock; may be null
};

/// Samples the best of a problem in turn, and says which is the fastest; see model::FinalJob.
///
/// **Choosing.** From the 10th round on, after every 5th, a finalist leaves whose time by the current
/// fastest one's exceeds 1.001 by six standard errors: so far that looking again and again, at several, does
/// not turn out one that is as fast (with ten alike in 40 rounds, somebody once in fifty finals). The fastest
/// at the end is the winner.
///
/// **Confirming.** Fresh rounds of the winner and all that are left: where others are left at least 6 however
/// long they take, since fewer give no interval. Only these tell the winner's time, and who is tied with it.
/// It was chosen without them, so that they owe it nothing: picking the lowest of these medians would flatter
/// it again. But where they show another one to be faster beyond doubt, that one is the fastest.
///
/// Intervals hold for all finalists left at once with 95 % (Bonferroni). A finalist is tied when its
/// interval reaches down to 1.001: two copies of one kernel differ by as much, since they lie elsewhere in
/// memory.
///
/// A round in which a sample was throttled is thrown away, at most as many as policy.confirming_rounds; from
/// then on such rounds are kept. Both are counted as throttled samples of the finalist. So is a confirming
/// round in which a finalist's clock is under 0.97 of what it had while choosing: times that are shown
/// beside each other are to be of one clock, and a winner that runs alone may heat the device as no trial did
/// before.
class Final {
 public:
  explicit Final(FinalTask task);

  /// What `sample` throws passes through.
  model::FinalOutcome run();

 private:
  using Series = std::vector<device::Timing>;  ///< of one finalist, a sample each round it took part in

  void choose();
  void confirm();
  bool take_round(std::vector<Series>& into);
  bool is_slowed(const device::Timing& sample, std::size_t finalist, const std::vector<Series>& into) const;
  void shuffle();
  void eliminate();
  std::size_t fastest_left() const;
  std::vector<double> times(const Series& series, std::size_t finalist) const;
  std::vector<model::Standing> standings(std::size_t fastest) const;
  model::Standing standing(std::size_t finalist, std::size_t fastest) const;
  bool is_left(std::size_t finalist) const;
  bool may_win(std::size_t finalist) const { return m_task.finalists[finalist].may_win; }
  std::size_t rivals_left() const;

  FinalTask m_task;
  std::mt19937_64 m_random;
  std::vector<std::size_t> m_left;  ///< in the order of the last round
  std::vector<Series> m_choosing;
  std::vector<Series> m_confirming;
  std::vector<int> m_throttled;  ///< samples of each finalist
  double m_spent_ns = 0;         ///< timed work of the current part
  std::size_t m_winner = 0;      ///< of the choosing part
  int m_rounds = 0;
  int m_throttled_rounds = 0;
};

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
  model::FinalOutcome run_final(const model::FinalJob& job) override {
    return run_final_with_notice(job, [](std::size_t) {});
  }
  model::FinalOutcome run_final_with_notice(const model::FinalJob& job,
                                            const std::function<void(std::size_t)>& before_work) override;
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
  void attempt_final(const model::FinalJob& job, const std::function<void(std::size_t)>& before_work,
                     model::FinalOutcome& outcome);
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
