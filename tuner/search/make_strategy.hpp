#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// What a strategy searches, and the seed that makes its choices repeatable on every platform.
struct SearchRequest {
  std::size_t size = 0;  ///< candidates
  std::uint64_t seed = 0;
};

/// The names make_strategy knows; the first is the default.
const std::vector<std::string_view>& strategy_names();

/// Throws model::UsageError that lists the known names where `name` is not one of them.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchRequest& request);

}  // namespace tuner::search
