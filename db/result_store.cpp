#include "db/result_store.hpp"

#include <algorithm>

#include "db/database.hpp"
#include "db/ids.hpp"
#include "db/kernel_sources.hpp"
#include "db/machine.hpp"
#include "db/queries.hpp"
#include "db/row_reader.hpp"
#include "db/row_writer.hpp"
#include "db/sql.hpp"
#include "db/statement.hpp"
#include "db/transaction.hpp"

namespace db {

using tuner::model::Ceiling;
using tuner::model::Digest;
using tuner::model::FinalRecord;
using tuner::model::RunRecord;
using tuner::model::TrialRecord;
using tuner::model::TrialStatus;

class ResultStore::Statements {
 public:
  explicit Statements(const Connection& db)
      : rows(db),
        sources(db),
        end_run(db, "UPDATE runs SET ended_at = ?, state = ? WHERE id = ?"),
        count_measured(db, "UPDATE runs SET measured = measured + 1 WHERE id = ?"),
        open_attempt(db, sql("insert_attempt")),
        close_attempt(db, sql("close_attempt")),
        open_here(db, "SELECT id, pid FROM attempts WHERE machine = ? AND boot = ? AND closed_at IS NULL"),
        abandon(db, "UPDATE attempts SET closed_at = ?, outcome = 'abandoned' WHERE id = ?"),
        count_deaths(db, sql("count_deaths")),
        is_known(db, "SELECT 1 FROM trials WHERE id = ?"),
        fastest(db, sql("select_fastest")),
        is_settled(db, sql("select_is_settled")),
        contenders(db, sql("select_contenders")),
        by_key(db, sql("select_trials") + " WHERE t.id = ?") {}

  /// With its measurement, and no attempt of it left open.
  void put(const TrialRecord& record, bool late) {
    rows.put(record, late ? RowWriter::Known::replace_if_older : RowWriter::Known::replace);
    close_attempt_of(record.key, record.outcome.status, record.outcome.detail);
  }

  void close_attempt_of(const Digest& trial, TrialStatus outcome, const std::string& detail) {
    close_attempt.use()
        .bind(utc_now())
        .bind(to_string(outcome))
        .bind(detail)
        .bind(trial)
        .bind(machine.id)
        .bind(machine.boot)
        .bind(machine.pid)
        .run();
  }

  void close_attempts_of_dead_processes() {
    std::vector<Digest> abandoned;
    {
      auto row = open_here.use();
      row.bind(machine.id).bind(machine.boot);
      while (row.step()) {
        const Digest attempt = row.digest();
        if (!is_alive(row.integer())) abandoned.push_back(attempt);
      }
    }
    for (const Digest& attempt : abandoned) abandon.use().bind(utc_now()).bind(attempt).run();
  }

  const Machine machine = this_machine();
  RowWriter rows;
  KernelSources sources;
  Statement end_run, count_measured, open_attempt, close_attempt, open_here, abandon, count_deaths, is_known,
      fastest, is_settled, contenders, by_key;
};

void stamp(FinalRecord& final, std::vector<TrialRecord>& contestants) {
  for (TrialRecord& trial : contestants) trial.measured_at = utc_now();
  final.measured_at = utc_now();
}

ResultStore::ResultStore(const std::filesystem::path& path, const OpenOptions& options)
    : m_db(open_database(path, options)), m_statements(std::make_unique<Statements>(m_db)) {}

ResultStore::~ResultStore() = default;

void ResultStore::begin_run(const RunRecord& run) {
  RunRecord begun = run;
  if (begun.started_at.empty()) begun.started_at = utc_now();
  if (begun.state.empty()) begun.state = "running";
  Transaction transaction(m_db);
  m_statements->close_attempts_of_dead_processes();
  m_statements->rows.put(begun);
  transaction.commit();
}

void ResultStore::end_run(const Digest& run, const std::string& state) {
  Transaction transaction(m_db);
  m_statements->end_run.use().bind(utc_now()).bind(state).bind(run).run();
  transaction.commit();
}

void ResultStore::use_source(const std::string& family, const std::string& kernel, const Digest& source) {
  if (m_statements->sources.is_current(family, kernel, source)) return;
  Transaction transaction(m_db);
  m_statements->sources.set(family, kernel, source);
  transaction.commit();
}

void ResultStore::open_attempt(const TrialRecord& trial) {
  const Machine& machine = m_statements->machine;
  Transaction transaction(m_db);
  const RowWriter::Identity identity = m_statements->rows.put_identity(trial);
  m_statements->open_attempt.use()
      .bind(Digest::random())
      .bind(trial.key)
      .bind(identity.contest)
      .bind(identity.kernel)
      .bind(identity.configuration)
      .bind(machine.id)
      .bind(machine.boot)
      .bind(machine.pid)
      .bind(utc_now())
      .bind(trial.run)
      .run();
  transaction.commit();
}

void ResultStore::record(const TrialRecord& trial) {
  TrialRecord now = trial;
  now.measured_at = utc_now();
  record(now, false);
}

void ResultStore::record_late(const TrialRecord& trial) {
  record(trial, true);
}

void ResultStore::record(const TrialRecord& trial, bool late) {
  Transaction transaction(m_db);
  m_statements->put(trial, late);
  m_statements->count_measured.use().bind(trial.run).run();
  transaction.commit();
}

void ResultStore::record_final(const FinalRecord& final, const std::vector<TrialRecord>& contestants) {
  FinalRecord now = final;
  std::vector<TrialRecord> measured = contestants;
  stamp(now, measured);
  record_final(now, measured, false);
}

void ResultStore::record_final_late(const FinalRecord& final, const std::vector<TrialRecord>& contestants) {
  record_final(final, contestants, true);
}

void ResultStore::record_final(const FinalRecord& final, const std::vector<TrialRecord>& contestants,
                               bool late) {
  Transaction transaction(m_db);
  // Not counted as measured by the run: they were, when they raced.
  for (const TrialRecord& trial : contestants) m_statements->put(trial, late);
  m_statements->rows.put(final);
  transaction.commit();
}

void ResultStore::record_ceiling(const Ceiling& ceiling) {
  Ceiling now = ceiling;
  if (now.measured_at.empty()) now.measured_at = utc_now();
  Transaction transaction(m_db);
  m_statements->rows.put(now);
  transaction.commit();
}

void ResultStore::observed_death(const Digest& trial, TrialStatus how, const std::string& detail) {
  Transaction transaction(m_db);
  m_statements->close_attempt_of(trial, how, detail);
  transaction.commit();
}

std::vector<Digest> ResultStore::known(const std::vector<Digest>& keys) {
  std::vector<Digest> found;
  const Snapshot snapshot(m_db);
  for (const Digest& key : keys) {
    if (m_statements->is_known.use().bind(key).step()) found.push_back(key);
  }
  return found;
}

std::optional<TrialRecord> ResultStore::find(const Digest& trial) {
  return find_trial(m_db, trial);
}

std::optional<double> ResultStore::best_ns(const tuner::model::Problem& problem,
                                           const tuner::model::ComparisonClass& comparison_class) {
  auto row = m_statements->fastest.use();
  row.bind(contest_id(problem, comparison_class));
  if (!row.step()) return std::nullopt;
  row.skip();  // which trial it is
  return row.real();
}

std::vector<TrialRecord> ResultStore::contenders(const tuner::model::Problem& problem,
                                                 const tuner::model::ComparisonClass& comparison_class,
                                                 double within, int most) {
  const Snapshot snapshot(m_db);
  const Digest contest = contest_id(problem, comparison_class);
  std::vector<TrialRecord> found;
  {
    auto settled = m_statements->is_settled.use();
    if (!settled.bind(contest).step() || settled.flag()) return found;
  }
  const auto best = best_ns(problem, comparison_class);
  if (!best) return found;
  auto row = m_statements->contenders.use();
  row.bind(contest).bind(*best * within).bind(std::max(most, 0));
  while (row.step()) {
    auto trial = m_statements->by_key.use();
    if (trial.bind(row.digest()).step()) found.push_back(read_trial(trial, false));
  }
  return found;
}

int ResultStore::deaths(const Digest& trial) {
  const Machine& machine = m_statements->machine;
  auto row = m_statements->count_deaths.use();
  row.bind(trial).bind(machine.id).bind(machine.boot);
  return row.step() ? row.small() : 0;
}

const Connection& ResultStore::connection() const {
  return m_db;
}

const std::string& ResultStore::notice() const {
  return m_db.notice();
}

}  // namespace db
