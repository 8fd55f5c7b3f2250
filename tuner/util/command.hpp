#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::util {

struct CommandResult {
  int exit_code = -1;  ///< -1 where a signal ended it
  int signal = 0;
  bool timed_out = false;  ///< its process group was killed
  std::string output;      ///< standard output and error together, up to 1 MiB
};

/// Runs a program with its arguments in `folder` and waits for it. It gets an empty standard input, no
/// LD_PRELOAD (a sanitizer's library is this process's business), messages in English, and a process group of
/// its own, so that its children can be killed with it. Throws model::Error where it cannot be started.
CommandResult run_command(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          std::chrono::milliseconds limit);

/// Looks a program up as a shell would: a name with a slash is a path. Nothing where there is no such
/// executable.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace tuner::util
