#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tuner/search/strategies.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// Which strategy searches a problem: the one that was named or, for `auto`, by how many configurations there
/// are: few are all tried, in random order; of more, the one that learns tries a part.
class StrategyChoice {
 public:
  /// Of so many configurations `auto` still tries all.
  static constexpr std::size_t most_exhaustive = 400;
  /// … and of more it tries until its last trials gained less than this share of the best time, if nothing
  /// else is asked. So does a strategy that learns and was named.
  static constexpr double usual_until = 0.01;

  /// `text`: as --strategy takes it; `own`: strategies that are known beside those of the table. Throws
  /// model::UsageError where there is no such strategy or setting.
  explicit StrategyChoice(const std::string& text, std::span<const search::StrategyKind> own = {});

  /// For a problem of so many configurations: as --strategy takes it.
  const std::string& text(std::size_t candidates) const { return of(candidates).text; }
  /// Whether it learns from what is known elsewhere.
  bool learns(std::size_t candidates) const { return of(candidates).kind->learns; }
  std::unique_ptr<search::Strategy> make(std::size_t candidates, const search::SearchSpace& space,
                                         std::uint64_t seed) const {
    return of(candidates).make(space, seed);
  }

  /// When a search of so many ends, see Request::until.
  std::optional<double> until(std::size_t candidates, std::optional<double> asked) const;

  /// For people: which it takes when.
  std::string rule() const;
  /// At the start of a run whose problems have from `fewest` to `most` configurations.
  std::string sentence(std::size_t fewest, std::size_t most) const;

 private:
  const search::NamedStrategy& of(std::size_t candidates) const {
    return candidates > most_exhaustive ? m_large : m_small;
  }

  bool m_is_auto;
  search::NamedStrategy m_small;  ///< up to most_exhaustive configurations
  search::NamedStrategy m_large;
};

/// Orders the problems of each family and type so that what one search finds helps the next, where the
/// strategies of `choice` learn from each other's results: first the problem with most known trials or, where
/// none is, the one nearest to all others; then always the nearest to one of those before. Else the order
/// stays as it was asked for.
void order_groups(const Request& request, const StrategyChoice& choice, TrialList& list);

/// In which order groups are begun: as they are listed. Several devices, where nothing is learnt from one
/// group for the next, begin with the smallest and go on from the largest down: by the best of the first they
/// are compared, the last they share, and of both each device makes the inputs.
std::vector<std::size_t> beginning_order(const Request& request, const StrategyChoice& choice,
                                         const TrialList& list, std::size_t devices);

/// With what the search of a group begins, whatever its strategy: the default of each kernel, where it is a
/// candidate and not known. Speedups are said against it, and however soon a sweep ends, it knows what a user
/// has today.
std::vector<std::size_t> defaults_of(const Request& request, const Group& group);

}  // namespace tuner::sweep
