#include <algorithm>
#include <vector>

#include "db/kernel_specs.hpp"
#include "db/queries.hpp"
#include "db/row_writer.hpp"
#include "db/statement.hpp"
#include "db/transfer.hpp"

namespace db {
namespace {

using tuner::model::Digest;

/// Adds what a SELECT gives to those of a kind that go.
template <class... Values>
void doom(const Connection& db, const std::string& kind, const std::string& select, const Values&... values) {
  Statement(db, "INSERT INTO doomed_" + kind + " " + select + " ON CONFLICT DO NOTHING").run(values...);
}

/// What goes, in tables of this connection's own. Trials go with or without a measurement. Finals go that
/// chose what goes, that were held by a run that goes, or of whose finalists none stays; searches of a run
/// that goes, that ended before then, or that were of a kernel that goes: an outlook is on all that took
/// part.
void select_doomed(const Connection& db, const ForgetQuery& query) {
  for (const std::string table : {"trials", "measurements", "finals", "searches"}) {
    db.execute("CREATE TEMP TABLE IF NOT EXISTS doomed_" + table + " (id BLOB PRIMARY KEY NOT NULL" +
               (table == "measurements" ? ", trial BLOB NOT NULL" : "") + "); DELETE FROM doomed_" + table);
  }
  if (query.trial) doom(db, "trials", "SELECT id FROM trials WHERE id = ?", *query.trial);
  if (!query.kernel.empty()) {
    doom(db, "trials", "SELECT id FROM trials WHERE kernel IN (SELECT id FROM kernels WHERE name = ?)",
         query.kernel);
    doom(db, "searches", "SELECT search FROM search_kernels WHERE kernel = ?", query.kernel);
  }
  const auto doom_measured = [&](const std::string& condition, const std::string& ended, const auto& value) {
    doom(db, "measurements", "SELECT id, trial FROM measurements WHERE " + condition, value);
    // What failed has no measurement.
    doom(db, "trials", "SELECT id FROM trials WHERE measurement IS NULL AND " + condition, value);
    doom(db, "finals", "SELECT id FROM finals WHERE " + condition, value);
    doom(db, "searches", "SELECT id FROM searches WHERE " + ended, value);
  };
  if (query.run) doom_measured("run = ?", "run = ?", *query.run);
  if (!query.before.empty()) doom_measured("measured_at < ?", "ended_at < ?", query.before);
  doom(db, "measurements",
       "SELECT m.id, m.trial FROM measurements AS m JOIN doomed_trials AS d ON d.id = m.trial WHERE true");
  doom(db, "trials",
       "SELECT DISTINCT d.trial FROM doomed_measurements AS d "
       "WHERE NOT EXISTS (SELECT 1 FROM measurements AS m WHERE m.trial = d.trial "
       "AND m.id NOT IN (SELECT id FROM doomed_measurements))");
  doom(db, "finals", "SELECT id FROM finals WHERE chosen IN (SELECT id FROM doomed_trials)");
}

/// Trials that stay and lose the measurement that was their current one get the latest of the others.
void bring_back(const Connection& db) {
  const std::vector<Digest> keys =
      Statement(db,
                "SELECT t.id FROM trials AS t JOIN doomed_measurements AS d ON d.id = t.measurement "
                "WHERE t.id NOT IN (SELECT id FROM doomed_trials)")
          .all(&Statement::Use::digest);
  RowWriter writer(db);
  TrialLoader loader(db);
  Statement others(db, select_from<StoredMeasurement>(
                           "measurements WHERE trial = ? "
                           "AND id NOT IN (SELECT id FROM doomed_measurements) ORDER BY measured_at, id"));
  for (const Digest& key : keys) {
    const auto stay = others.all(read_row<StoredMeasurement>, key);
    const auto latest =
        std::ranges::max_element(stay, [](const auto& a, const auto& b) { return a.is_before(b); });
    writer.put(as_measured(loader.find(key, true).value(), *latest), RowWriter::Known::replace);
  }
}

void remove(const Connection& db, const ForgetQuery& query) {
  bring_back(db);
  db.execute(sql("forget"));
  if (query.run) {
    for (const char* statement :
         {"UPDATE verdicts SET run = NULL WHERE run = ?", "UPDATE attempts SET run = NULL WHERE run = ?",
          "UPDATE trials SET run = NULL WHERE run = ?", "DELETE FROM runs WHERE id = ?"}) {
      Statement(db, statement).run(*query.run);
    }
  }
  if (!query.kernel.empty()) {
    for (const char* statement : {"DELETE FROM declarations WHERE kernel = ?",
                                  "DELETE FROM declaration_succession WHERE kernel = ?"}) {
      Statement(db, statement).run(query.kernel);
    }
  }
  KernelSpecs(db).settle();
}

Forgotten count(const Connection& db, const ForgetQuery& query) {
  Forgotten gone;
  gone.trials = db.integer("SELECT count(*) FROM doomed_trials");
  gone.measurements = db.integer("SELECT count(*) FROM doomed_measurements");
  gone.finals = db.integer("SELECT count(*) FROM doomed_finals");
  gone.runs = query.run ? 1 : 0;
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
