#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tuner/search/learn/axes.hpp"
#include "tuner/search/learn/facts.hpp"
#include "tuner/search/learn/model.hpp"
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

/// The candidates that a model looks at: all that are open, or of a large space `most` of them: what records
/// find best, neighbours and crossings of the best so far, and the rest at random.
std::vector<std::size_t> make_pool(std::size_t most, const OpenCandidates& open, const Records& records,
                                   const Neighbourhood& neighbourhood, std::span<const std::size_t> best,
                                   RandomSource& random);

/// How a model's proposal is chosen.
struct Ambition {
  /// Absent: the expected improvement for what compiling costs. Else the lower confidence bound, as many
  /// deviations below the mean.
  std::optional<double> deviations;
  /// Limits the choice to candidates for which it is true; empty: no limit.
  std::function<bool(std::size_t candidate)> among = {};
};

/// The open candidate that the members of the ensemble together find most worth trying, as an index into
/// model.covered(); nothing where none of those is open.
std::optional<std::size_t> most_promising(const Model& model, const OpenCandidates& open,
                                          double best_log_time, const CompileCosts& costs,
                                          const Ambition& ambition);

/// How likely the likeliest of these is to work; 0 where none of them is open.
double likeliest(const Model& model, const OpenCandidates& open,
                 const std::function<bool(std::size_t candidate)>& among = {});

}  // namespace tuner::search::learn
