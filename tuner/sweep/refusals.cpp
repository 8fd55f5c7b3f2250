#include <fmt/format.h>

#include <cctype>

#include "tuner/sweep/trial_journey.hpp"

namespace tuner::sweep {
namespace {

/// Numbers are the configuration's.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit) out += c;
    if (is_digit && (out.empty() || out.back() != '#')) out += '#';
  }
  return out;
}

}  // namespace

bool Refusals::add(Row& row, const std::string& why, int enough) {
  if (row.length > 0 && row.why != why) row.differs = true;
  row.why = why;
  return ++row.length == enough && !row.differs;
}

bool Refusals::on_probe(std::size_t group, std::size_t kernel, const std::string& why) {
  return add(m_rows[{group, kernel}], without_numbers(why), enough_on_probes);
}

bool Unprepared::contains(const CompiledTrial& trial) {
  if (contains(trial.trial)) return true;
  if (!trial.reference || trial.reference->status == model::TrialStatus::ok) return false;
  if (m_bad_references.insert(trial.trial.reference_key).second) {
    add(trial.trial,
        fmt::format("the reference it is verified against does not compile, at this size or any other:\n{}",
                    trial.reference->log));
  }
  m_problems.insert(trial.trial.preparation_key);
  return true;
}

void Unprepared::add(const Trial& trial, const std::string& why) {
  if (!m_problems.insert(trial.preparation_key).second) return;
  const model::TrialRecord& record = trial.record;
  m_observer.notice(fmt::format("left out: {} {} as {} has it: {}", record.problem.family,
                                record.problem.text(), record.kernel, why));
}

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
