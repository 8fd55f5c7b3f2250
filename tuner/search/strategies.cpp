#include "tuner/search/strategies.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/search/fixed_order.hpp"
#include "tuner/util/text.hpp"

namespace tuner::search {
namespace {

constexpr std::array kinds = {
    StrategyKind{"random", "every configuration, in an order drawn from the seed", random_order},
    StrategyKind{"exhaustive", "every configuration, in the order the spec's lists give", written_order},
};

}  // namespace

std::span<const StrategyKind> strategies() {
  return kinds;
}

const StrategyKind& strategy_kind(std::string_view name) {
  std::vector<std::string_view> names;
  for (const StrategyKind& kind : kinds) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  const std::string meant = util::did_you_mean(name, names);
  throw model::UsageError(fmt::format("unknown strategy `{}`", name),
                          meant.empty() ? "there are " + util::listed(names) : meant);
}

}  // namespace tuner::search
