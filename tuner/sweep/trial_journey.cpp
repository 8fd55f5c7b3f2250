#include "tuner/sweep/trial_journey.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tuner::sweep {
namespace {

using model::TrialStatus;

search::BinaryFacts binary_facts(const model::TrialRecord& record, const model::DeviceLimits& limits) {
  search::BinaryFacts facts;
  facts.status = record.outcome.status;
  facts.compile_ms = record.compile_ms;
  facts.threads = record.block.count();
  facts.blocks = record.grid.count();
  facts.shared_bytes = record.dynamic_shared_bytes;
  if (record.resources) {
    facts.registers = record.resources->registers;
    facts.spilled_bytes = record.resources->spill_store_bytes;
    facts.shared_bytes += record.resources->static_shared_bytes;
  }
  if (!record.occupancy) return facts;
  facts.occupancy = record.occupancy->fraction;
  const double at_once = static_cast<double>(record.occupancy->blocks_per_multiprocessor) *
                         static_cast<double>(limits.multiprocessors);
  if (at_once > 0) facts.waves = static_cast<double>(facts.blocks) / at_once;
  return facts;
}

/// What died so often; else it is left as it is.
void put_under_quarantine(model::TrialOutcome& outcome, int deaths) {
  if (deaths < quarantine_deaths) return;
  outcome.detail =
      fmt::format("{} ({}; seen {} times: not run again unless it changes, or with --retry-failed)",
                  outcome.detail, model::to_string(outcome.status), deaths);
  outcome.status = TrialStatus::quarantined;
}

}  // namespace

void SweepPart::note_death(model::TrialRecord& record) {
  m_services.sink.close_attempt(record, record.outcome.status, record.outcome.detail);
  put_under_quarantine(record.outcome, m_services.source.deaths(record.key));
}

TrialJourney::TrialJourney(const Request& request, const TrialList& list, Services& services,
                           CandidateQueue& queue, CompileAhead& compiling, FinalStage& finals,
                           const DeviceSpread& spread, Summary& summary)
    : SweepPart(request, list, services),
      m_queue(queue),
      m_compiling(compiling),
      m_finals(finals),
      m_summary(summary),
      m_verdicts(request, services),
      m_unprepared(services.observer),
      m_best(request, services, spread) {}

const sweep::Work& TrialJourney::work_of(const CandidateQueue::Item& item) const {
  if (item.again != nullptr) return *item.again;
  return m_list.groups[item.group].work_of(m_request, item.candidate);
}

/// One for each kernel and group, made when it is first needed.
const TrialMaker& TrialJourney::maker_of(const CandidateQueue::Item& item) {
  const Work& work = work_of(item);
  const model::Problem& problem = m_list.groups[item.group].problem;
  return m_makers.try_emplace({item.group, &work}, m_request, work, problem).first->second;
}

void TrialJourney::start(const CandidateQueue::Item& item) {
  const Group& group = m_list.groups[item.group];
  const auto& candidate = group.candidates[item.candidate];
  start(maker_of(item).make(group.lists[candidate.kernel][candidate.configuration]), item);
}

void TrialJourney::start_again(std::size_t group, const Work& work, Trial trial) {
  ++m_again[group];
  ++m_summary.planned;
  const std::string origin = trial.record.origin;
  start(std::move(trial), {group, 0, origin, &work});
}

std::int64_t TrialJourney::under_way_again(std::size_t group) const {
  const auto known = m_again.find(group);
  return known == m_again.end() ? 0 : known->second;
}

void TrialJourney::start(Trial trial, const CandidateQueue::Item& item) {
  trial.record.origin = item.origin;
  ++m_under_way;
  if (trial.record.outcome.status == TrialStatus::ok &&
      ((item.again == nullptr && m_queue.is_refused(item)) || m_unprepared.contains(trial)))
    return leave_out(trial.record, item);
  if (trial.record.outcome.status == TrialStatus::ok) quarantine(trial);
  if (trial.record.outcome.status != TrialStatus::ok) return finish(trial.record, item);
  m_services.observer.compiling(trial.record);
  m_compiling.submit(std::move(trial), item);
}

void TrialJourney::quarantine(Trial& trial) {
  if (m_request.retry_failed) return;
  const int deaths = m_services.source.deaths(trial.record.key);
  if (deaths < quarantine_deaths) return;
  trial.record.outcome.status = TrialStatus::quarantined;
  trial.record.outcome.detail = fmt::format(
      "its process was seen to die or hang {} times; not run again unless it changes, or with "
      "--retry-failed",
      deaths);
}

/// Whether its group has had its time; then it is not run now.
bool TrialJourney::gives_back(const CandidateQueue::Item& item) {
  if (!m_queue.is_over(item)) return false;
  m_queue.give_back(item);
  --m_under_way;
  return true;
}

bool TrialJourney::judge(CompiledTrial& trial) {
  m_services.observer.compiled(trial.trial.record);
  if (gives_back(trial.item)) return false;
  model::TrialRecord& record = trial.trial.record;
  add_compilation(trial.trial, *trial.binary, m_services.oracle);
  if (trial.item.again != nullptr) return true;
  const bool worth = m_queue.compiled(trial.item, binary_facts(record, m_request.device.limits));
  if (worth || record.outcome.status != TrialStatus::ok) return true;
  skip(record, trial.item);
  return false;
}

std::optional<model::TrialJob> TrialJourney::job(CompiledTrial& trial, DeviceSlot& slot) {
  if (gives_back(trial.item)) return std::nullopt;
  model::TrialRecord& record = trial.trial.record;
  if ((trial.item.again == nullptr && m_queue.is_refused(trial.item)) || m_unprepared.contains(trial)) {
    leave_out(record, trial.item);
    return std::nullopt;
  }
  if (is_death(record.outcome.status)) note_death(record);  // the compiler's
  say_without_library(trial.item, record);
  if (record.outcome.status != TrialStatus::ok || is_condemned(trial)) {
    finish(record, trial.item);
    return std::nullopt;
  }
  model::TrialJob job = job_of(m_request, trial);
  job.probes = std::exchange(m_probes, {});
  job.best_ns = m_best.of(trial, slot.number);
  // Others are held against a default bit by bit, which takes verifying it on both input sets.
  if (record.is_default)
    for (model::Cut& cut : job.policy.cuts) cut.samples = std::max(cut.samples, 2);
  record.gpu = slot.uuid;
  m_queue.launches(trial.item);
  slot.use_inputs_of(trial.item.group);
  slot.probes = !job.probes.empty();
  return job;
}

void TrialJourney::end(DeviceSlot& slot, CompiledTrial trial, model::TrialOutcome outcome) {
  model::TrialRecord& record = trial.trial.record;
  if (outcome.subject == model::Subject::problem) {
    m_services.sink.close_attempt(record, TrialStatus::skipped, outcome.detail);
    m_unprepared.add(trial.trial, outcome.detail);
    return leave_out(record, trial.item);
  }
  ++slot.did.trials;
  if (slot.probes) m_verdicts.learn(record, outcome);
  maker_of(trial.item).add_outcome(trial.trial, std::move(outcome));
  add_settings(trial.item, record);
  if (is_death(record.outcome.status)) note_death(record);
  say_without_library(trial.item, record);
  m_best.learn(trial, slot.number);
  m_finals.remember(trial);
  const bool can_wait = !record.outcome.device_lost;
  m_ended.push_back({std::move(record), trial.item});
  if (!can_wait) commit();
}

void TrialJourney::return_unrun(CompiledTrial trial, const std::string& why) {
  m_services.sink.close_attempt(trial.trial.record, TrialStatus::skipped, why);
  m_compiling.give_back(std::move(trial));
}

void TrialJourney::withdraw(const CandidateQueue::Item& item) {
  if (item.again == nullptr)
    m_queue.withdraw(item);
  else
    --m_again[item.group];
}

/// By number, in its group.
std::size_t TrialJourney::kernel_of(const CandidateQueue::Item& item) const {
  return m_list.groups[item.group].candidates[item.candidate].kernel;
}

/// What is refused on a probe whatever its configuration is said once, and the rest is left alone.
void TrialJourney::note_refusal(const model::TrialRecord& record, const CandidateQueue::Item& item) {
  const TrialStatus status = record.outcome.status;
  const bool was_run = status != TrialStatus::compile_error && status != TrialStatus::unlaunchable &&
                       status != TrialStatus::quarantined && status != TrialStatus::skipped;
  if (!was_run) return;
  if (!Refusals::is_of_probe(record.outcome)) return m_refusals.other(item.group, kernel_of(item));
  if (!m_refusals.on_probe(item.group, kernel_of(item), record.outcome.detail)) return;
  m_queue.refuse_rest(item);
  m_services.observer.notice(fmt::format(
      "{} at {}: the first {} configurations were all refused on a probe, so the others are not tried: {}; a "
      "constraint that the probe's sizes do not meet rules it out (docs/specs-verification.md#probes)",
      record.kernel, record.problem.text(), Refusals::enough_on_probes, record.outcome.detail));
}

void TrialJourney::leave_out(const model::TrialRecord& record, const CandidateQueue::Item& item) {
  if (item.again != nullptr) {
    withdraw(item);
  } else {
    if (m_refusals.unprepared(item.group, kernel_of(item))) m_queue.refuse_rest(item);
    m_queue.refuse(item);
  }
  --m_under_way;
  ++m_summary.unprepared;
  m_services.observer.left_out(record);
}

/// What the compiler said of it was enough for the strategy. Nothing is recorded: it was not tried.
void TrialJourney::skip(const model::TrialRecord& record, const CandidateQueue::Item& item) {
  withdraw(item);
  --m_under_way;
  ++m_summary.skipped_by_strategy;
  m_services.observer.left_out(record);
}

/// Whether its binary is known to be wrong; then that is the outcome. Else it has its probes' identity.
bool TrialJourney::is_condemned(CompiledTrial& trial) {
  model::TrialRecord& record = trial.trial.record;
  m_probes = maker_of(trial.item).probes(trial.trial);
  if (m_probes.empty()) return false;
  record.probe_key =
      model::probe_key(record.binary_key, m_probes, trial.trial.reference_key, record.environment);
  const auto verdict = m_verdicts.find(record.probe_key);
  if (!verdict) return false;
  m_probes.clear();
  if (verdict->status == TrialStatus::ok) return false;
  record.outcome.status = verdict->status;
  record.outcome.detail = verdict->detail;
  record.outcome.subject = model::Subject::binary;
  put_under_quarantine(record.outcome, verdict->deaths);
  return true;
}

/// A library's version says little without the settings it was called with.
void TrialJourney::add_settings(const CandidateQueue::Item& item, model::TrialRecord& record) const {
  const std::string& settings = work_of(item).kernel.spec().description;
  model::TrialOutcome& outcome = record.outcome;
  if (record.role != model::Role::baseline || outcome.status != TrialStatus::ok || settings.empty()) return;
  outcome.detail += (outcome.detail.empty() ? "" : "; ") + settings;
}

/// A baseline that cannot be had is missed at every size for the same reason, which is said once.
void TrialJourney::say_missing(const model::TrialRecord& record) {
  const model::TrialOutcome& outcome = record.outcome;
  if (outcome.status == TrialStatus::ok || !m_missing.insert(record.kernel + outcome.detail).second) return;
  m_services.observer.notice(
      fmt::format("no times of {}: {}: {}", record.kernel, model::to_string(outcome.status), outcome.detail));
}

/// The same of a library that a kernel calls between its launches, or of what compiles it.
void TrialJourney::say_without_library(const CandidateQueue::Item& item, const model::TrialRecord& record) {
  const std::string& why = record.outcome.detail;
  if (record.outcome.status != TrialStatus::skipped || work_of(item).kernel.spec().library.empty()) return;
  if (!m_missing.insert(record.kernel + why).second) return;
  m_services.observer.notice(
      fmt::format("{}: configurations that call its library are skipped: {}", record.kernel, why));
}

void TrialJourney::commit(const std::vector<const model::TrialRecord*>& next) {
  const std::vector<Ended> all = std::exchange(m_ended, {});
  std::vector<const model::TrialRecord*> records;
  for (const Ended& ended : all) records.push_back(&ended.record);
  if (!records.empty() || !next.empty()) m_services.sink.turn_over(records, next);
  for (const Ended& ended : all) note_finished(ended.record, ended.item);
}

void TrialJourney::finish(const model::TrialRecord& record, const CandidateQueue::Item& item) {
  m_services.sink.record(record);
  note_finished(record, item);
}

void TrialJourney::note_finished(const model::TrialRecord& record, const CandidateQueue::Item& item) {
  if (item.again == nullptr) {
    m_queue.report(item, record);
    note_refusal(record, item);
  } else {
    --m_again[item.group];
  }
  if (record.role == model::Role::baseline) say_missing(record);
  --m_under_way;
  ++m_summary.finished;
  const bool failed = model::is_failure(record.outcome.status);
  m_summary.failed += failed ? 1 : 0;
  if (model::may_win(record.role)) {
    const bool is_skipped = record.outcome.status == TrialStatus::skipped;
    ++m_summary.competing;
    m_summary.competing_failed += failed || is_skipped ? 1 : 0;
    if (is_skipped && m_summary.skipped_why.empty()) m_summary.skipped_why = record.outcome.detail;
  }
  m_services.observer.finished(record);
}

}  // namespace tuner::sweep
