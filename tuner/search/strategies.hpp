#pragma once
#include <cstdint>
#include <memory>
#include <span>
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
};

/// All there are.
std::span<const StrategyKind> strategies();

/// Throws model::UsageError where make_strategy() would, naming what there is: ask before anything is begun.
void check_strategy(std::string_view text);

/// The strategy that `text` names, with its settings: `random`, `genetic:population=20,mutation=0.1`. `space`
/// must outlive it. The seed makes its choices repeatable.
std::unique_ptr<Strategy> make_strategy(std::string_view text, const SearchSpace& space, std::uint64_t seed);

}  // namespace tuner::search
