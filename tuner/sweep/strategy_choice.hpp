#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "tuner/search/strategies.hpp"

namespace tuner::sweep {

/// Which strategy searches a problem: the one that was named or, for `auto`, by how many configurations there
/// are: few are all tried, in random order; of more, the one that learns tries a part.
class StrategyChoice {
 public:
  /// Of so many configurations `auto` still tries all.
  static constexpr std::size_t most_exhaustive = 400;

  /// `text`: as --strategy takes it; `own`: strategies that are known beside those of the table. Throws
  /// model::UsageError where there is no such strategy.
  explicit StrategyChoice(const std::string& text, std::span<const search::StrategyKind> own = {});

  const search::StrategyKind& of(std::size_t candidates) const;
  /// For people: which it takes when.
  std::string rule() const;
  /// At the start of a run whose problems have from `fewest` to `most` configurations.
  std::string sentence(std::size_t fewest, std::size_t most) const;

 private:
  const search::StrategyKind* m_small;  ///< up to most_exhaustive configurations
  const search::StrategyKind* m_large;
  bool m_is_auto;
};

}  // namespace tuner::sweep
