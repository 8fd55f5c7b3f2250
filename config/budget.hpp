#pragma once
#include <chrono>
#include <cstdint>
#include <string_view>

namespace config {

/// How much a sweep may spend; zero means no limit.
struct Budget {
  std::chrono::seconds time{0};
  std::chrono::seconds device_time{0};  ///< of the device's work alone, whatever compiling took
  std::int64_t trials = 0;
};

/// `90s`, `5m`, `1h30m`, `2d`; the same of the device's time: `20s-gpu`; or a number of trials: `500`. Throws
/// model::UsageError.
Budget parse_budget(std::string_view text);

}  // namespace config
