#include "tuner/search/learn/first_proposals.hpp"

#include <algorithm>
#include <limits>

namespace tuner::search::learn {
namespace {

/// Share of the proposals that records have no say in: a record may mislead.
constexpr double doubt_records = 0.15;
/// Share of the others that need not look sensible: 0 loses 0.9 on a part of pnpoly where the best is odd.
constexpr double doubt_sense = 0.3;
constexpr float weight_of_oddity = 0.5F;
constexpr float weight_of_distance = 2;
constexpr int draws = 64;

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
  for (int i = 0; i < draws; ++i) {
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

}  // namespace tuner::search::learn
