#include "tuner/search/learn/proposals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tuner::search::learn {
namespace {

/// Share of the proposals that records have no say in: a record may mislead.
constexpr double doubt_records = 0.15;
/// Share of the others that need not look sensible: 0 loses 0.9 on a part of pnpoly where the best is odd.
constexpr double doubt_sense = 0.3;
constexpr float weight_of_oddity = 0.5F;
constexpr float weight_of_distance = 2;
constexpr int samples = 64;

}  // namespace

Proposal FirstProposals::next(OpenCandidates& open, std::span<const std::size_t> tried,
                              RandomSource& random) {
  if (!m_records.empty() && random.unit() >= doubt_records)
    if (auto proposal = from_record(open, tried)) return std::move(*proposal);
  return {apart(open, tried, random), "random"};
}

std::size_t FirstProposals::apart(OpenCandidates& open, std::span<const std::size_t> tried,
                                  RandomSource& random) const {
  std::size_t best = *open.first();
  float least = std::numeric_limits<float>::max();
  const float lean = random.unit() < doubt_sense ? 0 : weight_of_oddity;
  for (int i = 0; i < samples; ++i) {
    const std::size_t candidate = random.below(open.size());
    if (!open.contains(candidate)) continue;
    float nearest = 1;
    for (const std::size_t other : tried) nearest = std::min(nearest, m_axes.distance(candidate, other));
    const float loss = lean * m_axes.oddity(candidate) - weight_of_distance * nearest;
    if (loss >= least) continue;
    least = loss;
    best = candidate;
  }
  return best;
}

std::optional<Proposal> FirstProposals::from_record(const OpenCandidates& open,
                                                    std::span<const std::size_t> tried) {
  const std::size_t turn = m_turn++;
  const std::size_t record = turn / 2 % m_records.count();
  const bool apart = turn % 2 == 1;
  for (const std::size_t candidate : m_records.ranking(record)) {
    if (!open.contains(candidate)) continue;
    const auto is_near = [&](std::size_t other) {
      std::size_t differ = 0;
      for (std::size_t axis = 0; axis < m_axes.count(); ++axis)
        differ += m_axes.levels(candidate)[axis] != m_axes.levels(other)[axis];
      return differ < 2;
    };
    if (apart && std::any_of(tried.begin(), tried.end(), is_near)) continue;
    return Proposal{candidate, m_records.trend(record).origin};
  }
  return std::nullopt;
}

std::vector<std::size_t> make_pool(std::size_t most, const OpenCandidates& open, const Records& records,
                                   const Neighbourhood& neighbourhood, std::span<const std::size_t> best,
                                   RandomSource& random) {
  std::vector<std::size_t> pool;
  if (open.count() <= most) {
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open.contains(i)) pool.push_back(i);
    return pool;
  }
  std::vector<bool> in(open.size(), false);
  const auto add = [&](std::size_t candidate) {
    if (!open.contains(candidate) || in[candidate] || pool.size() == most) return;
    in[candidate] = true;
    pool.push_back(candidate);
  };
  for (std::size_t record = 0; record < records.count(); ++record) {
    const auto& ranking = records.ranking(record);
    for (std::size_t i = 0; i < ranking.size() && i < most / 10; ++i) add(ranking[i]);
  }
  for (const std::size_t one : best)
    for (const std::size_t neighbour : neighbourhood.around(one)) add(neighbour);
  for (std::size_t i = 0; !best.empty() && i < most / 4; ++i) {
    const std::size_t mother = best[random.below(best.size())];
    if (const auto child = neighbourhood.cross(mother, best[random.below(best.size())], random)) add(*child);
  }
  while (pool.size() < most) add(random.below(open.size()));
  return pool;
}

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
      const auto members = static_cast<double>(model.particles().size());
      worth = weighed(worth / members - best, success);
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

namespace {

/// Of each kernel, and of the fastest one's; docs/search.md has what that costs.
constexpr std::size_t of_each = 4;
constexpr std::size_t of_the_best = 20;
/// A kernel that fails as often in turn, where it is thought likely to work, is as good as one that never
/// works.
constexpr std::size_t most_failures = 32;

}  // namespace

KernelCoverage::KernelCoverage(const SearchSpace& space) : m_space(space), m_counts(space.kernels.size()) {
  for (std::size_t kernel = 0; kernel < m_counts.size(); ++kernel)
    m_counts[kernel].all = space.candidates.count(kernel);
}

void KernelCoverage::end(std::size_t candidate, bool failed) {
  Count& count = m_counts[kernel_of(candidate)];
  ++count.ended;
  count.failed += failed ? 1 : 0;
  count.failed_in_turn = failed ? count.failed_in_turn + 1 : 0;
}

bool KernelCoverage::is_given_up(const Count& count) {
  return count.failed_in_turn >= most_failures || count.ended == count.all;
}

std::size_t KernelCoverage::minimum_samples(std::size_t kernel, std::optional<std::size_t> best) const {
  if (m_counts.size() < 2) return 0;
  return std::min(m_counts[kernel].all, best && kernel_of(*best) == kernel ? of_the_best : of_each);
}

std::optional<std::size_t> KernelCoverage::lacking(std::optional<std::size_t> best) const {
  std::optional<std::size_t> found;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t kernel = 0; kernel < m_counts.size(); ++kernel) {
    const std::size_t wanted = minimum_samples(kernel, best);
    const Count& count = m_counts[kernel];
    const std::size_t worthy = count.begun - count.failed;
    if (worthy >= wanted || is_given_up(count) || count.begun == count.all) continue;
    const double share = static_cast<double>(worthy) / static_cast<double>(wanted);
    if (share >= least) continue;
    least = share;
    found = kernel;
  }
  return found;
}

bool KernelCoverage::is_complete(std::optional<std::size_t> best) const {
  for (std::size_t kernel = 0; kernel < m_counts.size(); ++kernel)
    if (m_counts[kernel].ended - m_counts[kernel].failed < minimum_samples(kernel, best) &&
        !is_given_up(m_counts[kernel]))
      return false;
  return true;
}

}  // namespace tuner::search::learn
