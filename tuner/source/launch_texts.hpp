#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tuner/source/host_code.hpp"

namespace tuner::source {

/// A launch as it is written: by `<<<…>>>`, or by a call of the runtime.
struct LaunchText {
  const ProgramFunction* function = nullptr;
  std::size_t position = 0;
  int line = 0;
  int file = 0;
  std::vector<Tokens> template_arguments;
  Tokens grid, block, shared;
  std::vector<Tokens> arguments;
  bool cooperative = false;
  std::array<std::int64_t, 3> cluster = {1, 1, 1};
};

/// All of a kernel, in the order of the program.
std::vector<LaunchText> launch_texts(HostCode& host, const ProgramFunction& kernel);

}  // namespace tuner::source
