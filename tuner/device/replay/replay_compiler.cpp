#include "tuner/device/replay/replay_compiler.hpp"

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

/// What a job that was not recorded gives, or the entries of which the recording does not speak.
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
    // Sizes share a binary; the record that knows most of it counts.
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

}  // namespace tuner::device::replay
