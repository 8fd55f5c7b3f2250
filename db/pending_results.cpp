#include "db/pending_results.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "db/connection.hpp"
#include "db/export_file.hpp"
#include "db/machine.hpp"
#include "tuner/model/error.hpp"

namespace db {
namespace {

namespace fs = std::filesystem;

std::string first_bytes(const fs::path& path, std::uintmax_t bytes) {
  std::string text(bytes, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

SpillFile::SpillFile(const fs::path& database, const std::string& why)
    : m_name(fmt::format("{}.{}-{}", database.filename().string(), why, getpid())) {
  std::error_code error;
  if (const fs::path temporary = fs::temp_directory_path(error); !error) m_folders.push_back(temporary);
  m_folders.push_back(fs::absolute(database, error).parent_path());
}

bool SpillFile::append(const std::string& line) {
  while (m_file != nullptr || move_on()) {
    if (write(line)) return true;
    m_file.reset();
  }
  return false;
}

bool SpillFile::move_on() {
  // From the file that failed only complete lines are taken along.
  const fs::path old = m_path;
  const std::string kept = old.empty() ? m_preamble : first_bytes(old, m_bytes);
  while (!m_folders.empty()) {
    const fs::path folder = m_folders.back();
    m_folders.pop_back();
    fs::path path = folder / (m_name + ".jsonl");
    for (int i = 2; fs::exists(path); ++i) path = folder / fmt::format("{}-{}.jsonl", m_name, i);
    m_file.reset(std::fopen(path.c_str(), "wbx"));
    if (m_file == nullptr) continue;
    m_bytes = 0;
    std::error_code error;
    if (write(kept)) {
      m_path = path;
      if (!old.empty()) fs::remove(old, error);
      return true;
    }
    m_file.reset();
    fs::remove(path, error);
  }
  // What the last folder took of earlier lines stays there.
  return false;
}

bool SpillFile::write(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), m_file.get()) == text.size() &&
                       std::fflush(m_file.get()) == 0 && fsync(fileno(m_file.get())) == 0;
  if (written) m_bytes += text.size();
  return written;
}

void SpillFile::discard() {
  m_file.reset();
  if (m_path.empty()) return;
  std::error_code error;
  m_folders.push_back(m_path.parent_path());
  fs::remove(m_path, error);
  m_path.clear();
}

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::RunRecord;
using tuner::model::TrialRecord;
using tuner::model::TrialStatus;

PendingResults::PendingResults(ResultStore& store, Say say, std::chrono::milliseconds retry_after)
    : m_store(store),
      m_say(std::move(say)),
      m_retry_after(retry_after),
      m_spill(store.connection().path(), "pending"),
      m_aside(store.connection().path(), "refused") {}

void PendingResults::begin_run(const RunRecord& run) {
  m_store.begin_run(run);
  RunRecord begun = run;
  if (begun.started_at.empty()) begun.started_at = utc_now();
  if (begun.state.empty()) begun.state = "running";
  for (SpillFile* file : {&m_spill, &m_aside}) file->set_preamble(header_line() + export_line(begun));
}

void PendingResults::end_run(const Digest& run, const std::string& state) {
  put({Kind::other, [=, this](bool) { m_store.end_run(run, state); }, {}});
}

void PendingResults::declare(const tuner::model::KernelDeclaration& kernel,
                             const std::vector<tuner::model::Judgement>& judgements) {
  put({Kind::other, [=, this](bool) { m_store.declare(kernel, judgements); }, {}});
}

void PendingResults::restate(const tuner::model::KernelDeclaration& kernel,
                             const tuner::model::AskSpec& ask) {
  put({Kind::other, [=, this](bool) { m_store.restate(kernel, ask); }, {}});
}

void PendingResults::close_attempt(const TrialRecord& trial, TrialStatus how, const std::string& detail) {
  put({Kind::other, [=, this](bool) { m_store.close_attempt(trial, how, detail); }, {}});
}

void PendingResults::record(const TrialRecord& trial) {
  // Stamped now: it may be written much later.
  const auto stamped = std::make_shared<TrialRecord>(trial);
  m_store.stamp(*stamped);
  put({Kind::trial, [=, this](bool late) { m_store.record_stamped(*stamped, late); },
       [=] { return export_line(StoredTrial{*stamped}); }});
}

void PendingResults::turn_over(const std::vector<const TrialRecord*>& ended,
                               const std::vector<const TrialRecord*>& next) {
  if (m_pending.empty()) {
    try {
      return m_store.turn_over(ended, next);
    } catch (const Error&) {
      // Which of them it is about, or for how long, is seen below.
    }
  }
  ResultSink::turn_over(ended, next);
}

void PendingResults::record_verdict(const tuner::model::ProbeVerdict& verdict) {
  tuner::model::ProbeVerdict stamped = verdict;
  stamped.measured_at = utc_now();
  put({Kind::other, [=, this](bool) { m_store.record_verdict(stamped); },
       [=] {
         return export_line(Probing{stamped, false});
       }});
}

void PendingResults::record_final(const tuner::model::FinalRecord& final,
                                  const std::vector<TrialRecord>& finalists) {
  struct Final {
    tuner::model::FinalRecord record;
    std::vector<TrialRecord> finalists;
  };
  const auto stamped = std::make_shared<Final>(Final{final, finalists});
  m_store.stamp(stamped->record, stamped->finalists);
  // In one piece: a final without its finalists cannot be imported.
  const auto lines = [=] {
    std::string text;
    for (const TrialRecord& trial : stamped->finalists) text += export_line(StoredTrial{trial});
    return text + export_line(stamped->record);
  };
  put({Kind::final,
       [=, this](bool late) { m_store.record_stamped(stamped->record, stamped->finalists, late); }, lines});
}

void PendingResults::record_search(const tuner::model::SearchRecord& search) {
  tuner::model::SearchRecord stamped = search;
  stamped.ended_at = utc_now();
  put({Kind::other, [=, this](bool) { m_store.record_search(stamped); },
       [=] { return export_line(stamped); }});
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
  Written written = Written::not_now;
  if (m_pending.empty() || retry()) written = write(entry, false);
  if (written == Written::refused) put_aside(entry);
  if (written == Written::not_now) keep(std::move(entry));
}

namespace {

/// Whether the store takes other rows, and not this one: what it says violates a constraint or is too large.
bool is_about_the_row(const Error& error) {
  if (dynamic_cast<const DatabaseGone*>(&error) != nullptr) return false;
  const auto* sqlite = dynamic_cast<const SqliteError*>(&error);
  return sqlite == nullptr || sqlite->is_about_the_row();
}

}  // namespace

PendingResults::Written PendingResults::write(const Entry& entry, bool late) {
  try {
    entry.write(late);
    return Written::yes;
  } catch (const Error& error) {
    note_failure(error);
    return is_about_the_row(error) ? Written::refused : Written::not_now;
  }
}

void PendingResults::note_failure(const Error& error) {
  m_reason = error.what();
  m_failed_at = std::chrono::steady_clock::now();
}

namespace {

bool spill(const std::function<std::string()>& lines, SpillFile& file) {
  return !lines || file.append(lines());
}

}  // namespace

void PendingResults::put_aside(const Entry& entry) {
  ++m_refused;
  const bool kept = spill(entry.lines, m_aside) && !m_aside.path().empty();
  m_say(fmt::format("a result was refused: {}; {}", m_reason,
                    kept ? fmt::format("it is kept in {}", m_aside.path().string()) : "no folder took it"));
}

void PendingResults::keep(Entry entry) {
  const bool kept = spill(entry.lines, m_spill);
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
  while (!m_pending.empty()) {
    const Written how = write(m_pending.front(), true);
    if (how == Written::not_now) return false;
    if (how == Written::refused) put_aside(m_pending.front());
    m_pending.pop_front();
    ++written;
  }
  m_spill.discard();
  if (written > 0) m_say(fmt::format("the database takes results again: wrote the {} that waited", written));
  return true;
}

std::optional<PendingResults::Leftover> PendingResults::finish() {
  if (drain() && m_refused == 0) return std::nullopt;
  Leftover left;
  left.file = m_kept ? m_spill.path() : std::filesystem::path();
  left.reason = m_reason;
  left.refused = m_refused;
  left.refused_file = m_aside.path();
  for (const Entry& entry : m_pending) {
    if (entry.kind == Kind::trial) ++left.trials;
    if (entry.kind == Kind::final) ++left.finals;
  }
  return left;
}

}  // namespace db
