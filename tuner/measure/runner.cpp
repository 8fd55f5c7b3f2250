#include "tuner/measure/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tuner/device/host_library.hpp"
#include "tuner/measure/inputs.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/measure/verify.hpp"

namespace tuner::measure {
namespace {

using model::TrialPhase;
using model::TrialStatus;

/// A GPU that idles lowers its clocks; how soon and how far depends on the board.
constexpr double idle_ns = 500e6;
constexpr double warm_up_ns = 50e6;
constexpr int most_warm_up_runs = 10'000;

double steady_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

/// How the detail of a probe's failure begins.
std::string describe_probe(const model::Plan& plan) {
  std::vector<std::string> sizes;
  for (const model::BufferPlan& buffer : plan.buffers) {
    const bool is_field = buffer.name.find('.') != std::string::npos;  // as large as its structs
    if (is_field) continue;
    const std::int64_t unit = std::max<std::int64_t>(buffer.struct_bytes, 1);
    sizes.push_back(fmt::format("{} of {}", buffer.name, buffer.elements / unit));
  }
  const std::string of = plan.problem.empty() ? "" : fmt::format(" of {},", plan.problem);
  return fmt::format("on a probe{} with buffers {}: ", of, fmt::join(sizes, ", "));
}

/// Notes what the driver says of occupancy; false where not one block fits, which ends the trial.
bool can_launch(Examination& examination, model::TrialOutcome& outcome) {
  outcome.driver_blocks_per_multiprocessor = examination.sequence().blocks_per_multiprocessor();
  if (outcome.driver_blocks_per_multiprocessor != 0) return true;
  outcome.status = TrialStatus::unlaunchable;
  outcome.detail = "the driver says that a multiprocessor cannot hold one block";
  return false;
}

/// What the first launch of a binary, on inputs that no cache holds, may take longer than the next.
constexpr double most_cold_ns = 100'000;

/// Whether a single cold run says enough: that of a kernel which no warmth brings within the first cut.
bool is_hopeless(const model::TrialJob& job, const device::Timing& cold_run) {
  const model::MeasurePolicy& policy = job.policy;
  const auto first = std::find_if(policy.cuts.begin(), policy.cuts.end(),
                                  [](const model::Cut& cut) { return cut.samples <= 1; });
  return first != policy.cuts.end() && !policy.flush_l2 && policy.execution != model::Execution::eager &&
         job.best_ns > 0 && cold_run.ns > job.best_ns * first->factor + most_cold_ns;
}

/// Whether `finding` ends the trial; then it is the outcome.
bool ends(const Finding& finding, model::TrialOutcome& outcome) {
  if (finding.status == TrialStatus::ok) return false;
  outcome.status = finding.status;
  outcome.detail = finding.detail;
  return true;
}

}  // namespace

DeviceTrialRunner::DeviceTrialRunner(std::unique_ptr<device::Device> device, Surroundings surroundings)
    : m_device(std::move(device)), m_surroundings(std::move(surroundings)), m_inputs(*m_device) {
  if (!m_surroundings.now_ns) m_surroundings.now_ns = steady_ns;
  if (!m_surroundings.pause)
    m_surroundings.pause = [](double ns) {
      std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(ns));
    };
  if (!m_surroundings.joules) return;
  m_meter.emplace(EnergyCounter{m_surroundings.joules, m_surroundings.now_ns, [this](double ns) {
                                  enter(TrialPhase::timing);
                                  m_surroundings.pause(ns);
                                }});
}

double DeviceTrialRunner::max_sm_clock_mhz(const model::MeasurePolicy& policy) const {
  const double most = m_surroundings.max_sm_clock_mhz;
  return policy.clock_mhz > 0 && most > 0 ? std::min(most, policy.clock_mhz) : most;
}

/// What flushes caches, or writes buffers again between runs, takes energy beside the kernel.
EnergyMeter* DeviceTrialRunner::meter_for(const model::TrialJob& job) {
  const bool alone = !job.policy.flush_l2 && !job.plan.restores();
  return m_meter && alone ? &*m_meter : nullptr;
}

void DeviceTrialRunner::report_phases_to(std::function<void(TrialPhase)> listener) {
  m_listener = std::move(listener);
}

void DeviceTrialRunner::enter(TrialPhase phase) const {
  const bool of_probe = m_probing && phase != TrialPhase::preparing;
  if (m_listener) m_listener(of_probe ? TrialPhase::probing : phase);
}

/// What a problem lacks is not its configurations' fault.
Examination DeviceTrialRunner::loaded(const model::TrialJob& job, model::TrialOutcome& outcome) {
  enter(TrialPhase::preparing);
  outcome.subject = model::Subject::problem;
  const InputSets& sets = m_inputs.get(job);
  outcome.subject = m_probing ? model::Subject::binary : model::Subject::trial;
  BufferTable workspaces = m_inputs.workspaces(job.plan);
  enter(TrialPhase::loading);
  return Examination(*m_device, job, sets, std::move(workspaces));
}

model::TrialOutcome DeviceTrialRunner::run(const model::TrialJob& job) {
  model::TrialOutcome outcome;
  if (!attempt(outcome, [&] { attempt_trial(job, outcome); })) return outcome;
  if (outcome.status != TrialStatus::ok && outcome.status != TrialStatus::dropped) m_inputs.distrust();
  m_last_active_ns = m_surroundings.now_ns();
  return outcome;
}

bool DeviceTrialRunner::attempt(model::TrialOutcome& failure, const std::function<void()>& work) {
  if (m_lost) {
    failure.status = TrialStatus::crashed;
    failure.detail = "the device was lost in an earlier trial of this process";
    failure.device_lost = true;
    return false;
  }
  try {
    work();
  } catch (const device::DeviceFault& fault) {
    failure.status = fault.status();
    failure.detail = fault.what();
    failure.device_lost = m_lost = fault.lost();
    if (fault.broken()) failure.subject = model::Subject::device;
    failure.measurement.reset();
  }
  return true;
}

void DeviceTrialRunner::attempt_trial(const model::TrialJob& job, model::TrialOutcome& outcome) {
  if (auto reason = why_unjudgeable(job.plan)) {
    outcome.status = TrialStatus::skipped;
    outcome.detail = std::move(*reason);
    return;
  }
  wake_up();
  load_library(job);
  for (const model::Plan& plan : job.probes) {
    if (!probe(job, plan, outcome)) return;
  }
  outcome.probes_passed = !job.probes.empty();
  Examination examination = loaded(job, outcome);
  if (!can_launch(examination, outcome)) return;

  const bool was_idle = is_idle();
  device::Timing cold_run;
  device::Timing warm_run;
  if (!verify_second_set(examination, cold_run, outcome)) return;
  if (!was_idle && is_hopeless(job, cold_run)) {
    outcome.status = TrialStatus::dropped;
    outcome.measurement = summarise({cold_run}, 1, count_kernels(job.plan.steps));
    return;
  }
  if (!verify_first_set(examination, warm_run, outcome)) return;

  enter(TrialPhase::timing);
  time(job, examination, warm_run, outcome);
  if (outcome.status != TrialStatus::ok) return;
  outcome.detail = device::library_version(examination.module());
  EnergyMeter* const meter = job.policy.objective != model::Objective::time ? meter_for(job) : nullptr;
  if (meter == nullptr) return;
  outcome.energy = meter->once(energy_load(examination.sequence(), job.policy, outcome.measurement->min_ns,
                                           [this] { enter(TrialPhase::timing); }));
}

/// That a library is not there is no verdict of the probes.
void DeviceTrialRunner::load_library(const model::TrialJob& job) {
  const bool by_probe =
      std::ranges::any_of(job.probes, [](const model::Plan& plan) { return plan.calls_library(); });
  if (!by_probe && !job.plan.calls_library()) return;
  enter(TrialPhase::loading);
  device::HostLibrary(job.library.empty() ? job.binary : job.library);
}

/// Whether the trial goes on. A probe that passes leaves no trace in `outcome`.
bool DeviceTrialRunner::probe(const model::TrialJob& job, const model::Plan& plan,
                              model::TrialOutcome& outcome) {
  if (why_unjudgeable(plan)) return true;
  model::TrialJob probing = job;
  probing.plan = plan;
  probing.probes.clear();
  m_probing = true;
  try {
    Examination examination = loaded(probing, outcome);
    device::Timing ignored;
    const bool passed = can_launch(examination, outcome) &&
                        verify_second_set(examination, ignored, outcome) &&
                        verify_first_set(examination, ignored, outcome);
    m_probing = false;
    if (passed) {
      outcome.verification = {};
      outcome.subject = model::Subject::trial;
    } else {
      outcome.detail = describe_probe(plan) + outcome.detail;
    }
    return passed;
  } catch (const device::DeviceFault& fault) {
    m_probing = false;
    throw device::DeviceFault(fault.status(), fault.lost(), describe_probe(plan) + fault.what());
  }
}

/// Whether the trial goes on, as for the next.
bool DeviceTrialRunner::verify_second_set(Examination& examination, device::Timing& cold_run,
                                          model::TrialOutcome& outcome) {
  enter(TrialPhase::verifying);
  const Finding second = examination.on_second_set(cold_run);
  outcome.verification = second.verification;
  return !ends(second, outcome);
}

bool DeviceTrialRunner::verify_first_set(Examination& examination, device::Timing& warm_run,
                                         model::TrialOutcome& outcome) {
  warm_up(examination.sequence());
  enter(TrialPhase::verifying);
  const Finding first = examination.on_first_set(warm_run);
  outcome.verification = first.verification;
  return !ends(first, outcome);
}

void DeviceTrialRunner::time(const model::TrialJob& job, Examination& examination,
                             const device::Timing& warm_run, model::TrialOutcome& outcome) {
  SamplingTask task;
  task.policy = sampling_policy(job.policy, job.plan);
  task.best_ns = job.best_ns;
  task.kernels = count_kernels(job.plan.steps);
  task.warm_runs = {warm_run};
  task.max_sm_clock_mhz = max_sm_clock_mhz(job.policy);
  // Filling buffers again may take longer than a sample, and each has the deadline's time.
  if (job.plan.restores()) task.begin_sample = [this] { enter(TrialPhase::timing); };
  Samples samples = Sampler(*m_device, examination.sequence(), std::move(task)).run();
  add_reading(samples.measurement);

  enter(TrialPhase::timing);
  const Finding after = examination.afterwards();
  if (after.verification.checked) outcome.verification = after.verification;
  if (ends(after, outcome)) return;
  if (job.distrusted && ends(examination.interrogate(samples.measurement), outcome)) return;
  outcome.output_bits = examination.output_bits();
  outcome.status = samples.dropped ? TrialStatus::dropped : TrialStatus::ok;
  outcome.measurement = std::move(samples.measurement);
}

model::Profile DeviceTrialRunner::profile(const model::ProfileJob& job) {
  if (!m_surroundings.counters) return TrialRunner::profile(job);
  model::Profile profile;
  attempt(profile.outcome, [&] { attempt_profile(job, profile); });
  return profile;
}

void DeviceTrialRunner::attempt_profile(const model::ProfileJob& job, model::Profile& profile) {
  const std::unique_ptr<device::Counters> counters = m_surroundings.counters();
  load_library(job.trial);
  Examination examination = loaded(job.trial, profile.outcome);
  device::Timing ignored;
  if (!can_launch(examination, profile.outcome) ||
      !verify_second_set(examination, ignored, profile.outcome) ||
      !verify_first_set(examination, ignored, profile.outcome))
    return;
  device::Sequence& sequence = examination.sequence();
  const auto before_each = [&] {
    enter(TrialPhase::timing);
    if (job.trial.policy.flush_l2)
      m_device->flush_l2();
    else
      sequence.run_alone();
  };
  model::Profile counted = counters->count(job.metrics, before_each, [&] { sequence.run_alone(); });
  profile.counters = std::move(counted.counters);
  profile.passes = counted.passes;
}

void DeviceTrialRunner::add_reading(model::Measurement& measurement) const {
  if (!m_surroundings.reading) return;
  const Reading reading = m_surroundings.reading();
  if (measurement.sm_clock_mhz == 0) measurement.sm_clock_mhz = reading.sm_clock_mhz;
  measurement.temperature_c = reading.temperature_c;
  measurement.power_w = reading.power_w;
}

bool DeviceTrialRunner::is_idle() const {
  return !m_last_active_ns || m_surroundings.now_ns() - *m_last_active_ns > idle_ns;
}

void DeviceTrialRunner::wake_up() {
  if (is_idle()) m_woken_ns = m_surroundings.now_ns();
}

/// Making inputs and running the reference are warming too.
void DeviceTrialRunner::warm_up(device::Sequence& sequence) {
  if (!is_idle()) return;
  enter(TrialPhase::verifying);
  const double warm_at = m_woken_ns + warm_up_ns;
  for (int i = 0; i < most_warm_up_runs && m_surroundings.now_ns() < warm_at; ++i) sequence.run(1);
  m_last_active_ns = m_surroundings.now_ns();
}

}  // namespace tuner::measure
