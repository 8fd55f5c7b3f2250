#include "tuner/sweep/probe_verdicts.hpp"

#include <algorithm>

namespace tuner::sweep {
using model::TrialStatus;

std::optional<model::ProbeVerdict> ProbeVerdicts::find(const model::Digest& probe) {
  if (const auto seen = m_seen.find(probe); seen != m_seen.end()) return seen->second;
  auto before = m_services.source.verdict(probe);
  if (!before) return std::nullopt;
  const bool may_pass_today = is_death(before->status) && before->deaths < quarantine_deaths;
  const bool failed = before->status != TrialStatus::ok;
  if (failed && (may_pass_today || m_request.retry_failed || m_request.fresh)) return std::nullopt;
  return m_seen.emplace(probe, std::move(*before)).first->second;
}

void ProbeVerdicts::learn(const model::TrialRecord& record, const model::TrialOutcome& outcome) {
  const bool failed = outcome.subject == model::Subject::binary;
  if (!failed && !outcome.probes_passed) return;
  model::ProbeVerdict verdict;
  verdict.probe = record.probe_key;
  verdict.trial = record.key;
  verdict.run = record.run;
  if (failed) {
    verdict.status = outcome.status;
    verdict.detail = outcome.detail;
  }
  if (is_death(verdict.status)) {
    const auto before = m_services.source.verdict(record.probe_key);
    verdict.deaths = 1 + (before ? before->deaths : 0);
  }
  m_services.sink.record_verdict(verdict);
  m_seen.insert_or_assign(record.probe_key, std::move(verdict));
}

}  // namespace tuner::sweep
