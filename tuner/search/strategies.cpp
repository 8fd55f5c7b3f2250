#include "tuner/search/strategies.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/search/fixed_order.hpp"
#include "tuner/search/genetic.hpp"
#include "tuner/search/learn/learn.hpp"
#include "tuner/search/local_search.hpp"
#include "tuner/util/text.hpp"

namespace tuner::search {
std::span<const StrategyKind> strategies() {
  static const std::array kinds = {
      StrategyKind{"random", "every configuration, in an order drawn from the seed", {}, random_order},
      StrategyKind{
          "exhaustive", "every configuration, in the order the spec's lists give", {}, written_order},
      StrategyKind{"learn",
                   "what a model of the results so far expects most of; the model learns as results come",
                   learn::settings(), learn::make, true},
      StrategyKind{"local", "neighbours of the best, with jumps and new starts where none is faster",
                   local_search_settings(), local_search},
      StrategyKind{"genetic", "children of two of the fastest", genetic_settings(), genetic},
  };
  return kinds;
}

NamedStrategy strategy_named(std::string_view text, std::span<const StrategyKind> own) {
  std::string_view settings = text;
  const std::string_view name = util::split_first(settings, ":");
  std::vector<std::string_view> names;
  for (const auto kinds : {own, strategies()}) {
    for (const StrategyKind& kind : kinds) {
      if (kind.name == name) return {std::string(text), &kind, Settings(name, kind.settings, settings)};
      names.push_back(kind.name);
    }
  }
  const std::string meant = util::did_you_mean(name, names);
  throw model::UsageError(fmt::format("unknown strategy `{}`", name),
                          meant.empty() ? "there are " + util::listed(names) : meant);
}

}  // namespace tuner::search
