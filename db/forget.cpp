#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "db/kernel_specs.hpp"
#include "db/queries.hpp"
#include "db/row_writer.hpp"
#include "db/rows.hpp"
#include "db/statement.hpp"
#include "db/stored_records.hpp"
#include "db/transfer.hpp"

namespace db {
namespace {

using tuner::model::Digest;
using tuner::model::TrialRecord;

/// Adds what a SELECT gives to those of a kind that go.
template <class... Values>
void doom(const Connection& db, const std::string& kind, const std::string& select, const Values&... values) {
  Statement(db, "INSERT INTO doomed_" + kind + " " + select + " ON CONFLICT DO NOTHING").run(values...);
}

/// What goes, in tables of this connection's own. A trial goes with the last of its results: measurements,
/// and failures by run. Finals go that chose what goes, that were held by a run that goes, or of whose
/// finalists none stays; searches of a run that goes, that ended before then, or that were of a kernel that
/// goes: an outlook is on all that took part.
void select_doomed(const Connection& db, const ForgetQuery& query) {
  for (const auto& [kind, columns] : {std::pair{"trials", "id BLOB PRIMARY KEY NOT NULL"},
                                      {"measurements", "id BLOB PRIMARY KEY NOT NULL, trial BLOB NOT NULL"},
                                      {"failures", "run BLOB, trial BLOB, PRIMARY KEY (trial, run)"},
                                      {"probings",
                                       "probe BLOB, run BLOB, trial BLOB, measured_at TEXT, "
                                       "cleared INTEGER, PRIMARY KEY (probe, run, trial, measured_at)"},
                                      {"attempts", "id BLOB PRIMARY KEY NOT NULL"},
                                      {"finals", "id BLOB PRIMARY KEY NOT NULL"},
                                      {"searches", "id BLOB PRIMARY KEY NOT NULL"}}) {
    const std::string table = std::string("doomed_") + kind;
    db.execute("CREATE TEMP TABLE IF NOT EXISTS " + table + " (" + columns + "); DELETE FROM " + table);
  }
  if (query.trial) doom(db, "trials", "SELECT id FROM trials WHERE id = ?", *query.trial);
  if (!query.kernel.empty()) {
    for (const char* kind : {"trials", "attempts"})
      doom(db, kind,
           fmt::format("SELECT id FROM {} WHERE kernel IN "
                       "(SELECT id FROM kernels WHERE name = ?1 AND ?2 IN ('', family))",
                       kind),
           query.kernel, query.family);
    doom(db, "searches",
         "SELECT r.search FROM search_kernels AS r JOIN searches AS s ON s.id = r.search "
         "JOIN cases AS n ON n.id = s.tuning_case JOIN problems AS p ON p.id = n.problem "
         "WHERE r.kernel = ?1 AND ?2 IN ('', p.family)",
         query.kernel, query.family);
  }
  const auto doom_results = [&](const std::string& condition, const std::string& opened,
                                const std::string& ended, const auto& value) {
    doom(db, "measurements", "SELECT id, trial FROM measurements WHERE " + condition, value);
    doom(db, "failures", "SELECT run, trial FROM earlier_failures WHERE " + condition, value);
    doom(db, "failures",
         "SELECT coalesce(run, x''), id FROM trials WHERE measurement IS NULL AND " + condition, value);
    doom(db, "probings", "SELECT probe, run, trial, measured_at, cleared FROM probings WHERE " + condition,
         value);
    doom(db, "finals", "SELECT id FROM finals WHERE " + condition, value);
    doom(db, "attempts", "SELECT id FROM attempts WHERE " + opened, value);
    doom(db, "searches", "SELECT id FROM searches WHERE " + ended, value);
  };
  if (query.run) doom_results("run = ?", "run = ?", "run = ?", *query.run);
  if (!query.before.empty()) doom_results("measured_at < ?", "opened_at < ?", "ended_at < ?", query.before);
  const std::string of_doomed = " JOIN doomed_trials AS d ON d.id = r.trial WHERE true";
  doom(db, "measurements", "SELECT r.id, r.trial FROM measurements AS r" + of_doomed);
  doom(db, "failures", "SELECT r.run, r.trial FROM earlier_failures AS r" + of_doomed);
  doom(db, "failures",
       "SELECT coalesce(t.run, x''), t.id FROM trials AS t JOIN doomed_trials AS d ON d.id = t.id "
       "WHERE t.measurement IS NULL");
  db.execute(sql("doom_trials_without_results"));
  doom(db, "finals", "SELECT id FROM finals WHERE chosen IN (SELECT id FROM doomed_trials)");
  doom(db, "attempts", "SELECT id FROM attempts WHERE trial IN (SELECT id FROM doomed_trials)");
}

/// Trials that stay and lose their current result get the latest of the others.
void bring_back(const Connection& db) {
  RowWriter writer(db);
  TrialLoader loader(db);
  Statement measurements(
      db, select_from<StoredMeasurement>("measurements WHERE trial = ? "
                                         "AND id NOT IN (SELECT id FROM doomed_measurements) ORDER BY id"));
  Statement failures(db, select_from<PastFailure>("earlier_failures WHERE trial = ? AND (run, trial) "
                                                  "NOT IN (SELECT run, trial FROM doomed_failures)"));
  const auto latest = [](const auto& results) {
    const auto found = std::ranges::max_element(results, {}, [](const auto& one) { return rank_of(one); });
    return found == results.end() ? std::nullopt : std::optional(*found);
  };
  for (const Digest& key : Statement(db, sql("select_bereft")).all(&Statement::Use::digest)) {
    const auto measured = latest(measurements.all(read_row<StoredMeasurement>, key));
    const auto failed = latest(failures.all(read_row<PastFailure>, key));
    const bool has_failed = failed && (!measured || rank_of(*measured) < rank_of(*failed));
    TrialRecord trial = loader.find(key, true).value();
    writer.put(
        has_failed ? as_failed(std::move(trial), *failed) : as_measured(std::move(trial), measured.value()),
        RowWriter::Known::replace);
  }
}

/// An energy goes with the result that it came with.
void forget_energies(const Connection& db) {
  const std::string values = columns_of<tuner::model::Energy>().joined(
      [](const std::string& name) { return "energy_" + name + " = NULL"; });
  db.execute("UPDATE trials SET " + values +
             " WHERE id IN (SELECT t.id FROM doomed_measurements AS d JOIN measurements AS m ON m.id = d.id "
             "JOIN trials AS t ON t.id = d.trial WHERE t.energy_sequence = m.sequence)");
}

/// Trials fail by their probes as those say that stay.
void forget_probings(const Connection& db) {
  db.execute(sql("forget_probings"));
  RowWriter writer(db);
  for (const Digest& probe :
       Statement(db, "SELECT DISTINCT probe FROM doomed_probings").all(&Statement::Use::digest))
    writer.settle(probe);
}

void remove(const Connection& db, const ForgetQuery& query) {
  bring_back(db);
  forget_energies(db);
  db.execute(sql("forget"));
  forget_probings(db);
  db.execute(sql("settle_failures"));
  if (query.run) {
    for (const char* statement :
         {"UPDATE trials SET run = NULL WHERE run = ?", "DELETE FROM runs WHERE id = ?"}) {
      Statement(db, statement).run(*query.run);
    }
  }
  if (!query.kernel.empty()) {
    for (const char* statement :
         {"DELETE FROM declarations WHERE kernel = ?1 AND ?2 IN ('', family)",
          "DELETE FROM declaration_succession WHERE kernel = ?1 AND ?2 IN ('', family)"}) {
      Statement(db, statement).run(query.kernel, query.family);
    }
  }
  KernelSpecs(db).settle();
}

Forgotten count(const Connection& db, const ForgetQuery& query) {
  Forgotten gone;
  gone.trials = db.integer("SELECT count(*) FROM doomed_trials");
  gone.measurements = db.integer("SELECT count(*) FROM doomed_measurements");
  gone.failures = db.integer("SELECT count(*) FROM doomed_failures");
  gone.finals = db.integer("SELECT count(*) FROM doomed_finals");
  gone.runs = query.run ? 1 : 0;
  gone.attempts = db.integer(
      "SELECT count(*) FROM attempts WHERE id IN (SELECT id FROM doomed_attempts) AND closed_at IS NULL");
  gone.probings = db.integer("SELECT count(*) FROM doomed_probings");
  return gone;
}

}  // namespace

Forgotten forget(const Connection& db, const ForgetQuery& query, bool dry_run) {
  Transaction transaction(db);
  select_doomed(db, query);
  const Forgotten gone = count(db, query);
  if (dry_run || gone.nothing()) return gone;
  remove(db, query);
  transaction.commit();
  return gone;
}

}  // namespace db
