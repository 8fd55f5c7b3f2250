#pragma once
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::util {

/// The process group a program runs in.
enum class CommandGroup {
  own,      ///< killed with its children when the time is over
  callers,  ///< dies with the caller when its group is killed; past the time the program alone is killed
};

/// Whose limit of processor time holds for a program.
enum class ProcessorTime {
  limited,  ///< little more than its deadline, so that it ends even where the caller dies
  callers,  ///< for one that hands its limits on to what it starts elsewhere, as sbatch does
};

constexpr std::size_t most_command_output = std::size_t{1} << 20U;

struct CommandResult {
  int exit_code = -1;  ///< -1 where a signal ended it
  int signal = 0;
  bool timed_out = false;  ///< it was killed, with its process group where that is its own
  std::string output;      ///< standard output and error together, up to most_command_output
};

/// Runs a program with its arguments in `folder` and waits for it. It gets an empty standard input, no
/// LD_PRELOAD (a sanitizer's library is this process's business), and messages in English. Throws
/// model::Error where it cannot be started.
CommandResult run_command(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          std::chrono::milliseconds limit, CommandGroup group = CommandGroup::own,
                          ProcessorTime processor_time = ProcessorTime::limited);

/// Looks a program up as a shell would: a name with a slash is a path. Nothing where there is no such
/// executable.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace tuner::util
