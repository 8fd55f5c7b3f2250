#include "tuner/sweep/best_times.hpp"

#include <algorithm>

#include "tuner/sweep/declare.hpp"

namespace tuner::sweep {

double BestTimes::of(const Compiled& trial, std::size_t device) {
  const model::TrialRecord& record = trial.trial.record;
  if (!model::may_win(record.role)) return 0;
  auto known = m_best.find(trial.item.group);
  if (known == m_best.end()) known = m_best.emplace(trial.item.group, before(record)).first;
  const Best& best = known->second;
  const double here = m_spread.correction(device);
  const double raced_ns = std::max(best.corrected_ns * here, best.recorded_ns);
  if (best.before_ns == 0) return raced_ns;
  // As long as nobody knows how fast another GPU is, it may have been that much faster.
  const auto there = m_spread.correction_of(best.before_gpu);
  const double before_ns = there ? std::max(best.before_ns / *there * here, best.before_ns)
                                 : best.before_ns * DeviceSpread::unlike;
  return raced_ns == 0 ? before_ns : std::min(raced_ns, before_ns);
}

BestTimes::Best BestTimes::before(const model::TrialRecord& record) const {
  if (!m_request.fresh) hold_declarations(m_request, m_services);
  const auto best_ns =
      m_request.fresh ? std::nullopt : m_services.source.best_ns(record.problem, record.comparison_class);
  if (!best_ns) return {};
  const model::Field field = m_services.source.field(record.problem, record.comparison_class, 1, 1);
  return {0, 0, *best_ns, field.contenders.empty() ? "" : field.contenders.front().gpu};
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
