#include "db/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "db/machine.hpp"
#include "db/rows.hpp"
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

void Condition::bind_to(Statement::Use& use) const {
  for (const Value& value : m_values) std::visit([&](const auto& v) { use.bind(v); }, value);
}

Condition case_condition(const TrialFilter& filter) {
  Condition condition;
  if (!filter.family.empty()) condition.add("p.family = ?", filter.family);
  if (!filter.device.empty()) {
    condition.add(
        "c.device IN (SELECT n.device FROM environments AS n, (SELECT lower(?) AS name) AS asked WHERE "
        "CASE WHEN EXISTS (SELECT 1 FROM environments WHERE lower(device) = asked.name) "
        "THEN lower(n.device) = asked.name ELSE instr(lower(n.device), asked.name) > 0 END)",
        filter.device);
  }
  if (filter.environment) condition.add("n.environment = ?", filter.environment->key());
  if (filter.problem) condition.add("n.problem = ?", problem_id(*filter.problem));
  return condition;
}

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::TrialRecord;
using tuner::model::UsageError;

namespace {

Case read_counted_case(Statement::Use& row) {
  Case tuning_case;
  row.skip();  // its id, for grouping
  read_case(row, tuning_case);
  for (std::int64_t* count :
       {&tuning_case.ok, &tuning_case.dropped, &tuning_case.skipped, &tuning_case.failed})
    *count = row.integer();
  tuning_case.latest = row.text();
  return tuning_case;
}

bool before(const tuner::model::Problem& a, const tuner::model::Problem& b) {
  return std::tie(a.sizes, a.type, a.row_padding) < std::tie(b.sizes, b.type, b.row_padding);
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
  return Statement(db, "SELECT " + run_columns() +
                           " FROM runs AS r JOIN devices AS d ON d.id = r.device "
                           "ORDER BY r.started_at DESC, r.id")
      .all(read_row<tuner::model::RunRecord>);
}

std::set<Digest> trials_since(const Connection& db, const Digest& run) {
  Statement select(db,
                   "SELECT id FROM trials WHERE run IN (SELECT id FROM runs WHERE started_at >= "
                   "(SELECT started_at FROM runs WHERE id = ?))");
  std::set<Digest> trials;
  for (auto row = select.use(run); row.step();) trials.insert(row.digest());
  return trials;
}

std::vector<tuner::model::ProbeVerdict> verdicts(const Connection& db) {
  return Statement(db, std::string(select_verdicts) + " ORDER BY id")
      .all(read_row<tuner::model::ProbeVerdict>);
}

std::vector<tuner::model::DeviceInfo> devices(const Connection& db) {
  // Of the runs on a device the last one says how it was addressed: a bare column beside max() is of its row.
  return Statement(db, "SELECT " + device_columns() +
                           ", max(r.started_at) FROM devices AS d LEFT JOIN runs AS r ON r.device = d.id "
                           "GROUP BY d.id ORDER BY d.name, d.uuid, d.driver")
      .all(read_row<tuner::model::DeviceInfo>);
}

std::map<Digest, FirstRace> first_races(const Connection& db) {
  // Of a bare column SQLite takes the value in the row that has the least.
  Statement select(db,
                   "SELECT trial, min(measured_at), median_ns FROM measurements GROUP BY trial "
                   "HAVING count(*) > 1");
  std::map<Digest, FirstRace> races;
  for (auto row = select.use(); row.step();) {
    FirstRace& race = races[row.digest()];
    race.measured_at = row.text();
    race.median_ns = row.real();
  }
  return races;
}

std::vector<StoredCounter> counters(const Connection& db, const std::optional<Digest>& trial) {
  return all_from<StoredCounter>(db, "counters WHERE ?1 IS NULL OR trial = ?1 ORDER BY trial, metric", trial);
}

std::vector<std::string> declared_paths(const Connection& db, const std::string& family,
                                        const std::string& kernel) {
  return Statement(db,
                   "SELECT DISTINCT path FROM kernel_specs WHERE (?1 = '' OR family = ?1) AND "
                   "(?2 = '' OR kernel = ?2) AND role <> 'ceiling' AND path <> '' ORDER BY path")
      .all(&Statement::Use::text, family, kernel);
}

std::vector<Case> cases(const Connection& db, const TrialFilter& filter) {
  Condition condition = case_condition(filter);
  condition.add_kernel(filter);
  if (!filter.ceilings) condition.add("y.role <> 'ceiling'");
  std::vector<Case> list = Statement(db, sql("select_cases") + condition.text() + " GROUP BY n.id")
                               .all(read_counted_case, condition);
  sort_newest_environment_first(list);
  return list;
}

std::vector<OpenAttempt> open_attempts(const Connection& db) {
  const Machine machine = this_machine();
  const auto read = [](Statement::Use& row) {
    OpenAttempt attempt;
    attempt.trial = row.digest();
    attempt.kernel = row.text();
    attempt.configuration = read_configuration(row);
    attempt.problem = read_row<tuner::model::Problem>(row);
    attempt.device = row.text();
    attempt.pid = row.integer();
    attempt.this_boot = row.flag();
    attempt.opened_at = row.text();
    attempt.is_alive = attempt.this_boot && is_alive(attempt.pid);
    return attempt;
  };
  return Statement(db, sql("select_open_attempts")).all(read, machine.id, machine.boot);
}

namespace {

Condition condition_of(const TrialFilter& filter) {
  Condition condition = case_condition(filter);
  condition.add_kernel(filter);
  if (!filter.kernel.empty())
    condition.add("p.family IN (SELECT family FROM kernels WHERE name = ?)", filter.kernel);
  if (filter.problem && filter.environment)
    condition.add("t.tuning_case = ?", case_id(*filter.problem, *filter.environment));
  // In the words of the index trials_of_case: else SQLite looks at all trials there are.
  if (!filter.family.empty() || !filter.kernel.empty() || (filter.problem && filter.environment))
    condition.add("t.status <> ''");
  if (filter.status) condition.add("t.status = ?", std::string(to_string(*filter.status)));
  if (filter.superseded) condition.add("t.superseded = ?", static_cast<std::int64_t>(*filter.superseded));
  if (!filter.ceilings) condition.add("t.role <> 'ceiling'");
  if (filter.run)
    condition.add("t.run = ? AND t.sequence > " + std::to_string(filter.after_sequence), *filter.run);
  // Word for word the condition of the index trials_failed.
  if (filter.failures) condition.add("t.status NOT IN ('ok', 'dropped', 'skipped')");
  return condition;
}

/// The selected trials in their order, in a table of this connection's own: what is wide is read afterwards,
/// along it, and never sorted.
void select_into_table(const Connection& db, const TrialFilter& filter) {
  db.execute(
      "CREATE TEMP TABLE IF NOT EXISTS selection (position INTEGER PRIMARY KEY, trial BLOB NOT NULL);"
      "DELETE FROM selection;");
  const Condition condition = condition_of(filter);
  Statement(db, "INSERT INTO selection (trial) " + sql("select_trial_keys") + condition.text() + ' ' +
                    sql("order_trials"))
      .run(condition);
}

/// The measurements of the selected trials, trial after trial.
class MeasurementsAlong {
 public:
  explicit MeasurementsAlong(const Connection& db)
      : m_statement(db, "SELECT s.position, " + columns_of<StoredMeasurement>().names("m.") +
                            " FROM selection AS s CROSS JOIN measurements AS m ON m.trial = s.trial "
                            "ORDER BY s.position, m.measured_at, m.id"),
        m_row(m_statement.use()) {
    advance();
  }
  /// Those of the trial at `position`; positions are asked for in rising order.
  std::vector<StoredMeasurement> of(std::int64_t position) {
    std::vector<StoredMeasurement> list;
    for (; m_position && *m_position <= position; advance()) {
      auto stored = read_row<StoredMeasurement>(m_row);
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

void remove_current(StoredTrial& stored) {
  if (!stored.trial.outcome.measurement || is_condemned(stored.trial)) return;
  std::erase_if(stored.earlier, [&](const StoredMeasurement& one) { return is_of(one, stored.trial); });
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

}  // namespace

void for_each_trial(const Connection& db, const TrialFilter& filter, const Detail& detail,
                    const std::function<void(StoredTrial&&)>& visit) {
  const Snapshot snapshot(db);
  select_into_table(db, filter);
  Statement select(db,
                   select_trials("s.position, ", "selection AS s CROSS JOIN trials AS t ON t.id = s.trial") +
                       " ORDER BY s.position");
  std::optional<MeasurementsAlong> past;
  if (detail.measurements) past.emplace(db);
  for (auto row = select.use(); row.step();) {
    const std::int64_t position = row.integer();
    StoredTrial stored{read_trial(row, detail.samples)};
    if (past) stored.earlier = past->of(position);
    remove_current(stored);
    visit(std::move(stored));
  }
}

std::set<Digest> runs_of_trials(const Connection& db, const TrialFilter& filter) {
  const Snapshot snapshot(db);
  select_into_table(db, filter);
  const auto runs = Statement(db,
                              "WITH chosen AS MATERIALIZED (SELECT trial FROM selection) "
                              "SELECT run FROM trials WHERE id IN chosen UNION "
                              "SELECT run FROM measurements WHERE trial IN chosen UNION "
                              "SELECT run FROM earlier_failures WHERE trial IN chosen")
                        .all(&Statement::Use::digest);
  return {runs.begin(), runs.end()};
}

std::vector<TrialRecord> trials(const Connection& db, const TrialFilter& filter) {
  std::vector<TrialRecord> records;
  for_each_trial(db, filter, {}, [&](StoredTrial&& stored) { records.push_back(std::move(stored.trial)); });
  return records;
}

std::int64_t count_trials(const Connection& db, const TrialFilter& filter) {
  const Condition condition = condition_of(filter);
  return Statement(db, "SELECT count(*) FROM (" + sql("select_trial_keys") + condition.text() + ")")
      .first(&Statement::Use::integer, condition)
      .value();
}

std::vector<std::string> kernel_and_family_names(const Connection& db) {
  return Statement(db, "SELECT name FROM kernels UNION SELECT family FROM kernels")
      .all(&Statement::Use::text);
}

TrialLoader::TrialLoader(const Connection& db) : m_select(db, select_trials() + " WHERE t.id = ?") {}

std::optional<TrialRecord> TrialLoader::find(const Digest& key, bool with_samples) {
  return m_select.first([&](Statement::Use& row) { return read_trial(row, with_samples); }, key);
}

std::vector<TrialRecord> TrialLoader::load(const std::vector<Digest>& keys) {
  std::vector<TrialRecord> list;
  for (const Digest& key : keys) list.push_back(load(key));
  return list;
}

TrialRecord TrialLoader::load(const Digest& key) {
  auto trial = find(key, false);
  if (!trial) throw Error(fmt::format("trial {} is gone", key.hex()));
  return *std::move(trial);
}

std::optional<TrialRecord> find_trial(const Connection& db, const Digest& key) {
  return TrialLoader(db).find(key, true);
}

std::vector<Digest> trials_beginning(const Connection& db, const std::string& prefix, std::size_t most) {
  if (prefix.size() > 32 || prefix.find_first_not_of("0123456789abcdef") != std::string::npos) return {};
  return Statement(db, "SELECT id FROM trials WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?")
      .all(&Statement::Use::digest, filled_up(prefix, '0'), filled_up(prefix, 'f'),
           static_cast<std::int64_t>(most));
}

TrialRecord find_trial(const Connection& db, const std::string& prefix) {
  require_prefix(prefix);
  constexpr std::size_t most_named = 3;
  const std::vector<Digest> found = trials_beginning(db, prefix, most_named);
  if (found.empty()) {
    const bool has_file = db.path() != ":memory:";
    throw Error(fmt::format("{}no trial's identifier begins with {}",
                            has_file ? db.path().string() + ": " : "", prefix),
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
  return Statement(db, "SELECT superseded FROM trials WHERE id = ?")
      .first(&Statement::Use::flag, trial)
      .value_or(false);
}

bool is_only_of_strategy(const Connection& db, const Case& tuning_case, const std::string& strategy) {
  return !Statement(db,
                    "SELECT 1 FROM trials AS t LEFT JOIN runs AS r ON r.id = t.run "
                    "WHERE t.tuning_case = ? AND coalesce(r.strategy, '') <> ? LIMIT 1")
              .first(&Statement::Use::flag, case_id(tuning_case.problem, tuning_case.environment), strategy);
}

std::vector<StoredMeasurement> measurements(const Connection& db, const Digest& trial) {
  return all_from<StoredMeasurement>(db, "measurements WHERE trial = ? ORDER BY measured_at, id", trial);
}

}  // namespace db
