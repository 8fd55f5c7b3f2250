#include "tuner/sweep/best_times.hpp"

namespace tuner::sweep {

double BestTimes::of(const Compiled& trial, std::size_t device) {
  const model::TrialRecord& record = trial.trial.record;
  if (!model::may_win(record.role)) return 0;
  auto known = m_best_ns.find(trial.item.group);
  if (known == m_best_ns.end()) {
    const double before =
        m_request.fresh ? 0 : m_services.source.best_ns(record.problem, record.comparison_class).value_or(0);
    known = m_best_ns.emplace(trial.item.group, before).first;
  }
  return known->second * m_spread.correction(device);
}

void BestTimes::learn(const Compiled& trial, std::size_t device) {
  const model::TrialOutcome& outcome = trial.trial.record.outcome;
  if (!model::has_trusted_time(outcome.status) || !outcome.measurement) return;
  if (!model::may_win(trial.trial.record.role)) return;
  double& best = m_best_ns[trial.item.group];
  const double time_ns = outcome.measurement->median_ns / m_spread.correction(device);
  if (best == 0 || time_ns < best) best = time_ns;
}

}  // namespace tuner::sweep
