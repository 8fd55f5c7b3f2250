#include <fmt/format.h>

#include "db/condition.hpp"
#include "db/queries.hpp"
#include "db/row_reader.hpp"
#include "db/sql.hpp"
#include "db/statement.hpp"
#include "db/transaction.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::TrialRecord;
using tuner::model::UsageError;

namespace {

std::string select_one() {
  return sql("select_trials") + " WHERE t.id = ?";
}

/// Ids whose hexadecimal text begins with `prefix` lie between it filled up with 0 and with f.
Digest filled_up(const std::string& prefix, char digit) {
  return Digest::from_hex(prefix + std::string(32 - prefix.size(), digit));
}

void require_prefix(const std::string& prefix) {
  const bool hex = prefix.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (hex && prefix.size() >= 4 && prefix.size() <= 32) return;
  throw UsageError(fmt::format("'{}' is not the beginning of a trial's identifier", prefix),
                   "give 4 to 32 hexadecimal digits, as `tuner best` and `tuner report` show them");
}

}  // namespace

std::vector<Digest> trial_keys(const Connection& db, const TrialFilter& filter) {
  Condition condition = contest_condition(filter);
  if (filter.run) condition.add("t.run = ?", *filter.run);
  if (filter.status) condition.add("t.status = ?", std::string(to_string(*filter.status)));
  if (filter.superseded) condition.add("t.superseded = ?", static_cast<std::int64_t>(*filter.superseded));
  // Word for word the condition of the index trials_failed.
  if (filter.failures) condition.add("t.status NOT IN ('ok', 'dropped', 'skipped')");
  Statement select(db, sql("select_trial_keys") + condition.text() + ' ' + sql("order_trials"));
  std::vector<Digest> keys;
  auto row = select.use();
  condition.bind(row);
  while (row.step()) keys.push_back(row.digest());
  return keys;
}

std::vector<TrialRecord> trials(const Connection& db, const TrialFilter& filter) {
  const Snapshot snapshot(db);
  std::vector<TrialRecord> records;
  Statement select(db, select_one());
  for (const Digest& key : trial_keys(db, filter)) {
    auto row = select.use();
    row.bind(key);
    if (row.step()) records.push_back(read_trial(row, filter.with_samples));
  }
  return records;
}

std::optional<TrialRecord> find_trial(const Connection& db, const Digest& key) {
  Statement select(db, select_one());
  auto row = select.use();
  row.bind(key);
  if (!row.step()) return std::nullopt;
  return read_trial(row, true);
}

TrialRecord find_trial(const Connection& db, const std::string& prefix) {
  require_prefix(prefix);
  constexpr std::size_t most_named = 3;
  Statement select(db, "SELECT id FROM trials WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?");
  std::vector<Digest> found;
  auto row = select.use();
  row.bind(filled_up(prefix, '0')).bind(filled_up(prefix, 'f')).bind(most_named);
  while (row.step()) found.push_back(row.digest());
  if (found.empty()) {
    throw Error(fmt::format("{}: no trial's identifier begins with {}", db.path().string(), prefix),
                "`tuner report` lists what there is", tuner::model::ExitCode::nothing_found);
  }
  if (found.size() > 1) {
    std::string names;
    for (const Digest& key : found) names += (names.empty() ? "" : ", ") + key.hex();
    throw UsageError(fmt::format("several trials begin with {}: {}{}", prefix, names,
                                 found.size() == most_named ? ", …" : ""),
                     "give more digits");
  }
  return find_trial(db, found.front()).value();
}

bool is_superseded(const Connection& db, const Digest& trial) {
  Statement select(db, "SELECT superseded FROM trials WHERE id = ?");
  auto row = select.use();
  return row.bind(trial).step() && row.flag();
}

std::vector<StoredMeasurement> measurements(const Connection& db, const Digest& trial) {
  Statement select(db, sql("select_measurements"));
  std::vector<StoredMeasurement> stored;
  auto row = select.use();
  row.bind(trial);
  while (row.step()) stored.push_back(read_stored_measurement(row));
  return stored;
}

std::vector<Digest> measured_by(const Connection& db, const Digest& run) {
  Statement select(db, "SELECT DISTINCT trial FROM measurements WHERE run = ? ORDER BY trial");
  std::vector<Digest> keys;
  auto row = select.use();
  row.bind(run);
  while (row.step()) keys.push_back(row.digest());
  return keys;
}

}  // namespace db
