#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tuner/search/settings.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// An entry in the table of strategies.
struct StrategyKind {
  std::string_view name;         ///< as --strategy takes it and runs record it
  std::string_view description;  ///< a sentence for people
  std::span<const Setting> settings;
  std::unique_ptr<Strategy> (*make)(const SearchSpace& space, std::uint64_t seed, const Settings& settings);
  bool learns = false;  ///< from what is known elsewhere: sizes that are near each other should come in turn
};

/// A strategy with its settings.
struct NamedStrategy {
  std::string text;  ///< as --strategy takes it: `genetic:population=20,mutation=0.1`
  const StrategyKind* kind = nullptr;
  Settings settings;

  /// `space` must outlive the strategy. The seed makes its choices repeatable.
  std::unique_ptr<Strategy> make(const SearchSpace& space, std::uint64_t seed) const {
    return kind->make(space, seed, settings);
  }
};

/// All there are.
std::span<const StrategyKind> strategies();

/// The strategy that `text` names, of those in `own`, which come first, and in the table. Throws
/// model::UsageError, naming what there is, where there is no such strategy, setting or value: ask before
/// anything is begun.
NamedStrategy strategy_named(std::string_view text, std::span<const StrategyKind> own = {});

}  // namespace tuner::search
