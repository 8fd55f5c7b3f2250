#include "tuner/search/learn/acquisition.hpp"

#include <cmath>
#include <limits>

namespace tuner::search::learn {
namespace {

/// Mean of max(0, x) for a normal x (Jones, Schonlau, Welch, Efficient Global Optimization, 1998, 15).
double expected_improvement(double gain, double deviation) {
  constexpr double negligible = -6;
  const double z = gain / deviation;
  if (z < negligible) return 0;
  return gain * 0.5 * std::erfc(-z * 0.70710678) + deviation * 0.39894228 * std::exp(-0.5 * z * z);
}

}  // namespace

std::optional<std::size_t> most_promising(const Model& model, const OpenCandidates& open,
                                          double best_log_time, const CompileCosts& costs,
                                          const Ambition& ambition) {
  const double best = model.scale().standard(best_log_time);
  std::optional<std::size_t> found;
  double most = -std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < model.covered().size(); ++i) {
    const std::size_t candidate = model.covered()[i];
    if (!open.contains(candidate) || (ambition.among && !ambition.among(candidate))) continue;
    double worth = 0;
    for (const Particle& particle : model.particles()) {
      const double gain = best - particle.mean(i);
      const double deviation = particle.standard_deviation(i);
      worth += ambition.deviations ? gain + *ambition.deviations * deviation
                                   : expected_improvement(gain, deviation);
    }
    // Running takes its time whatever compiling took: half of the cost.
    if (!ambition.deviations && worth > 0) worth /= 0.5 + 0.5 * costs.relative(candidate);
    if (worth <= most) continue;
    most = worth;
    found = i;
  }
  return found;
}

}  // namespace tuner::search::learn
