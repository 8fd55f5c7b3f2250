#include "db/restatement.hpp"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "db/json.hpp"
#include "db/rows.hpp"

namespace db {

using tuner::model::AskSpec;
using tuner::model::Configuration;
using tuner::model::Digest;
using tuner::model::KernelDeclaration;
using tuner::model::Metrics;
using tuner::model::Problem;
using tuner::model::SpecSays;
using tuner::model::Workload;

Restatement::Restatement(const Connection& db)
    : m_trials(db,
               "SELECT t.id, t.tuning_case, t.configuration, t.median_ns, t.is_default, t.metrics, "
               "coalesce(t.workload_operations, 0), coalesce(t.workload_bytes, 0) "
               "FROM kernels AS k JOIN trials AS t ON t.kernel = k.id "
               "WHERE k.family = ? AND k.name = ? AND t.judged_by IS NOT NULL AND t.superseded = 0"),
      m_problem(db, "SELECT " + columns_of<Problem>().names("p.") +
                        " FROM cases AS n JOIN problems AS p ON p.id = n.problem WHERE n.id = ?"),
      m_configuration(db, "SELECT json FROM configurations WHERE id = ?"),
      m_measurements(db, "SELECT id, median_ns FROM measurements WHERE trial = ?"),
      m_put(db,
            "UPDATE trials SET (is_default, metrics, workload_operations, workload_bytes) = "
            "(?, ?, nullif(?, 0.0), nullif(?, 0.0)) WHERE id = ?"),
      m_put_measurement(db, "UPDATE measurements SET metrics = ? WHERE id = ?") {}

namespace {

std::string text_of(const Metrics& metrics) {
  return json_line(json_of(metrics));
}

}  // namespace

std::vector<Restatement::Change> Restatement::changes(const KernelDeclaration& kernel, const AskSpec& ask) {
  // Few problems and configurations make many trials.
  std::map<Digest, Problem> problems;
  std::unordered_map<Digest, Configuration, tuner::model::DigestHash> configurations;
  const auto problem_of = [&](const Digest& tuning_case) -> const Problem& {
    const auto [known, is_new] = problems.try_emplace(tuning_case);
    if (is_new) known->second = *m_problem.first(read_row<Problem>, tuning_case);
    return known->second;
  };
  const auto read_names = [](Statement::Use& row) {
    return value_of<Configuration>(parse_json(row.text()), "configuration");
  };
  const auto configuration_of = [&](const Digest& id) -> const Configuration& {
    const auto [known, is_new] = configurations.try_emplace(id);
    if (is_new) known->second = *m_configuration.first(read_names, id);
    return known->second;
  };

  std::vector<Change> changes;
  for (auto row = m_trials.use(kernel.family, kernel.kernel); row.step();) {
    const Digest trial = row.digest();
    const Problem& problem = problem_of(row.digest());
    const Configuration& configuration = configuration_of(row.digest());
    const std::optional<double> median_ns = read_real(row);
    SpecSays says = ask(problem, configuration, median_ns);
    const bool is_default = row.flag();
    const std::string metrics = row.text();
    const double operations = row.real();
    const Workload workload{operations, row.real()};
    if (says.is_default == is_default && text_of(says.metrics) == metrics && says.workload == workload)
      continue;
    Change change{trial, std::move(says), {}};
    for (auto measured = m_measurements.use(trial); measured.step();) {
      const Digest id = measured.digest();
      change.measurements.emplace_back(id, ask(problem, configuration, measured.real()).metrics);
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

void Restatement::put(const Change& change) {
  const SpecSays& says = change.says;
  m_put.run(says.is_default, text_of(says.metrics), says.workload.operations, says.workload.bytes,
            change.trial);
  for (const auto& [measurement, metrics] : change.measurements)
    m_put_measurement.run(text_of(metrics), measurement);
}

}  // namespace db
