#include "db/pending_results.hpp"

#include <fmt/format.h>

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

void PendingResults::use_source(const std::string& family, const std::string& kernel, const Digest& source) {
  put(Source{family, kernel, source});
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

void PendingResults::record_final(const tuner::model::FinalRecord& final,
                                  const std::vector<TrialRecord>& contestants) {
  Final stamped{final, contestants};
  stamp(stamped.record, stamped.contestants);
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
    void operator()(const Final& final) const { store.record_final_late(final.record, final.contestants); }
    void operator()(const Source& source) const {
      store.use_source(source.family, source.kernel, source.key);
    }
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

bool PendingResults::spill(const Entry& entry) {
  if (const auto* trial = std::get_if<TrialRecord>(&entry)) return m_spill.append(trial_line(*trial));
  const auto* final = std::get_if<Final>(&entry);
  if (final == nullptr) return true;
  // In one piece: a final without its contestants cannot be imported.
  std::string lines;
  for (const TrialRecord& trial : final->contestants) lines += trial_line(trial);
  return m_spill.append(lines + final_line(final->record));
}

void PendingResults::keep(Entry entry) {
  const bool kept = spill(entry);
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
  Leftover left{0, 0, m_kept ? m_spill.path() : std::filesystem::path(), m_reason};
  for (const Entry& entry : m_pending) {
    if (std::holds_alternative<TrialRecord>(entry)) ++left.trials;
    if (std::holds_alternative<Final>(entry)) ++left.finals;
  }
  return left;
}

}  // namespace db
