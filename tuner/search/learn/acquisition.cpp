#include "tuner/search/learn/acquisition.hpp"

#include <algorithm>
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

/// How likely a candidate must be to work for its improvement to be asked about: where all that works is
/// known to be slow, the hope for what surely fails would be the largest.
constexpr double of_the_likeliest = 0.25;

using Among = std::function<bool(std::size_t candidate)>;

bool is_asked(const Model& model, const OpenCandidates& open, const Among& among, std::size_t covered) {
  const std::size_t candidate = model.covered()[covered];
  return open.contains(candidate) && (!among || among(candidate));
}

}  // namespace

double likeliest(const Model& model, const OpenCandidates& open, const Among& among) {
  double most = 0;
  for (std::size_t i = 0; i < model.covered().size(); ++i)
    if (is_asked(model, open, among, i)) most = std::max(most, model.success(i));
  return most;
}

std::optional<std::size_t> most_promising(const Model& model, const OpenCandidates& open,
                                          double best_log_time, const CompileCosts& costs,
                                          const Ambition& ambition) {
  const double best = model.scale().standard(best_log_time);
  std::optional<std::size_t> found;
  double most = -std::numeric_limits<double>::max();
  const double least = ambition.deviations ? 0 : of_the_likeliest * likeliest(model, open, ambition.among);
  for (std::size_t i = 0; i < model.covered().size(); ++i) {
    if (!is_asked(model, open, ambition.among, i)) continue;
    double worth = 0;
    for (const Particle& particle : model.particles()) {
      const double gain = best - particle.mean(i);
      const double deviation = particle.standard_deviation(i);
      worth += ambition.deviations ? gain + *ambition.deviations * deviation
                                   : expected_improvement(gain, deviation);
    }
    const double success = model.success(i);
    if (ambition.deviations) {
      // Beyond what is usual, not beyond the best: one that fails is as bad as the slowest.
      const auto opinions = static_cast<double>(model.particles().size());
      worth = weighed(worth / opinions - best, success);
    } else {
      worth *= success < least ? 0 : success;
    }
    // Running takes its time whatever compiling took: half of the cost.
    if (!ambition.deviations && worth > 0) worth /= 0.5 + 0.5 * costs.relative(model.covered()[i]);
    if (worth <= most) continue;
    most = worth;
    found = i;
  }
  return found;
}

}  // namespace tuner::search::learn
