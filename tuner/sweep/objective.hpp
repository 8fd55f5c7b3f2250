#pragma once
#include <optional>

#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

class DeviceSpread;

/// The best of a problem by an objective that is made of energy, and what follows from it for trials whose
/// energy is unknown. With the objective time it knows nothing.
class BestByEnergy {
 public:
  explicit BestByEnergy(model::Objective objective = model::Objective::time) : m_objective(objective) {}

  /// Of a trial that may win, on a GPU whose times are divided by `correction` to be compared with others'.
  void learn(const model::TrialOutcome& outcome, double correction = 1);
  /// A trial that takes longer cannot be better, see model::time_bound_ns(); 0: nothing is known.
  double bound_ns() const { return m_bound_ns; }
  /// What a search takes the trial for: its time, or its value by the objective. Where its energy is not
  /// known, as if it drew what the best draws. Nothing where nothing is known.
  std::optional<double> value_of(std::optional<double> time_ns, std::optional<double> energy_j) const;

 private:
  model::Objective m_objective;
  double m_value = 0;  ///< 0: none yet
  double m_watts = 0;
  double m_bound_ns = 0;
};

/// What results of before say of a problem. `spread`: of the GPUs that they are from; null: these were
/// not compared.
BestByEnergy best_by_energy(const Request& request, const model::Problem& problem,
                            model::ResultSource& source, const DeviceSpread* spread = nullptr);

/// Whether a kernel's energy can be told: not where its buffers are written again between its runs.
bool tells_energy(const model::KernelSpec& spec);

}  // namespace tuner::sweep
