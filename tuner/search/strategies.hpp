#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// An entry in the table of strategies.
struct StrategyKind {
  std::string_view name;         ///< as --strategy takes it and runs record it
  std::string_view description;  ///< a sentence for people
  /// `space` must outlive the strategy. The seed makes its choices repeatable on every platform.
  std::unique_ptr<Strategy> (*make)(const SearchSpace& space, std::uint64_t seed);
  bool learns = false;  ///< from what is known elsewhere: sizes that are near each other should come in turn
};

/// All there are; the first is the default.
std::span<const StrategyKind> strategies();

/// The entry of that name. Throws model::UsageError that lists the names where there is none: ask before
/// anything is begun.
const StrategyKind& strategy_kind(std::string_view name);

}  // namespace tuner::search
