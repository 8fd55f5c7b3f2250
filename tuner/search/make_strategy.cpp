#include "tuner/search/make_strategy.hpp"

#include <fmt/format.h>

#include "tuner/model/error.hpp"
#include "tuner/search/exhaustive.hpp"
#include "tuner/search/random_order.hpp"

namespace tuner::search {

const std::vector<std::string_view>& strategy_names() {
  static const std::vector<std::string_view> names{"random", "exhaustive"};
  return names;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchRequest& request) {
  if (name == "random") return std::make_unique<RandomOrder>(request.size, request.seed);
  if (name == "exhaustive") return std::make_unique<Exhaustive>(request.size);
  throw model::UsageError(fmt::format("unknown strategy `{}`", name),
                          fmt::format("there are: {}", fmt::join(strategy_names(), ", ")));
}

}  // namespace tuner::search
