#include <algorithm>
#include <map>

#include "db/condition.hpp"
#include "db/machine.hpp"
#include "db/queries.hpp"
#include "db/row_reader.hpp"
#include "db/sql.hpp"
#include "db/statement.hpp"
#include "db/stored_json.hpp"

namespace db {
namespace {

using tuner::model::Digest;

Contest read_contest(Statement::Use& row) {
  Contest contest;
  row.skip();  // its id, for grouping
  contest.problem = read_problem(row);
  contest.comparison_class = read_class(row);
  contest.ok = row.integer();
  contest.dropped = row.integer();
  contest.skipped = row.integer();
  contest.failed = row.integer();
  contest.latest = row.text();
  return contest;
}

bool before(const tuner::model::Problem& a, const tuner::model::Problem& b) {
  const auto by_value = [](const auto& x, const auto& y) { return x.value < y.value; };
  if (a.sizes != b.sizes) {
    return std::lexicographical_compare(a.sizes.begin(), a.sizes.end(), b.sizes.begin(), b.sizes.end(),
                                        by_value);
  }
  return std::pair(a.type, a.row_padding) < std::pair(b.type, b.row_padding);
}

void sort_newest_class_first(std::vector<Contest>& contests) {
  std::map<Digest, std::string> latest;
  for (const Contest& contest : contests) {
    std::string& newest = latest[contest.comparison_class.key()];
    newest = std::max(newest, contest.latest);
  }
  std::sort(contests.begin(), contests.end(), [&](const Contest& a, const Contest& b) {
    if (a.problem.family != b.problem.family) return a.problem.family < b.problem.family;
    const Digest class_a = a.comparison_class.key();
    const Digest class_b = b.comparison_class.key();
    if (class_a == class_b) return before(a.problem, b.problem);
    // Classes of equal age are told apart by their ids, so that the order is one.
    return std::pair(latest[class_b], class_b) < std::pair(latest[class_a], class_a);
  });
}

}  // namespace

std::vector<tuner::model::RunRecord> runs(const Connection& db) {
  Statement select(db, sql("select_runs"));
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

std::vector<Contest> contests(const Connection& db, const TrialFilter& filter) {
  Condition condition = contest_condition(filter);
  if (!filter.ceilings) condition.add("y.role <> 'ceiling'");
  Statement select(db, sql("select_contests") + condition.text() + " GROUP BY n.id");
  std::vector<Contest> list;
  auto row = select.use();
  condition.bind(row);
  while (row.step()) list.push_back(read_contest(row));
  sort_newest_class_first(list);
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
    attempt.problem = read_problem(row);
    attempt.device = row.text();
    attempt.pid = row.integer();
    attempt.this_boot = row.flag();
    attempt.opened_at = row.text();
    list.push_back(std::move(attempt));
  }
  return list;
}

}  // namespace db
