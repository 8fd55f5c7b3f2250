#include "db/forget.hpp"

#include <vector>

#include "db/kernel_specs.hpp"
#include "db/queries.hpp"
#include "db/row_writer.hpp"
#include "db/statement.hpp"

namespace db {
namespace {

using tuner::model::Digest;

/// The measurements that go, and the trials that go with or without one, in tables of this connection's own.
void select_doomed(const Connection& db, const ForgetQuery& query) {
  db.execute(
      "CREATE TEMP TABLE IF NOT EXISTS doomed_measurements (id BLOB PRIMARY KEY NOT NULL, trial BLOB NOT "
      "NULL);"
      "CREATE TEMP TABLE IF NOT EXISTS doomed_trials (id BLOB PRIMARY KEY NOT NULL);"
      "DELETE FROM doomed_measurements; DELETE FROM doomed_trials;");
  const auto run = [&](const std::string& sql, const auto& value) {
    Statement statement(db, sql);
    statement.use().bind(value).run();
  };
  const std::string measurements =
      "INSERT INTO doomed_measurements SELECT id, trial FROM measurements WHERE ";
  const std::string trials = "INSERT INTO doomed_trials SELECT id FROM trials WHERE ";
  if (query.trial) {
    run(trials + "id = ?", *query.trial);
  } else if (!query.kernel.empty()) {
    run(trials + "kernel IN (SELECT id FROM kernels WHERE name = ?)", query.kernel);
  } else if (query.run) {
    run(measurements + "run = ?", *query.run);
    // What failed has no measurement.
    run(trials + "run = ? AND measurement IS NULL", *query.run);
  } else {
    run(measurements + "measured_at < ?", query.before);
    run(trials + "measured_at < ? AND measurement IS NULL", query.before);
  }
  db.execute(
      "INSERT INTO doomed_measurements SELECT m.id, m.trial FROM measurements AS m "
      "JOIN doomed_trials AS d ON d.id = m.trial WHERE true ON CONFLICT DO NOTHING;"
      "INSERT INTO doomed_trials SELECT DISTINCT d.trial FROM doomed_measurements AS d "
      "WHERE NOT EXISTS (SELECT 1 FROM measurements AS m WHERE m.trial = d.trial "
      "AND m.id NOT IN (SELECT id FROM doomed_measurements)) ON CONFLICT DO NOTHING;");
}

/// Trials that stay and lose the measurement that was their current one get the latest of the others.
void bring_back(const Connection& db) {
  std::vector<Digest> keys;
  {
    Statement select(db,
                     "SELECT t.id FROM trials AS t JOIN doomed_measurements AS d ON d.id = t.measurement "
                     "WHERE t.id NOT IN (SELECT id FROM doomed_trials)");
    auto row = select.use();
    while (row.step()) keys.push_back(row.digest());
  }
  RowWriter writer(db);
  Statement is_doomed(db, "SELECT 1 FROM doomed_measurements WHERE id = ?");
  for (const Digest& key : keys) {
    std::vector<StoredMeasurement> stay = measurements(db, key);
    std::erase_if(stay, [&](const StoredMeasurement& stored) {
      auto row = is_doomed.use();
      return row.bind(stored.key(key)).step();
    });
    writer.put(as_measured(find_trial(db, key).value(), stay.back()), RowWriter::Known::replace);
  }
}

void remove(const Connection& db, const ForgetQuery& query) {
  bring_back(db);
  db.execute(sql("forget"));
  if (query.run) {
    for (const char* statement :
         {"UPDATE verdicts SET run = NULL WHERE run = ?", "UPDATE attempts SET run = NULL WHERE run = ?",
          "UPDATE trials SET run = NULL WHERE run = ?", "DELETE FROM runs WHERE id = ?"}) {
      Statement each(db, statement);
      each.use().bind(*query.run).run();
    }
  }
  if (!query.kernel.empty()) {
    for (const char* statement : {"DELETE FROM declarations WHERE kernel = ?",
                                  "DELETE FROM declaration_succession WHERE kernel = ?"}) {
      Statement undeclare(db, statement);
      undeclare.use().bind(query.kernel).run();
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

/// Finals that chose what goes, that were held by a run that goes, or of whose finalists none stays.
void select_finals(const Connection& db, const ForgetQuery& query) {
  db.execute(
      "CREATE TEMP TABLE IF NOT EXISTS doomed_finals (id BLOB PRIMARY KEY NOT NULL); DELETE FROM "
      "doomed_finals;"
      "INSERT INTO doomed_finals SELECT id FROM finals WHERE chosen IN (SELECT id FROM doomed_trials);");
  if (query.run) {
    Statement held(db,
                   "INSERT INTO doomed_finals SELECT id FROM finals WHERE run = ? ON CONFLICT DO NOTHING");
    held.use().bind(*query.run).run();
  }
  if (!query.before.empty()) {
    Statement old(
        db, "INSERT INTO doomed_finals SELECT id FROM finals WHERE measured_at < ? ON CONFLICT DO NOTHING");
    old.use().bind(query.before).run();
  }
}

/// Searches of a run that goes, that ended before then, or that were of a kernel that goes: an outlook is on
/// all that took part.
void select_searches(const Connection& db, const ForgetQuery& query) {
  db.execute(
      "CREATE TEMP TABLE IF NOT EXISTS doomed_searches (id BLOB PRIMARY KEY NOT NULL); DELETE FROM "
      "doomed_searches;");
  const auto select = [&](const char* condition, const auto& value) {
    Statement statement(
        db, std::string("INSERT INTO doomed_searches SELECT id FROM searches WHERE ") + condition);
    statement.use().bind(value).run();
  };
  if (query.run) select("run = ?", *query.run);
  if (!query.before.empty()) select("ended_at < ?", query.before);
  if (!query.kernel.empty())
    select("id IN (SELECT search FROM search_kernels WHERE kernel = ?)", query.kernel);
}

}  // namespace

Forgotten forget(const Connection& db, const ForgetQuery& query, bool dry_run) {
  Transaction transaction(db);
  select_doomed(db, query);
  select_finals(db, query);
  select_searches(db, query);
  const Forgotten gone = count(db, query);
  if (dry_run || gone.nothing()) return gone;
  remove(db, query);
  transaction.commit();
  return gone;
}

}  // namespace db
