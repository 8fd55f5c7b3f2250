#pragma once
#include <cstddef>
#include <optional>
#include <span>

#include "tuner/search/learn/axes.hpp"
#include "tuner/search/learn/records.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search::learn {

/// What is tried before there is anything to learn from. Without records: far from all that was tried, and
/// most often what looks sensible to somebody who knows GPUs; not always, since what looks odd is sometimes
/// the best. With records: their best, in turn with their best that is no neighbour of anything tried, and
/// now and then as without.
class FirstProposals {
 public:
  FirstProposals(const Axes& axes, const Records& records) : m_axes(axes), m_records(records) {}

  /// At least one candidate is open. `tried`: all that was proposed or known.
  Proposal next(OpenCandidates& open, std::span<const std::size_t> tried, RandomSource& random);

 private:
  std::size_t apart(OpenCandidates& open, std::span<const std::size_t> tried, RandomSource& random) const;
  std::optional<Proposal> from_record(const OpenCandidates& open, std::span<const std::size_t> tried);

  const Axes& m_axes;
  const Records& m_records;
  std::size_t m_turn = 0;
};

}  // namespace tuner::search::learn
