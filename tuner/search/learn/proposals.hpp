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

/// How often searches on test spaces that ended like one ended more than 5 % behind the best of their space.
struct Experience {
  double behind = 0;           ///< share of all of them
  double behind_at_worst = 0;  ///< share on the kind of space where it was largest
};

/// Of searches whose last stretch of results gained less than 1 %. `knows_near`: another size of the same
/// device was known; `fails`: the share of the results that were failures. docs/search.md has the table and
/// its command.
inline Experience experience(bool knows_near, double fails) {
  if (knows_near) return {0.22, 0.90};
  return fails < 0.2 ? Experience{0.11, 0.70} : Experience{0.11, 0.80};
}

/// Which kernels of a family were tried too little for a search to end. A model of all of them knows what is
/// usual in the space; a kernel of few configurations may be faster than that by far: of the matrix product's
/// 529 at 512, the best kernel has 4. Where there is one kernel, nothing is ever lacking.
class KernelCoverage {
 public:
  explicit KernelCoverage(const SearchSpace& space);

  /// Tells of a candidate that is known, or was proposed.
  void begin(std::size_t candidate) { ++m_counts[kernel_of(candidate)].begun; }
  /// Tells of a candidate that is known, or has ended. One that `failed` does not count towards the minimum
  /// samples of its kernel.
  void end(std::size_t candidate, bool failed);

  /// The kernel that lacks proposals most, if any does. `best`: the fastest candidate so far, whose kernel is
  /// needs more samples than the others.
  std::optional<std::size_t> lacking(std::optional<std::size_t> best) const;
  /// Whether the minimum samples of every kernel, or all that it has, have ended and worked.
  bool is_complete(std::optional<std::size_t> best) const;

  std::size_t kernel_of(std::size_t candidate) const { return m_space.candidates[candidate].kernel; }

 private:
  struct Count {
    std::size_t all = 0;
    std::size_t begun = 0;
    std::size_t ended = 0;
    std::size_t failed = 0;
    std::size_t failed_in_turn = 0;  ///< since one of them worked
  };
  /// Whether so many of it failed in turn, or were all it has, that no more are needed.
  static bool is_given_up(const Count& count);
  std::size_t minimum_samples(std::size_t kernel, std::optional<std::size_t> best) const;

  const SearchSpace& m_space;
  std::vector<Count> m_counts;  ///< one a kernel
};

}  // namespace tuner::search::learn
