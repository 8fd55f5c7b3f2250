#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// A number that a strategy can be given: `population=20`.
struct Setting {
  std::string_view name;
  double usual = 0;
  double low = 0;   ///< the least and
  double high = 1;  ///< the most that is accepted
  bool whole = false;
  std::string_view description;  ///< a sentence for people
};

/// Of strategies that go by results: what lookahead() says.
constexpr Setting ahead_setting{
    "ahead", 24, 1, 1024, true, "proposals under way at most: each is made without the others' results"};

/// The settings of a strategy with their values: the usual ones but for those that were given.
class Settings {
 public:
  /// `text`: `name=value,…`, or empty. Throws model::UsageError that names what there is where a name or a
  /// value is none; `strategy` is for the message.
  Settings(std::string_view strategy, std::span<const Setting> known, std::string_view text);

  /// `name` is one of the known ones.
  double number(std::string_view name) const;
  std::size_t count(std::string_view name) const { return static_cast<std::size_t>(number(name)); }

 private:
  void set(std::string_view strategy, std::string_view name, std::string_view value);

  std::span<const Setting> m_known;
  std::vector<double> m_values;
};

/// An entry in the table of strategies.
struct StrategyKind {
  std::string_view name;         ///< as --strategy takes it and runs record it
  std::string_view description;  ///< a sentence for people
  std::span<const Setting> settings;
  std::unique_ptr<Strategy> (*make)(const SearchSpace& space, std::uint64_t seed, const Settings& settings);
  bool learns = false;  ///< from what is known elsewhere: sizes that are near each other should come in turn
};

/// For StrategyKind::make.
template <class Kind>
std::unique_ptr<Strategy> make_strategy(const SearchSpace& space, std::uint64_t seed,
                                        const Settings& settings) {
  return std::make_unique<Kind>(space, seed, settings);
}

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

/// Every candidate that is not known, in a random order that the space and the seed determine, whatever is
/// known: a drift of the device's clocks then falls on all parts of the space alike, a sweep that is cut
/// short has seen a fair sample of it, and one that is resumed goes on in the order it began with.
extern const StrategyKind random_order;
/// Every candidate that is not known, in the order the spec's value lists give.
extern const StrategyKind written_order;
/// Learns from results which candidates are worth trying: Gaussian processes over all kernels of the space
/// together. See docs/search.md.
extern const StrategyKind learning;
/// Iterated local search: tries the neighbours of the best near here in a random order and moves to the first
/// that is faster. Where none is left it goes on some random steps from the best of all, or anywhere.
extern const StrategyKind local_search;
/// A genetic algorithm without generations: each proposal crosses two of the fastest so far, and sometimes
/// changes a parameter more. Results enter the population as they come, so that any number may be under way.
extern const StrategyKind genetic;

/// All of these.
std::span<const StrategyKind> strategies();

/// The strategy that `text` names, of those in `own`, which come first, and in the table. Throws
/// model::UsageError, naming what there is, where there is no such strategy, setting or value: ask before
/// anything is begun.
NamedStrategy strategy_named(std::string_view text, std::span<const StrategyKind> own = {});

}  // namespace tuner::search
