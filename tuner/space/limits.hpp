#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "tuner/model/device_info.hpp"

namespace tuner::space {

/// A device limit as expressions call it.
struct LimitName {
  std::string_view name;
  std::int64_t (*value)(const model::DeviceLimits&);
};

/// All of them; space.hpp lists them for users.
const std::vector<LimitName>& limit_names();

}  // namespace tuner::space
