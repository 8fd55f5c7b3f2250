#include "bench/search/constructed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "tuner/search/open_candidates.hpp"

namespace bench {
namespace {

using namespace tuner;
using interchange::RecordedSpace;
using Random = search::RandomSource;

constexpr double us = 1e3;
constexpr std::size_t rare_configurations = 6;

constexpr std::array kinds = {
    Construction{"smooth", "one hill, parameters that work together, 2 % of roughness"},
    Construction{"needle_0.3", "a region of 0.3 % anywhere is twice as fast", 0.003},
    Construction{"needle_1", "a region of 1 % anywhere is twice as fast", 0.01},
    Construction{"failing_60", "60 % fail, where a sum of the parameters is large", 0, 0.6},
    Construction{"failing_90", "90 % fail, where that sum is large", 0, 0.9},
    Construction{"failing_97", "97 % fail, where that sum is large", 0, 0.97},
    Construction{"scattered_90", "90 % fail, at random", 0, 0.9, true},
    Construction{"behind_failures", "a region of 1 % is twice as fast; the 12 % around it fail", 0.01, 0,
                 false, 0.12},
    Construction{"rare_kernel", "a second kernel of six configurations is up to twice as fast", 0, 0, false,
                 0, true},
    Construction{"needle_3", "a region of 3 % anywhere is twice as fast", 0.03, 0, false, 0, false, true},
    Construction{"scattered_60", "60 % fail, at random", 0, 0.6, true, 0, false, true},
    Construction{"needle_failing", "80 % fail, and a region of 1 % anywhere is twice as fast", 0.01, 0.8,
                 false, 0, false, true},
    Construction{"wide_moat", "a region of 1 % is twice as fast; the 30 % around it fail", 0.01, 0, false,
                 0.3, false, true},
    Construction{"rare_failing", "60 % fail, and a second kernel of six is up to twice as fast", 0, 0.6,
                 false, 0, true, true},
};

model::ParameterSpec parameter(std::string name, const std::vector<std::int64_t>& values) {
  model::ParameterSpec spec;
  spec.name = std::move(name);
  for (const std::int64_t value : values) spec.values.emplace_back(value);
  return spec;
}

/// As of a tiled kernel; blocks of at most 1024 threads.
RecordedSpace tiled() {
  RecordedSpace space;
  space.device = "constructed";
  space.kernel = "tiled";
  space.parameters = {parameter("block_size_x", {16, 32, 64, 128, 256, 512}),
                      parameter("block_size_y", {1, 2, 4, 8}),
                      parameter("tile_x", {1, 2, 4, 8}),
                      parameter("tile_y", {1, 2, 4, 8}),
                      parameter("vector", {1, 2, 4}),
                      parameter("unroll", {0, 1, 2, 4})};
  std::vector<std::uint16_t> at(space.parameters.size(), 0);
  constexpr int most_doublings = 6;  // 16 * 2^6 threads
  while (true) {
    if (at[0] + at[1] <= most_doublings)
      space.entries.push_back({at, model::TrialStatus::ok, 0.0, {}, 0, {}});
    std::size_t p = 0;
    while (p < at.size() && ++at[p] == space.parameters[p].values.size()) at[p++] = 0;
    if (p == at.size()) return space;
  }
}

/// A function of the coordinates: a hill for each parameter, some pairs that want to be alike.
class Landscape {
 public:
  Landscape(const RecordedSpace& space, Random& random) {
    for (const model::ParameterSpec& one : space.parameters) {
      m_place.push_back(random.unit() * static_cast<double>(one.values.size() - 1));
      m_weight.push_back(0.02 + 0.1 * random.unit());
    }
    for (double& weight : m_pair) weight = 0.15 * random.unit();
    for (auto& [a, b] : m_pairs) {
      a = random.below(m_place.size());
      b = random.below(m_place.size());
    }
  }
  /// As for another size of the problem: each hill is elsewhere by a third of a step.
  void move(Random& random) {
    for (double& place : m_place) place += 0.33 * random.normal();
  }
  double at(const std::vector<std::uint16_t>& place) const {
    double sum = 0;
    for (std::size_t p = 0; p < place.size(); ++p) sum += m_weight[p] * std::pow(place[p] - m_place[p], 2);
    for (std::size_t i = 0; i < m_pair.size(); ++i)
      sum += m_pair[i] * std::abs(place[m_pairs[i].first] - place[m_pairs[i].second]);
    return sum;
  }

 private:
  std::vector<double> m_place, m_weight;
  std::array<double, 3> m_pair{};
  std::array<std::pair<std::size_t, std::size_t>, 3> m_pairs{};
};

/// Entries with the smallest value of `loss` first.
std::vector<std::size_t> ranked(const RecordedSpace& space,
                                const std::function<double(const RecordedSpace::Entry&)>& loss) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < space.entries.size(); ++i) order.emplace_back(loss(space.entries[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> ranks;
  for (const auto& [value, i] : order) ranks.push_back(i);
  return ranks;
}

void fail(RecordedSpace::Entry& entry) {
  entry.status = model::TrialStatus::unlaunchable;
  entry.time_ns.reset();
}

double best_ns(const RecordedSpace& space) {
  double best = std::numeric_limits<double>::infinity();
  for (const RecordedSpace::Entry& entry : space.entries) best = std::min(best, entry.time_ns.value_or(best));
  return best;
}

void add_failures(RecordedSpace& space, const Construction& kind, Random& random) {
  std::vector<double> weight;
  for (std::size_t p = 0; p < space.parameters.size(); ++p) weight.push_back(2 * random.unit() - 0.5);
  const auto order = ranked(space, [&](const RecordedSpace::Entry& entry) {
    double sum = (kind.scattered ? 1e3 : 0.5) * random.normal();
    for (std::size_t p = 0; p < weight.size(); ++p) sum += weight[p] * entry.coordinates[p];
    return sum;
  });
  const auto work = static_cast<std::size_t>((1 - kind.failing) * static_cast<double>(order.size()));
  for (std::size_t i = work; i < order.size(); ++i) fail(space.entries[order[i]]);
}

void add_region(RecordedSpace& space, const Construction& kind, Random& random) {
  const double half = best_ns(space) / 2;
  const auto centre = space.entries[random.below(space.entries.size())].coordinates;
  const auto order = ranked(space, [&](const RecordedSpace::Entry& entry) {
    double sum = 0.1 * random.unit();
    for (std::size_t p = 0; p < centre.size(); ++p)
      sum +=
          std::abs(entry.coordinates[p] - centre[p]) / static_cast<double>(space.parameters[p].values.size());
    return sum;
  });
  const auto count = [&](double share) {
    return static_cast<std::size_t>(share * static_cast<double>(order.size()));
  };
  const std::size_t fast = count(kind.fast);
  for (std::size_t i = 0; i < fast; ++i) {
    space.entries[order[i]].status = model::TrialStatus::ok;
    space.entries[order[i]].time_ns = half * (1 + 0.1 * static_cast<double>(i) / static_cast<double>(fast));
  }
  for (std::size_t i = fast; i < fast + count(kind.moat); ++i) fail(space.entries[order[i]]);
}

RecordedSpace rare(double others_ns, Random& random) {
  RecordedSpace space;
  space.device = "constructed";
  space.kernel = "rare";
  space.parameters = {parameter("stages", {2, 3, 4, 5, 6, 7})};
  const std::size_t best = random.below(rare_configurations);
  for (std::uint16_t i = 0; i < rare_configurations; ++i) {
    const double off = std::abs(static_cast<double>(i) - static_cast<double>(best));
    space.entries.push_back({{i}, model::TrialStatus::ok, others_ns * (0.5 + 0.2 * off), {}, 0, {}});
  }
  return space;
}

/// Of the seed's landscape; with `elsewhere` of one that is like it, which the same configurations fail on.
RecordedSpace hilly(const Construction& kind, Random& random, Random* elsewhere) {
  RecordedSpace space = tiled();
  Landscape landscape(space, random);
  if (elsewhere) landscape.move(*elsewhere);
  for (RecordedSpace::Entry& entry : space.entries) {
    const double rough = random.normal();
    entry.time_ns =
        100 * us *
        std::exp(landscape.at(entry.coordinates) + 0.02 * (elsewhere ? elsewhere->normal() : rough));
  }
  if (kind.failing > 0) add_failures(space, kind, random);
  return space;
}

}  // namespace

std::span<const Construction> constructions() {
  return kinds;
}

std::vector<RecordedSpace> construct(const Construction& kind, std::uint64_t seed) {
  Random random(seed);
  std::vector<RecordedSpace> kernels = {hilly(kind, random, nullptr)};
  if (kind.fast > 0) add_region(kernels.front(), kind, random);
  if (kind.rare_kernel) kernels.push_back(rare(best_ns(kernels.front()), random));
  return kernels;
}

RecordedSpace construct_elsewhere(const Construction& kind, std::uint64_t seed) {
  Random random(seed);
  Random other(seed + 1'000'003);
  return hilly(kind, random, &other);
}

}  // namespace bench
