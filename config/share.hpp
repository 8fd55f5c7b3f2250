#pragma once
#include <string_view>

namespace config {

/// `1%`, `0.5%` as 0.01, 0.005: from nothing to less than all. Throws model::UsageError.
double parse_share(std::string_view text);

}  // namespace config
