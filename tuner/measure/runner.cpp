#include "tuner/measure/runner.hpp"

#include <algorithm>
#include <chrono>

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

int count_kernels(const model::Plan& plan) {
  return static_cast<int>(std::count_if(plan.steps.begin(), plan.steps.end(), [](const model::Step& step) {
    return step.kind == model::Step::Kind::launch;
  }));
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
}

void DeviceTrialRunner::report_phases_to(std::function<void(TrialPhase)> listener) {
  m_listener = std::move(listener);
}

void DeviceTrialRunner::enter(TrialPhase phase) const {
  if (m_listener) m_listener(phase);
}

model::TrialOutcome DeviceTrialRunner::run(const model::TrialJob& job) {
  model::TrialOutcome outcome;
  if (m_lost) {
    outcome.status = TrialStatus::crashed;
    outcome.detail = "the device was lost in an earlier trial of this process";
    outcome.device_lost = true;
    return outcome;
  }
  try {
    attempt(job, outcome);
  } catch (const device::DeviceFault& fault) {
    outcome.status = fault.status();
    outcome.detail = fault.what();
    outcome.device_lost = m_lost = fault.lost();
    outcome.measurement.reset();
  }
  if (outcome.status != TrialStatus::ok && outcome.status != TrialStatus::dropped) m_inputs.distrust();
  m_last_active_ns = m_surroundings.now_ns();
  return outcome;
}

void DeviceTrialRunner::attempt(const model::TrialJob& job, model::TrialOutcome& outcome) {
  if (auto reason = why_unjudgeable(job.plan)) {
    outcome.status = TrialStatus::skipped;
    outcome.detail = std::move(*reason);
    return;
  }
  enter(TrialPhase::preparing);
  const Inputs& inputs = m_inputs.get(job);
  const BufferTable workspaces = m_inputs.workspaces(job.plan);

  enter(TrialPhase::loading);
  Verifier verifier(*m_device, job, inputs, workspaces);
  verifier.fill_others();
  const auto module = m_device->load(job.binary);
  const auto sequence =
      m_device->bind(*module, job.kernels, job.plan.steps, job.plan.buffers, inputs.bindings(workspaces));
  outcome.driver_blocks_per_multiprocessor = sequence->blocks_per_multiprocessor();
  if (outcome.driver_blocks_per_multiprocessor == 0) {
    outcome.status = TrialStatus::unlaunchable;
    outcome.detail = "the driver says that a multiprocessor cannot hold one block";
    return;
  }

  enter(TrialPhase::verifying);
  std::vector<double> warm_runs;
  if (!verify(job, verifier, *sequence, warm_runs, outcome)) return;

  enter(TrialPhase::timing);
  time(job, verifier, *sequence, std::move(warm_runs), outcome);
}

/// Whether the trial goes on. The first run may be cold, so only the second one's time is of use.
bool DeviceTrialRunner::verify(const model::TrialJob& job, Verifier& verifier, device::Sequence& sequence,
                               std::vector<double>& warm_runs, model::TrialOutcome& outcome) {
  verifier.prepare();
  sequence.run(1);
  const Finding first = verifier.inspect(true);
  outcome.verification = first.verification;
  if (ends(first, outcome)) return false;
  const auto first_outputs = verifier.output_checksums();

  warm_up(sequence);
  verifier.prepare();
  warm_runs.push_back(sequence.run(1));
  return !job.plan.deterministic ||
         !ends(verifier.compare_runs(first_outputs, verifier.output_checksums()), outcome);
}

void DeviceTrialRunner::time(const model::TrialJob& job, const Verifier& verifier, device::Sequence& sequence,
                             std::vector<double> warm_runs, model::TrialOutcome& outcome) {
  Sampler sampler(*m_device, sequence,
                  {job.policy, job.best_ns, count_kernels(job.plan), std::move(warm_runs)});
  Samples samples = sampler.run();
  if (m_surroundings.sm_clock_mhz) samples.measurement.sm_clock_mhz = m_surroundings.sm_clock_mhz();

  const Finding after = verifier.inspect(verifier.repeatable());
  if (after.verification.checked) outcome.verification = after.verification;
  if (ends(after, outcome)) {
    outcome.detail = "after the timed launches, though not after the first: " + outcome.detail;
    return;
  }
  outcome.status = samples.dropped ? TrialStatus::dropped : TrialStatus::ok;
  outcome.measurement = std::move(samples.measurement);
}

void DeviceTrialRunner::warm_up(device::Sequence& sequence) {
  const double start = m_surroundings.now_ns();
  const bool cold = !m_last_active_ns || start - *m_last_active_ns > idle_ns;
  if (!cold) return;
  for (int i = 0; i < most_warm_up_runs && m_surroundings.now_ns() - start < warm_up_ns; ++i) sequence.run(1);
}

}  // namespace tuner::measure
