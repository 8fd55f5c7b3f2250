#include "tuner/sweep/best_times.hpp"

#include <algorithm>

#include "tuner/sweep/declare.hpp"

namespace tuner::sweep {

double BestTimes::of(const Compiled& trial, std::size_t device) {
  const model::TrialRecord& record = trial.trial.record;
  if (!model::may_win(record.role)) return 0;
  auto known = m_best.find(trial.item.group);
  if (known == m_best.end()) {
    if (!m_request.fresh) hold_declarations(m_request, m_services);
    const double before_ns =
        m_request.fresh ? 0 : m_services.source.best_ns(record.problem, record.comparison_class).value_or(0);
    known = m_best.emplace(trial.item.group, Best{before_ns, before_ns}).first;
  }
  return std::max(known->second.corrected_ns * m_spread.correction(device), known->second.recorded_ns);
}

void BestTimes::learn(const Compiled& trial, std::size_t device) {
  const model::TrialOutcome& outcome = trial.trial.record.outcome;
  if (!model::has_trusted_time(outcome.status) || !outcome.measurement) return;
  if (!model::may_win(trial.trial.record.role)) return;
  Best& best = m_best[trial.item.group];
  const double time_ns = outcome.measurement->median_ns;
  const auto take = [](double& least_ns, double ns) {
    if (least_ns == 0 || ns < least_ns) least_ns = ns;
  };
  take(best.corrected_ns, time_ns / m_spread.correction(device));
  take(best.recorded_ns, time_ns);
}

}  // namespace tuner::sweep
