#include "tuner/measure/examination.hpp"

#include <string>

#include "tuner/device/host_library.hpp"
#include "tuner/measure/restoring_sequence.hpp"

namespace tuner::measure {
namespace {

using model::TrialStatus;

/// Names the check that `finding` comes from.
Finding in(const std::string& check, Finding finding) {
  if (finding.status != TrialStatus::ok) finding.detail = check + ": " + finding.detail;
  return finding;
}

}  // namespace

std::unique_ptr<device::Module> load_binary(device::Device& device, const model::TrialJob& job) {
  if (job.plan.calls_library()) return std::make_unique<device::HostLibrary>(job.binary);
  return device.load(job.binary);
}

Examination::Examination(device::Device& device, const model::TrialJob& job, const Draws& draws,
                         const BufferTable& workspaces, device::Module& module)
    : m_device(device),
      m_job(job),
      m_draws(draws),
      m_workspaces(workspaces),
      m_module(module),
      m_verifier(device, job, draws.first, workspaces) {
  m_verifier.fill_others();
  const device::Bindings bindings = draws.first.bindings(workspaces);
  m_sequence = device.bind(module, job.kernels, job.plan.steps, job.plan.buffers, bindings);
  if (job.plan.restores()) {
    m_sequence =
        std::make_unique<RestoringSequence>(device, job, draws.first.draw(), bindings, std::move(m_sequence));
  }
}

Finding Examination::on_second_draw(device::Timing& timing) {
  Verifier verifier(m_device, m_job, m_draws.second, m_workspaces);
  verifier.fill_others();
  const auto sequence = m_device.bind(m_module, m_job.kernels, m_job.plan.steps, m_job.plan.buffers,
                                      m_draws.second.bindings(m_workspaces));
  verifier.prepare();
  timing = sequence->run(1);
  return in(m_job.plan.verify.second_is_exact ? "on the second draw of inputs (exact)"
                                              : "on the second draw of inputs",
            verifier.inspect(true));
}

Finding Examination::on_first_draw(device::Timing& timing) {
  m_verifier.prepare();
  timing = m_sequence->run(1);
  Finding finding = m_verifier.inspect(true);
  m_outputs = m_verifier.output_checksums();
  return in("on the first draw of inputs", std::move(finding));
}

Finding Examination::afterwards() {
  if (!m_verifier.repeatable()) {
    m_verifier.prepare();
    m_sequence->run(1);
  }
  const bool deterministic = m_job.plan.deterministic;
  Finding finding = m_verifier.inspect(!deterministic);
  if (finding.status == TrialStatus::ok) {
    // A run on one draw has no business in the memory of the other.
    finding = Verifier(m_device, m_job, m_draws.second, m_workspaces).inspect(false);
  }
  if (finding.status == TrialStatus::ok && deterministic) {
    const Finding change = m_verifier.compare_runs(m_outputs, m_verifier.output_checksums());
    if (change.status != TrialStatus::ok) {
      finding = m_verifier.inspect(true);
      if (finding.status == TrialStatus::ok) finding = change;
    }
  }
  return in("after the timed launches", std::move(finding));
}

}  // namespace tuner::measure
