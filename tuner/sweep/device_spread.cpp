#include "tuner/sweep/device_spread.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/sweep/sweep.hpp"

namespace tuner::sweep {

void DeviceSpread::begin(model::TrialJob job, std::string name) {
  m_begun = true;
  m_job = std::move(job);
  m_name = std::move(name);
  std::fill(m_left.begin(), m_left.end(), runs);
}

bool DeviceSpread::is_under_way() const {
  return m_claimed > 0 ||
         std::any_of(m_left.begin(), m_left.end(), [](std::size_t left) { return left > 0; });
}

bool DeviceSpread::claim(std::size_t device) {
  if (m_left[device] == 0) return false;
  --m_left[device];
  ++m_claimed;
  return true;
}

bool DeviceSpread::can_tell_by(const model::TrialOutcome& outcome) {
  return outcome.trusted_ns() && !outcome.measurement->includes_launch_latency;
}

DeviceSpread::Taken DeviceSpread::of(const model::TrialOutcome& outcome) {
  return {outcome.trusted_ns().value_or(0), outcome.energy ? outcome.energy->mean_j : 0};
}

void DeviceSpread::add(std::size_t device, std::optional<Taken> run) {
  --m_claimed;
  if (run) {
    m_runs[device].push_back(*run);
  } else {
    leave(device);
  }
}

void DeviceSpread::leave(std::size_t device) {
  m_left[device] = 0;
  m_runs[device].clear();
}

std::string DeviceSpread::text(const std::vector<std::string>& ids) const {
  std::vector<std::string> ratios;
  for (std::size_t device = 0; device < ids.size(); ++device)
    if (!ids[device].empty()) ratios.push_back(fmt::format("{} {:.3f}", ids[device], ratio(device)));
  return fmt::format("the devices compared by {}: {}; {}", m_name, fmt::join(ratios, ", "),
                     corrects() ? "that is more than what counts as tied, so races are corrected by it"
                                : "they differ by no more than what counts as tied");
}

void DeviceSpread::end() {
  std::fill(m_left.begin(), m_left.end(), 0);
}

double DeviceSpread::middle_of(std::vector<Taken> runs, What what) {
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::ranges::nth_element(runs, middle, {}, what);
  return *middle.*what;
}

std::optional<double> DeviceSpread::median(std::size_t device, What what) const {
  if (m_runs[device].size() < runs) return std::nullopt;
  const double middle = middle_of(m_runs[device], what);
  return middle > 0 ? std::optional(middle) : std::nullopt;
}

double DeviceSpread::ratio(std::size_t device, What what) const {
  const auto own = median(device, what);
  if (!own) return 1;
  for (std::size_t i = 0; i < m_runs.size(); ++i) {
    if (const auto first = median(i, what)) return *own / *first;
  }
  return 1;
}

std::optional<double> DeviceSpread::correction_of(const std::string& uuid, What what) const {
  if (uuid.empty()) return 1;
  for (std::size_t device = 0; device < m_uuids.size(); ++device) {
    if (m_uuids[device] == uuid || m_uuids[device].empty()) return correction(device, what);
  }
  const auto foreign = m_foreign.find(uuid);
  if (foreign == m_foreign.end()) return std::nullopt;
  const double ratio = foreign->second.*what;
  const bool is_tied = ratio < 1 + tied_within && ratio > 1 / (1 + tied_within);
  return is_tied || ratio == 0 ? 1 : ratio;
}

double DeviceSpread::widest(What what) const {
  double least = 1;
  double most = 1;
  for (std::size_t i = 0; i < m_runs.size(); ++i) {
    least = std::min(least, ratio(i, what));
    most = std::max(most, ratio(i, what));
  }
  return most / least;
}

double BestTimes::of(const CompiledTrial& trial, std::size_t device) {
  const model::TrialRecord& record = trial.trial.record;
  if (!model::may_win(record.role)) return 0;
  if (m_request.policy.objective != model::Objective::time)
    return by_energy(trial).bound_ns() * m_spread.correction(device);
  auto known = m_best.find(trial.item.group);
  if (known == m_best.end()) known = m_best.emplace(trial.item.group, before(record)).first;
  const Best& best = known->second;
  const double here = m_spread.correction(device);
  const double raced_ns = std::max(best.corrected_ns * here, best.recorded_ns);
  if (best.before_ns == 0) return raced_ns;
  // As long as another GPU's speed is unknown, it may have been that much faster.
  const auto there = m_spread.correction_of(best.before_gpu);
  const double before_ns = there ? std::max(best.before_ns / *there * here, best.before_ns)
                                 : best.before_ns * DeviceSpread::unlike;
  return raced_ns == 0 ? before_ns : std::min(raced_ns, before_ns);
}

BestByEnergy& BestTimes::by_energy(const CompiledTrial& trial) {
  const auto known = m_by_energy.find(trial.item.group);
  if (known != m_by_energy.end()) return known->second;
  return m_by_energy
      .emplace(trial.item.group,
               best_by_energy(m_request, trial.trial.record.problem, m_services.source, &m_spread))
      .first->second;
}

BestTimes::Best BestTimes::before(const model::TrialRecord& record) const {
  if (m_request.same_bits) return {};  // the best of before may give others
  if (!m_request.fresh) hold_declarations(m_request, m_services);
  const auto best_ns =
      m_request.fresh ? std::nullopt : m_services.source.best_ns(record.problem, record.environment);
  if (!best_ns) return {};
  const model::PossibleFinal field =
      m_services.source.possible_final(record.problem, record.environment, 1, 1);
  return {0, 0, *best_ns, field.finalists.empty() ? "" : field.finalists.front().gpu};
}

void BestTimes::learn(const CompiledTrial& trial, std::size_t device) {
  const auto time_ns = trial.trial.record.outcome.trusted_ns();
  if (!time_ns || !model::may_win(trial.trial.record.role)) return;
  if (!gives_bits(m_request, trial.trial.record)) return;
  if (m_request.policy.objective != model::Objective::time)
    return by_energy(trial).learn(trial.trial.record.outcome, m_spread.correction(device));
  Best& best = m_best[trial.item.group];
  const auto take = [](double& least_ns, double ns) {
    if (least_ns == 0 || ns < least_ns) least_ns = ns;
  };
  take(best.corrected_ns, *time_ns / m_spread.correction(device));
  take(best.recorded_ns, *time_ns);
}

}  // namespace tuner::sweep
