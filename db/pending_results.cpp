#include "db/pending_results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "db/export_file.hpp"
#include "db/machine.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::RunRecord;
using tuner::model::TrialRecord;
using tuner::model::TrialStatus;

PendingResults::PendingResults(ResultStore& store, Say say, std::chrono::milliseconds retry_after)
    : m_store(store), m_say(std::move(say)), m_retry_after(retry_after), m_spill(store.connection().path()) {}

void PendingResults::begin_run(const RunRecord& run) {
  m_store.begin_run(run);
  RunRecord begun = run;
  if (begun.started_at.empty()) begun.started_at = utc_now();
  if (begun.state.empty()) begun.state = "running";
  m_spill.set_preamble(header_line({}) + run_line(begun));
}

void PendingResults::end_run(const Digest& run, const std::string& state) {
  put(Ending{run, state});
}

void PendingResults::observed_death(const Digest& trial, TrialStatus how, const std::string& detail) {
  put(Death{trial, how, detail});
}

void PendingResults::record(const TrialRecord& trial) {
  // Stamped now: it may be written much later.
  TrialRecord stamped = trial;
  stamped.measured_at = utc_now();
  put(std::move(stamped));
}

void PendingResults::open_attempt(const TrialRecord& trial) {
  // Not worth keeping: once its trial has ended, an attempt says nothing new.
  if (!m_pending.empty() && !retry()) return;
  try {
    m_store.open_attempt(trial);
  } catch (const Error& error) {
    note_failure(error);
  }
}

void PendingResults::put(Entry entry) {
  if ((m_pending.empty() || retry()) && write(entry)) return;
  keep(std::move(entry));
}

bool PendingResults::write(const Entry& entry) {
  struct Writer {
    ResultStore& store;
    void operator()(const TrialRecord& trial) const { store.record_late(trial); }
    void operator()(const Death& death) const { store.observed_death(death.trial, death.how, death.detail); }
    void operator()(const Ending& ending) const { store.end_run(ending.run, ending.state); }
  };
  try {
    std::visit(Writer{m_store}, entry);
    return true;
  } catch (const Error& error) {
    note_failure(error);
    return false;
  }
}

void PendingResults::note_failure(const Error& error) {
  m_reason = error.what();
  m_failed_at = std::chrono::steady_clock::now();
}

void PendingResults::keep(Entry entry) {
  bool kept = true;
  if (const auto* trial = std::get_if<TrialRecord>(&entry)) kept = m_spill.append(trial_line(*trial));
  m_pending.push_back(std::move(entry));
  if (m_pending.size() > 1 && kept == m_kept) return;
  m_kept = kept;
  m_say(fmt::format(
      "{}; results are kept {} until they can be written", m_reason,
      kept && !m_spill.path().empty() ? fmt::format("in {}", m_spill.path().string()) : "in memory"));
}

bool PendingResults::retry() {
  if (std::chrono::steady_clock::now() - m_failed_at < m_retry_after) return false;
  return drain();
}

bool PendingResults::drain() {
  std::size_t written = 0;
  while (!m_pending.empty() && write(m_pending.front())) {
    m_pending.pop_front();
    ++written;
  }
  if (!m_pending.empty()) return false;
  m_spill.discard();
  if (written > 0) m_say(fmt::format("the database takes results again: wrote the {} that waited", written));
  return true;
}

std::optional<PendingResults::Leftover> PendingResults::finish() {
  if (drain()) return std::nullopt;
  const auto is_trial = [](const Entry& entry) { return std::holds_alternative<TrialRecord>(entry); };
  const auto trials = std::count_if(m_pending.begin(), m_pending.end(), is_trial);
  return Leftover{static_cast<std::size_t>(trials), m_kept ? m_spill.path() : std::filesystem::path(),
                  m_reason};
}

}  // namespace db
