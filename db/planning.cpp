#include "db/planning.hpp"

#include <algorithm>
#include <cmath>

#include "db/ids.hpp"
#include "db/row_reader.hpp"
#include "db/sql.hpp"
#include "db/statement.hpp"
#include "db/stored_json.hpp"

namespace db {

using tuner::model::Problem;

namespace {

/// Waits between sessions tell nothing of a trial.
constexpr const char* gaps_of_problem =
    "SELECT gap FROM (SELECT 86400 * (julianday(t.measured_at) - lag(julianday(t.measured_at)) OVER "
    "(PARTITION BY t.run ORDER BY t.sequence)) AS gap FROM trials AS t JOIN contests AS n ON n.id = "
    "t.contest "
    "JOIN classes AS c ON c.id = n.class WHERE n.problem = ?1 AND c.device = ?2) "
    "WHERE gap > 0 AND gap < 120 ORDER BY gap";

double log_size(const Problem& problem) {
  double sum = 0;
  for (const auto& size : problem.sizes)
    sum += std::log(static_cast<double>(std::max<std::int64_t>(size.value, 1)));
  return sum;
}

std::vector<Problem> measured_problems(const Connection& db, const std::string& family,
                                       const std::string& device) {
  Statement select(db,
                   "SELECT DISTINCT p.family, p.sizes, p.type, p.row_padding FROM problems AS p "
                   "JOIN contests AS n ON n.problem = p.id JOIN classes AS c ON c.id = n.class "
                   "WHERE p.family = ? AND c.device = ? ORDER BY p.id");
  std::vector<Problem> problems;
  auto row = select.use();
  row.bind(family).bind(device);
  while (row.step()) problems.push_back(read_problem(row));
  return problems;
}

}  // namespace

std::vector<CompileTime> compile_times(const Connection& db, const std::string& family,
                                       const std::string& kernel, const std::string& compiler,
                                       const std::string& device, int most) {
  Statement select(db, sql("select_compile_times"));
  std::vector<CompileTime> times;
  auto row = select.use();
  row.bind(family).bind(kernel).bind(compiler).bind(device).bind(most);
  while (row.step()) {
    const std::string configuration = row.text();
    CompileTime time;
    time.configuration = stored_configuration(configuration, row.text());
    time.compile_ms = row.real();
    times.push_back(std::move(time));
  }
  return times;
}

std::optional<Pace> pace(const Connection& db, const Problem& problem, const std::string& device) {
  std::vector<Problem> known = measured_problems(db, problem.family, device);
  const auto distance = [&](const Problem& other) { return std::abs(log_size(other) - log_size(problem)); };
  std::stable_sort(known.begin(), known.end(),
                   [&](const Problem& a, const Problem& b) { return distance(a) < distance(b); });
  Statement select(db, gaps_of_problem);
  for (const Problem& candidate : known) {
    std::vector<double> gaps;
    auto row = select.use();
    row.bind(problem_id(candidate)).bind(device);
    while (row.step()) gaps.push_back(row.real());
    if (!gaps.empty()) return Pace{candidate, gaps[gaps.size() / 2], static_cast<std::int64_t>(gaps.size())};
  }
  return std::nullopt;
}

}  // namespace db
