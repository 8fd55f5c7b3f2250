#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/measure/inputs.hpp"
#include "tuner/measure/verify.hpp"

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
  return device::load_binary(device, job.binary, job.library, job.plan.calls_library());
}

Examination::Examination(device::Device& device, const model::TrialJob& job, const InputSets& sets,
                         BufferTable workspaces)
    : m_device(device),
      m_job(job),
      m_sets(sets),
      m_workspaces(std::move(workspaces)),
      m_module(load_binary(device, job)),
      m_variables(device, job, *m_module),
      m_verifier(device, job, sets.first, m_workspaces) {
  m_verifier.fill_others();
  m_variables.fill(sets.first.bindings(m_workspaces));
  const device::Bindings bindings = m_variables.placed(sets.first.bindings(m_workspaces));
  m_sequence = device.bind(*m_module, job.kernels, job.plan.steps, job.plan.buffers, bindings);
  if (job.plan.restores()) {
    m_sequence =
        std::make_unique<RestoringSequence>(device, job, sets.first, bindings, std::move(m_sequence));
  }
}

void Examination::prepare(device::Sequence& sequence, Verifier& verifier, const Inputs& inputs) const {
  verifier.prepare();
  m_variables.fill(inputs.bindings(m_workspaces));
  sequence.fill_arrays();
}

Finding Examination::inspect(device::Sequence& sequence, Verifier& verifier, const Inputs& inputs,
                             bool compare_outputs) const {
  const device::Bindings bindings = inputs.bindings(m_workspaces);
  sequence.collect_arrays();
  Finding finding = m_variables.collect(bindings);
  const auto& buffers = m_job.plan.buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].access != model::Access::in && !buffers[i].fields.empty())
      device::disassemble_structs(m_device, m_job.plan, i, bindings);
  }
  return finding.status == TrialStatus::ok ? verifier.inspect(compare_outputs) : finding;
}

Finding Examination::on_second_set(device::Timing& timing) {
  Verifier verifier(m_device, m_job, m_sets.second, m_workspaces);
  verifier.fill_others();
  const device::Bindings bindings = m_sets.second.bindings(m_workspaces);
  m_variables.fill(bindings);
  const auto sequence = m_device.bind(*m_module, m_job.kernels, m_job.plan.steps, m_job.plan.buffers,
                                      m_variables.placed(bindings));
  prepare(*sequence, verifier, m_sets.second);
  timing = sequence->run(1);
  Finding finding = inspect(*sequence, verifier, m_sets.second, true);
  if (m_job.plan.deterministic) m_second_outputs = verifier.output_checksums();
  m_variables.fill(m_sets.first.bindings(m_workspaces));  // what runs next is on that input set
  return in(m_job.plan.verify.second_is_exact ? "on the second input set (exact)" : "on the second input set",
            std::move(finding));
}

Finding Examination::on_first_set(device::Timing& timing) {
  prepare(*m_sequence, m_verifier, m_sets.first);
  timing = m_sequence->run(1);
  Finding finding = inspect(*m_sequence, m_verifier, m_sets.first, true);
  m_outputs = m_verifier.output_checksums();
  return in("on the first input set", std::move(finding));
}

Finding Examination::afterwards() {
  if (!m_verifier.repeatable()) {
    prepare(*m_sequence, m_verifier, m_sets.first);
    m_sequence->run(1);
  }
  const bool deterministic = m_job.plan.deterministic;
  Finding finding = inspect(*m_sequence, m_verifier, m_sets.first, !deterministic);
  if (finding.status == TrialStatus::ok) {
    // A run on one input set must not write to the memory of the other.
    Finding other = Verifier(m_device, m_job, m_sets.second, m_workspaces).inspect(false);
    if (other.status != TrialStatus::ok) finding = std::move(other);
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

namespace {

constexpr int interrogations = 4;
/// Before a kernel is condemned for its time: other programs may have slowed all of the runs before.
constexpr int most_interrogations = 24;

}  // namespace

Finding Examination::interrogate(const model::Measurement& timed) {
  double fresh_ns = std::numeric_limits<double>::infinity();
  // Timed launches find their outputs made by the launch before.
  const auto is_too_fast = [&] { return model::takes_less_than_its_work(timed.median_ns, fresh_ns); };
  for (int i = 0; i < interrogations || (i < most_interrogations && is_too_fast()); ++i) {
    device::Timing timing;
    Finding second = on_second_set(timing);
    if (second.status != TrialStatus::ok) return in("after the timed launches", std::move(second));
    const std::vector<std::uint64_t> before = m_outputs;
    Finding first = on_first_set(timing);
    if (first.status == TrialStatus::ok && m_job.plan.deterministic)
      first = m_verifier.compare_runs(before, m_outputs);
    if (first.status != TrialStatus::ok) return in("after the timed launches", std::move(first));
    fresh_ns = std::min(fresh_ns, timing.ns);
  }
  if (!is_too_fast()) return {};
  Finding finding;
  finding.status = TrialStatus::unstable;
  finding.detail = fmt::format(
      "after the timed launches: a run on fresh outputs takes {:.1f} µs, a timed one {:.1f} µs: it does not "
      "work each time",
      fresh_ns / 1e3, timed.median_ns / 1e3);
  return finding;
}

Finding Examination::inspect_memory() const {
  Finding finding = m_verifier.inspect(false);
  if (finding.status != TrialStatus::ok) return finding;
  return Verifier(m_device, m_job, m_sets.second, m_workspaces).inspect(false);
}

std::optional<model::OutputBits> Examination::output_bits() const {
  if (!m_job.plan.deterministic || m_outputs.empty() || m_second_outputs.empty()) return std::nullopt;
  model::DigestBuilder outputs;
  for (const auto* checksums : {&m_outputs, &m_second_outputs})
    for (const std::uint64_t checksum : *checksums) outputs.add(static_cast<std::int64_t>(checksum));
  return model::OutputBits{model::inputs_drawn_key(m_job.plan, m_job.reference_key, m_job.seed),
                           outputs.finish()};
}

}  // namespace tuner::measure
