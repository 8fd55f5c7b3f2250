#include "reports/named_trials.hpp"

#include <map>
#include <string>
#include <utility>

#include "reports/layout.hpp"

namespace reports {

using model::TrialRecord;

NamedTrials::NamedTrials(const db::BestAnswers& answers, Where where) : m_where(where) {
  for (const db::BestAnswer& answer : answers) {
    m_asked_for.insert(answer.winner.key);
    for (const TrialRecord& tied : answer.tied) m_asked_for.insert(tied.key);
  }
}

void NamedTrials::add(TrialRecord trial) {
  if (!m_last.empty() && (m_last.front().kernel != trial.kernel || m_last.front().problem != trial.problem ||
                          m_last.front().environment != trial.environment))
    settle();
  m_last.push_back(std::move(trial));
}

Tally& NamedTrials::unnamed_like(const TrialRecord& trial) {
  const model::Digest environment = trial.environment.key();
  for (Unnamed& others : m_unnamed)
    if (others.environment == environment && others.problem == trial.problem) return others.tally;
  return m_unnamed.emplace_back(Unnamed{trial.problem, environment, {}}).tally;
}

/// Every cell of a table is the trials of a problem and a kernel that have one value of a parameter, or all
/// of them.
void NamedTrials::settle() {
  const Trials trials = view(m_last);
  std::set<const TrialRecord*> named = {trials.front()};
  std::map<std::pair<std::string, model::Value>, Trials> cells = {{{}, trials}};
  const TrialRecord* slowest = nullptr;
  for (const TrialRecord* trial : trials) {
    const auto& energy = trial->outcome.energy;
    if (m_where == Where::anywhere || trial->is_default || !model::may_win(trial->role) ||
        m_asked_for.contains(trial->key) || (energy && energy->runs > 1))
      named.insert(trial);
    if (m_where == Where::tables)
      for (const model::Assignment& one : trial->configuration.assignments())
        cells[{one.name, one.value}].push_back(trial);
    if (has_time(*trial) && (slowest == nullptr || median_ns(*trial) > median_ns(*slowest))) slowest = trial;
  }
  if (slowest != nullptr) named.insert(slowest);
  for (const auto& [value, cell] : cells) {
    // Of those without a time their number counts.
    if (const TrialRecord* first = resolve_cell(cell).trial; first != nullptr)
      named.insert(first);
    else
      named.insert(cell.begin(), cell.end());
  }
  for (const FailureSummary& failure : failures(trials)) named.insert(failure.example);
  Tally* unnamed = nullptr;
  for (TrialRecord& trial : m_last) {
    if (named.contains(&trial)) {
      m_kept.push_back(std::move(trial));
      continue;
    }
    if (unnamed == nullptr) unnamed = &unnamed_like(trial);
    unnamed->add(trial);
  }
  m_last.clear();
}

void NamedTrials::finish(ReportInput& input) {
  if (!m_last.empty()) settle();
  input.trials = std::move(m_kept);
  input.unnamed = std::move(m_unnamed);
}

}  // namespace reports
