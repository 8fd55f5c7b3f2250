#include "tuner/device/replay/replay.hpp"

#include <algorithm>
#include <utility>

namespace tuner::device::replay {
namespace {

/// Whether `record` ended before there was a binary. Later failures leave resources behind.
bool failed_to_compile(const model::TrialRecord& record) {
  using model::TrialStatus;
  if (record.resources) return false;
  const TrialStatus status = record.outcome.status;
  return status == TrialStatus::compile_error || status == TrialStatus::unlaunchable ||
         status == TrialStatus::timeout || status == TrialStatus::crashed;
}

model::Compilation compilation_of(const model::TrialRecord& record) {
  model::Compilation compilation;
  if (failed_to_compile(record)) {
    compilation.status = record.outcome.status;
    compilation.log = record.compile_log.empty() ? record.outcome.detail : record.compile_log;
  } else {
    compilation.log = record.compile_log;
  }
  if (record.resources) compilation.kernels.push_back(*record.resources);
  compilation.compile_ms = record.compile_ms;
  compilation.from_cache = true;
  return compilation;
}

/// The answer for a job, or for entries of it, that the recording does not have.
void complete(model::Compilation& compilation, const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    if (compilation.find(entry) != nullptr) continue;
    model::KernelResources unknown;
    unknown.entry = entry;
    unknown.symbol = entry;
    compilation.kernels.push_back(std::move(unknown));
  }
}

}  // namespace

ReplayCompiler::ReplayCompiler(std::string toolkit, const std::vector<model::TrialRecord>& recording)
    : m_toolkit(std::move(toolkit)) {
  for (const model::TrialRecord& record : recording) {
    model::Compilation compilation = compilation_of(record);
    const auto known = m_compilations.find(record.binary_key);
    // Sizes share a binary; the record that knows most of it is taken.
    if (known == m_compilations.end() || known->second.kernels.size() < compilation.kernels.size()) {
      m_compilations.insert_or_assign(record.binary_key, std::move(compilation));
    }
  }
}

model::Compilation ReplayCompiler::compile(const model::CompileJob& job) {
  const auto known = m_compilations.find(job.key());
  model::Compilation compilation = known == m_compilations.end() ? model::Compilation{} : known->second;
  compilation.from_cache = true;
  if (compilation.status == model::TrialStatus::ok) complete(compilation, job.entries);
  return compilation;
}

model::DeviceInfo replayed_device(model::DeviceInfo recorded, const std::string& file) {
  recorded.id = "replay:" + file;
  recorded.kind = "replay";
  recorded.name += " (replayed)";
  return recorded;
}

ReplayRunner::ReplayRunner(model::DeviceInfo device, const std::vector<model::TrialRecord>& recording)
    : m_device(std::move(device)) {
  for (const model::TrialRecord& record : recording) m_outcomes.insert_or_assign(record.key, record.outcome);
}

model::TrialOutcome ReplayRunner::run(const model::TrialJob& job) {
  model::TrialOutcome outcome;
  const auto found = m_outcomes.find(job.key);
  if (found == m_outcomes.end()) {
    outcome.status = model::TrialStatus::skipped;
    outcome.detail = "not in the recording";
    return outcome;
  }
  outcome = found->second;
  outcome.device_lost = false;              // the process that was lost then is not this one
  if (model::is_failure(outcome.status)) {  // what its probes failed was measured before
    outcome.measurement.reset();
    outcome.energy.reset();
  }
  return outcome;
}

model::FinalOutcome ReplayRunner::run_final(const model::FinalJob& job) {
  model::FinalOutcome out;
  std::vector<model::Measurement> recorded;
  std::vector<std::optional<model::Energy>> energies;
  for (std::size_t i = 0; i < job.trials.size(); ++i) {
    const model::TrialOutcome outcome = run(job.trials[i]);
    if (!outcome.measurement) {
      out.failure = outcome;
      out.culprit = i;
      return out;
    }
    recorded.push_back(*outcome.measurement);
    energies.push_back(outcome.energy);
    if (recorded[i].median_ns < recorded[out.fastest].median_ns) out.fastest = i;
  }
  const model::Measurement& fastest = recorded[out.fastest];
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const model::Measurement& measurement = recorded[i];
    model::Standing standing;
    standing.energy = energies[i];
    standing.measurement = measurement;
    standing.ratio = measurement.median_ns / fastest.median_ns;
    standing.ratio_low = measurement.low_ns / fastest.high_ns;
    standing.ratio_high = measurement.high_ns / fastest.low_ns;
    standing.tied = standing.ratio_low <= 1;
    out.standings.push_back(std::move(standing));
    out.rounds = std::max(out.rounds, static_cast<int>(measurement.samples_ns.size()));
  }
  return out;
}

}  // namespace tuner::device::replay
