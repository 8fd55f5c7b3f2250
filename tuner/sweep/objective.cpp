#include "tuner/sweep/objective.hpp"

#include <algorithm>
#include <limits>

#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {

void BestByEnergy::learn(const model::TrialOutcome& outcome, double correction) {
  const auto time_ns = outcome.trusted_ns();
  if (m_objective == model::Objective::time || !time_ns || !outcome.energy) return;
  const double value = model::objective_value(m_objective, *time_ns, outcome.energy->mean_j);
  if (m_value > 0 && value >= m_value) return;
  m_value = value;
  m_watts = outcome.energy->watts();
  m_bound_ns = model::time_bound_ns(m_objective, value, outcome.energy->idle_w) / correction;
}

std::optional<double> BestByEnergy::value_of(std::optional<double> time_ns,
                                             std::optional<double> energy_j) const {
  if (m_objective == model::Objective::time || !time_ns) return time_ns;
  if (!energy_j && m_value == 0) return std::nullopt;
  return model::objective_value(m_objective, *time_ns, energy_j.value_or(*time_ns * 1e-9 * m_watts));
}

BestByEnergy best_by_energy(const Request& request, const model::Problem& problem,
                            model::ResultSource& source, const DeviceSpread* spread) {
  BestByEnergy best(request.policy.objective);
  if (request.policy.objective == model::Objective::time || request.fresh) return best;
  const model::PossibleFinal all =
      source.possible_final(problem, environment(request, problem.type),
                            std::numeric_limits<double>::infinity(), std::numeric_limits<int>::max());
  for (const model::TrialRecord& trial : all.finalists) {
    if (!gives_bits(request, trial)) continue;
    // As long as another GPU's speed is unknown, it may be that much faster.
    best.learn(trial.outcome,
               spread ? spread->correction_of(trial.gpu).value_or(1 / DeviceSpread::unlike) : 1);
  }
  return best;
}

bool tells_energy(const model::KernelSpec& spec) {
  return std::ranges::none_of(spec.arguments, [](const auto& argument) { return argument.restore; });
}

}  // namespace tuner::sweep
