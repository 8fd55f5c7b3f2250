#include "db/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "db/ids.hpp"
#include "db/machine.hpp"
#include "db/row_reader.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"

namespace db {

void Condition::add(const std::string& clause, Value value) {
  m_clauses.push_back(clause);
  m_values.push_back(std::move(value));
}

std::string Condition::text() const {
  std::string out;
  for (const std::string& clause : m_clauses) out += (out.empty() ? " WHERE " : " AND ") + clause;
  return out;
}

void Condition::bind(Statement::Use& use) const {
  for (const Value& value : m_values) {
    std::visit([&](const auto& v) { use.bind(v); }, value);
  }
}

Condition case_condition(const TrialFilter& filter) {
  Condition condition;
  if (!filter.family.empty()) condition.add("p.family = ?", filter.family);
  if (!filter.kernel.empty()) condition.add("k.name = ?", filter.kernel);
  if (!filter.device.empty()) condition.add("instr(lower(c.device), lower(?)) > 0", filter.device);
  if (filter.environment) condition.add("n.environment = ?", filter.environment->key());
  if (filter.problem) condition.add("n.problem = ?", problem_id(*filter.problem));
  return condition;
}

namespace {

using tuner::model::Digest;

Case read_case(Statement::Use& row) {
  Case tuning_case;
  row.skip();  // its id, for grouping
  read_case(row, tuning_case);
  tuning_case.ok = row.integer();
  tuning_case.dropped = row.integer();
  tuning_case.skipped = row.integer();
  tuning_case.failed = row.integer();
  tuning_case.latest = row.text();
  return tuning_case;
}

bool before(const tuner::model::Problem& a, const tuner::model::Problem& b) {
  const auto by_value = [](const auto& x, const auto& y) { return x.value < y.value; };
  if (a.sizes != b.sizes) {
    return std::lexicographical_compare(a.sizes.begin(), a.sizes.end(), b.sizes.begin(), b.sizes.end(),
                                        by_value);
  }
  return std::pair(a.type, a.row_padding) < std::pair(b.type, b.row_padding);
}

void sort_newest_environment_first(std::vector<Case>& cases) {
  std::map<Digest, std::string> latest;
  for (const Case& tuning_case : cases) {
    std::string& newest = latest[tuning_case.environment.key()];
    newest = std::max(newest, tuning_case.latest);
  }
  std::sort(cases.begin(), cases.end(), [&](const Case& a, const Case& b) {
    if (a.problem.family != b.problem.family) return a.problem.family < b.problem.family;
    const Digest environment_a = a.environment.key();
    const Digest environment_b = b.environment.key();
    if (environment_a == environment_b) return before(a.problem, b.problem);
    // Classes of equal age are told apart by their ids, so that the order is one.
    return std::pair(latest[environment_b], environment_b) < std::pair(latest[environment_a], environment_a);
  });
}

}  // namespace

std::vector<tuner::model::RunRecord> runs(const Connection& db) {
  Statement select(db, "SELECT " + run_columns() +
                           " FROM runs AS r JOIN devices AS d ON d.id = r.device "
                           "ORDER BY r.started_at DESC, r.id");
  std::vector<tuner::model::RunRecord> records;
  auto row = select.use();
  while (row.step()) records.push_back(read_run(row));
  return records;
}

std::vector<tuner::model::ProbeVerdict> verdicts(const Connection& db) {
  Statement select(db,
                   "SELECT id, status, detail, deaths, trial, run, measured_at FROM verdicts ORDER BY id");
  std::vector<tuner::model::ProbeVerdict> list;
  auto row = select.use();
  while (row.step()) list.push_back(read_verdict(row));
  return list;
}

std::vector<tuner::model::DeviceInfo> devices(const Connection& db) {
  Statement select(db, sql("select_devices"));
  std::vector<tuner::model::DeviceInfo> list;
  auto row = select.use();
  while (row.step()) list.push_back(read_device(row));
  return list;
}

std::string declared_path(const Connection& db, const std::string& family, const std::string& kernel) {
  Statement select(db, "SELECT path FROM kernel_specs WHERE family = ? AND kernel = ?");
  auto row = select.use();
  row.bind(family).bind(kernel);
  return row.step() ? row.text() : "";
}

std::vector<Case> cases(const Connection& db, const TrialFilter& filter) {
  Condition condition = case_condition(filter);
  if (!filter.ceilings) condition.add("y.role <> 'ceiling'");
  Statement select(db, sql("select_cases") + condition.text() + " GROUP BY n.id");
  std::vector<Case> list;
  auto row = select.use();
  condition.bind(row);
  while (row.step()) list.push_back(read_case(row));
  sort_newest_environment_first(list);
  return list;
}

std::vector<OpenAttempt> open_attempts(const Connection& db) {
  const Machine machine = this_machine();
  Statement select(db, sql("select_open_attempts"));
  std::vector<OpenAttempt> list;
  auto row = select.use();
  row.bind(machine.id).bind(machine.boot);
  while (row.step()) {
    OpenAttempt attempt;
    attempt.trial = row.digest();
    attempt.kernel = row.text();
    const std::string configuration = row.text();
    attempt.configuration = stored_configuration(configuration, row.text());
    attempt.problem = read_row<tuner::model::Problem>(row);
    attempt.device = row.text();
    attempt.pid = row.integer();
    attempt.this_boot = row.flag();
    attempt.opened_at = row.text();
    list.push_back(std::move(attempt));
  }
  return list;
}

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::TrialRecord;
using tuner::model::UsageError;

namespace {

std::string select_one() {
  return select_trials() + " WHERE t.id = ?";
}

Condition condition_of(const TrialFilter& filter) {
  Condition condition = case_condition(filter);
  if (filter.status) condition.add("t.status = ?", std::string(to_string(*filter.status)));
  if (filter.superseded) condition.add("t.superseded = ?", static_cast<std::int64_t>(*filter.superseded));
  if (!filter.ceilings) condition.add("t.role <> 'ceiling'");
  // Word for word the condition of the index trials_failed.
  if (filter.failures) condition.add("t.status NOT IN ('ok', 'dropped', 'skipped')");
  return condition;
}

/// The selected trials in their order, in a table of this connection's own: what is wide is read afterwards,
/// along it, and never sorted.
void clear_selection(const Connection& db) {
  db.execute(
      "CREATE TEMP TABLE IF NOT EXISTS selection (position INTEGER PRIMARY KEY, trial BLOB NOT NULL);"
      "DELETE FROM selection;");
}

void select_into_table(const Connection& db, const TrialFilter& filter, bool in_order) {
  clear_selection(db);
  const Condition condition = condition_of(filter);
  Statement fill(db, "INSERT INTO selection (trial) " + sql("select_trial_keys") + condition.text() + ' ' +
                         (in_order ? sql("order_trials") : "ORDER BY t.rowid"));
  auto row = fill.use();
  condition.bind(row);
  row.run();
}

/// The measurements of the selected trials, trial after trial.
class MeasurementsAlong {
 public:
  explicit MeasurementsAlong(const Connection& db)
      : m_statement(db, "SELECT s.position, " + measurement_columns() +
                            " FROM selection AS s CROSS JOIN measurements AS m ON m.trial = s.trial "
                            "ORDER BY s.position, m.measured_at, m.id"),
        m_row(m_statement.use()) {
    advance();
  }
  /// Those of the trial at `position`; positions are asked for in rising order.
  std::vector<StoredMeasurement> of(std::int64_t position) {
    std::vector<StoredMeasurement> list;
    for (; m_position && *m_position <= position; advance()) {
      StoredMeasurement stored = read_stored_measurement(m_row);
      if (*m_position == position) list.push_back(std::move(stored));
    }
    return list;
  }

 private:
  void advance() { m_position = m_row.step() ? std::optional(m_row.integer()) : std::nullopt; }

  Statement m_statement;
  Statement::Use m_row;
  std::optional<std::int64_t> m_position;
};

void remove_current(const TrialRecord& trial, std::vector<StoredMeasurement>& measurements) {
  if (!trial.outcome.measurement || is_condemned(trial)) return;
  std::erase_if(measurements, [&](const StoredMeasurement& stored) { return is_of(stored, trial); });
}

/// Ids whose hexadecimal text begins with `prefix` lie between it filled up with 0 and with f.
Digest filled_up(const std::string& prefix, char digit) {
  return Digest::from_hex(prefix + std::string(32 - prefix.size(), digit));
}

void require_prefix(const std::string& prefix) {
  const bool hex = prefix.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (hex && prefix.size() >= 4 && prefix.size() <= 32) return;
  if (hex && !prefix.empty() && prefix.size() < 4) {
    throw UsageError(fmt::format("'{}' is too short to name a trial: at least 4 digits are needed", prefix),
                     "`tuner best` and `tuner list failures` show identifiers");
  }
  throw UsageError(fmt::format("'{}' is not the beginning of a trial's identifier", prefix),
                   "give 4 to 32 hexadecimal digits, as `tuner best` and `tuner list failures` show them");
}

void visit_selection(const Connection& db, const Detail& detail,
                     const std::function<void(TrialRecord&&, std::vector<StoredMeasurement>&&)>& visit) {
  Statement select(db,
                   select_trials("s.position, ", "selection AS s CROSS JOIN trials AS t ON t.id = s.trial") +
                       " ORDER BY s.position");
  std::optional<MeasurementsAlong> past;
  if (detail.measurements) past.emplace(db);
  auto row = select.use();
  while (row.step()) {
    const std::int64_t position = row.integer();
    TrialRecord trial = read_trial(row, detail.samples);
    std::vector<StoredMeasurement> earlier;
    if (past) earlier = past->of(position);
    remove_current(trial, earlier);
    visit(std::move(trial), std::move(earlier));
  }
}

}  // namespace

void for_each_trial(const Connection& db, const TrialFilter& filter, const Detail& detail,
                    const std::function<void(TrialRecord&&, std::vector<StoredMeasurement>&&)>& visit) {
  const Snapshot snapshot(db);
  select_into_table(db, filter, !detail.in_any_order);
  visit_selection(db, detail, visit);
}

void for_each_of(const Connection& db, const std::vector<Digest>& keys, const Detail& detail,
                 const std::function<void(TrialRecord&&, std::vector<StoredMeasurement>&&)>& visit) {
  const Snapshot snapshot(db);
  clear_selection(db);
  Statement add(db, "INSERT INTO selection (trial) VALUES (?)");
  for (const Digest& key : keys) add.use().bind(key).run();
  visit_selection(db, detail, visit);
}

std::vector<TrialRecord> trials(const Connection& db, const TrialFilter& filter) {
  std::vector<TrialRecord> records;
  for_each_trial(db, filter, {}, [&](TrialRecord&& trial, std::vector<StoredMeasurement>&&) {
    records.push_back(std::move(trial));
  });
  return records;
}

std::int64_t count_trials(const Connection& db, const TrialFilter& filter) {
  const Condition condition = condition_of(filter);
  Statement count(db, "SELECT count(*) FROM (" + sql("select_trial_keys") + condition.text() + ")");
  auto row = count.use();
  condition.bind(row);
  return row.step() ? row.integer() : 0;
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
                "`tuner best` and `tuner list failures` show identifiers",
                tuner::model::ExitCode::nothing_found);
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
  Statement select(db, "SELECT " + measurement_columns() +
                           " FROM measurements AS m WHERE m.trial = ? ORDER BY m.measured_at, m.id");
  std::vector<StoredMeasurement> stored;
  auto row = select.use();
  row.bind(trial);
  while (row.step()) stored.push_back(read_stored_measurement(row));
  return stored;
}

}  // namespace db
