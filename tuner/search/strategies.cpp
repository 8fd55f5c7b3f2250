#include "tuner/search/strategies.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/search/fixed_order.hpp"
#include "tuner/search/genetic.hpp"
#include "tuner/search/learn/learn.hpp"
#include "tuner/search/local_search.hpp"
#include "tuner/util/text.hpp"

namespace tuner::search {
namespace {

/// The kind that `text` names, and its settings.
std::pair<const StrategyKind*, Settings> parse(std::string_view text) {
  const std::string_view name = util::split_first(text, ":");
  std::vector<std::string_view> names;
  for (const StrategyKind& kind : strategies()) {
    if (kind.name == name) return {&kind, Settings(name, kind.settings, text)};
    names.push_back(kind.name);
  }
  const std::string meant = util::did_you_mean(name, names);
  throw model::UsageError(fmt::format("unknown strategy `{}`", name),
                          meant.empty() ? "there are " + util::listed(names) : meant);
}

}  // namespace

std::span<const StrategyKind> strategies() {
  static const std::array kinds = {
      StrategyKind{"random", "every configuration, in an order drawn from the seed", {}, random_order},
      StrategyKind{
          "exhaustive", "every configuration, in the order the spec's lists give", {}, written_order},
      StrategyKind{"learn",
                   "what a model of the results so far expects most of; the model learns as results come",
                   learn::settings(), learn::make},
      StrategyKind{"local", "neighbours of the best, with jumps and new starts where none is faster",
                   local_search_settings(), local_search},
      StrategyKind{"genetic", "children of two of the fastest", genetic_settings(), genetic},
  };
  return kinds;
}

void check_strategy(std::string_view text) {
  parse(text);
}

std::unique_ptr<Strategy> make_strategy(std::string_view text, const SearchSpace& space, std::uint64_t seed) {
  const auto [kind, settings] = parse(text);
  return kind->make(space, seed, settings);
}

}  // namespace tuner::search
