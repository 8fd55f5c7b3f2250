#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tuner/source/host_code.hpp"

namespace tuner::source {

/// What a program puts into a buffer before the launch, as far as it can be told.
struct BufferContents {
  enum class Kind { unknown, zero, one, unit, whole };  ///< unit: from 0 to 1; whole: below `below`
  Kind kind = Kind::unknown;
  Value below;
};

struct LaunchArgument {
  Tokens tokens;
  Value value;             ///< of a value
  PointerOrigin origin;    ///< of a pointer
  Value bytes;             ///< of its buffer; unknown: no allocation was found
  int bytes_line = 0;      ///< of the allocation
  bool is_filled = false;  ///< the line fills or copies so many, and nothing allocates it
  BufferContents contents;
};

/// A launch as it is written: by `<<<…>>>`, or by a call of the runtime.
struct LaunchText {
  const ProgramFunction* function = nullptr;
  std::size_t position = 0;
  std::size_t call = 0;  ///< of the function, which passes it the kernel; 0: the function names it itself
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

/// A launch of a kernel, as the program's host code has it.
struct ProgramLaunch {
  const Frame* frame = nullptr;  ///< of the function that launches
  int line = 0;
  int file = 0;
  std::vector<Tokens> template_arguments;
  std::array<Value, 3> grid;
  std::array<Value, 3> block;
  Value shared_bytes;
  Tokens shared_text;  ///< the same as it is written
  bool cooperative = false;
  std::array<std::int64_t, 3> cluster = {1, 1, 1};
  std::vector<LaunchArgument> arguments;
  std::vector<Value> conditions;  ///< asserted on the way
  /// `if (block == 16)` and `case 16:` around it: a symbol with the number that it has here.
  std::vector<std::pair<Value, Value>> equalities;
};

/// All launches of a kernel in host code; those that say most come first.
std::vector<ProgramLaunch> launches_of(HostCode& host, const ProgramFunction& kernel);

}  // namespace tuner::source
