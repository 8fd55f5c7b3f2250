#pragma once
#include <cstdint>
#include <string>

namespace db {

/// Where and since when this process lives, as attempts record it.
struct Machine {
  std::string id;  ///< a digest of /etc/machine-id, which is not to be shown to others; else the host's name
  std::string boot;  ///< new with every start of the kernel; `unknown` where it cannot be read
  std::int64_t pid = 0;
};

Machine this_machine();
/// Whether a process with this number exists, of any user. One that has ended and that its parent did not ask
/// about yet does not.
bool is_alive(std::int64_t pid);
/// The time now, UTC: `2025-01-31T12:00:00.000000Z`. As text these sort by time; no two of one process are
/// equal.
std::string utc_now();
/// Such a time as microseconds since 1970; 0 for what is none.
std::int64_t microseconds_of(const std::string& time);

}  // namespace db
