#include "tuner/search/learn/outlook.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tuner/search/learn/vectors.hpp"
#include "tuner/search/random_source.hpp"

namespace tuner::search::learn {
namespace {

constexpr std::size_t most_promising = 160;
constexpr int draws_of_a_particle = 64;
/// A model of the wrong form is wrong about deviations, too: of the most promising of many it expects too
/// much, and where its lengths are too long too little. On the training spaces the truth has the mean of
/// draws with `usual` of its deviations, and lies within the intervals of draws with `narrow` and `wide` of
/// them.
constexpr double narrow = 0.4;
constexpr double usual = 0.7;
constexpr double wide = 1.2;
constexpr float least_variance = 1e-8F;

/// The open candidates that could be the best: by a very hopeful guess.
std::vector<std::size_t> promising(const Model& model, const Particle& particle, const OpenCandidates& open) {
  std::vector<std::pair<float, std::size_t>> order;
  for (std::size_t i = 0; i < model.covered().size(); ++i)
    if (open.contains(model.covered()[i]))
      order.emplace_back(particle.mean(i) - 2.5F * particle.standard_deviation(i), i);
  const auto count = static_cast<std::ptrdiff_t>(std::min(order.size(), most_promising));
  std::partial_sort(order.begin(), order.begin() + count, order.end());
  std::vector<std::size_t> chosen;
  for (std::ptrdiff_t i = 0; i < count; ++i) chosen.push_back(order[static_cast<std::size_t>(i)].second);
  return chosen;
}

}  // namespace

Outlook outlook(const Model& model, const OpenCandidates& open, double best_log_time) {
  RandomSource random(1);
  const Scale& scale = model.scale();
  const double best = (best_log_time - scale.shift) / scale.width;
  std::array<std::vector<double>, 3> gains;
  constexpr std::array deviations = {narrow, usual, wide};
  for (const Particle& particle : model.particles()) {
    const std::vector<std::size_t> chosen = promising(model, particle, open);
    const std::size_t n = chosen.size();
    std::vector<float> lower = particle.covariances(chosen);
    factorise(lower.data(), n, least_variance);
    std::vector<float> normal(n);
    for (int draw = 0; draw < draws_of_a_particle; ++draw) {
      for (float& one : normal) one = static_cast<float>(random.normal());
      std::array fastest = {best, best, best};
      for (std::size_t a = 0; a < n; ++a) {
        const double off = dot(lower.data() + a * n, normal.data(), a + 1);
        for (std::size_t kind = 0; kind < deviations.size(); ++kind)
          fastest[kind] = std::min(fastest[kind], particle.mean(chosen[a]) + deviations[kind] * off);
      }
      for (std::size_t kind = 0; kind < deviations.size(); ++kind)
        gains[kind].push_back(1 - std::exp(scale.width * (fastest[kind] - best)));
    }
  }
  for (std::vector<double>& kind : gains) std::sort(kind.begin(), kind.end());
  const auto quantile = [](const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  Outlook outlook;
  outlook.estimate = "model";
  for (const double gain : gains[1]) outlook.gain += gain / static_cast<double>(gains[1].size());
  outlook.low = std::min(outlook.gain, quantile(gains[0], 0.025));
  outlook.high = std::max(outlook.gain, quantile(gains[2], 0.975));
  return outlook;
}

}  // namespace tuner::search::learn
