#pragma once
#include <cstdint>
#include <string>

#include "tuner/use/driver.hpp"

namespace tests {

/// A kernel that the stand-in driver ran.
struct StandInRun {
  std::string name;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  unsigned graph;
  std::uint64_t ns;
  unsigned gpu = 0;
};

}  // namespace tests
