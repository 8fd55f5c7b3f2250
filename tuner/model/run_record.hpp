#pragma once
#include <cstdint>
#include <string>

#include "tuner/model/comparison_class.hpp"
#include "tuner/model/device_info.hpp"
#include "tuner/model/digest.hpp"

namespace tuner::model {

/// One invocation of `tuner run`.
struct RunRecord {
  Digest id;
  std::string command_line;  ///< reproduces the run
  std::string started_at;    ///< UTC, ISO 8601; set by the database when empty
  std::string ended_at;      ///< empty: it did not end by itself
  std::string state;         ///< `running`, `done`, `interrupted`, `failed`
  std::string host;
  std::string version;   ///< of the tuner
  std::string strategy;  ///< as --strategy took it, settings included; empty: unknown
  std::uint64_t seed = 0;
  DeviceInfo device;
  std::string toolkit;
  std::int64_t measured = 0;  ///< trials this run added
};

}  // namespace tuner::model
