#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/util/files.hpp"

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

/// What a child starts with; no signal is blocked.
struct Program {
  std::string file;                      ///< a name without a slash is looked for in PATH
  std::vector<std::string> arguments;    ///< argv[0] included
  std::vector<std::string> environment;  ///< `NAME=value`
  std::filesystem::path folder = {};     ///< it works in; empty: the caller's
  std::vector<int> descriptors = {};     ///< become its 1, 2 and so on, one after the other
  int input = -1;                        ///< becomes its standard input; -1: that is empty
  bool own_group = true;                 ///< it leads a process group of its own
  bool isolated = false;  ///< no other descriptor is open in it, and all signals have their default
};
/// Both ends are closed in children. Throws std::system_error.
struct Pipe {
  FileDescriptor reading;
  FileDescriptor writing;
};
Pipe make_pipe();
/// Its process. Throws std::system_error, naming the file.
pid_t spawn(const Program& program);
/// This process's environment without the variables `names`.
std::vector<std::string> environment_without(const std::vector<std::string_view>& names);

/// Of what a program prints, unless the caller wants more.
constexpr std::size_t most_command_output = std::size_t{1} << 20U;

struct CommandResult {
  int exit_code = -1;  ///< -1 where a signal ended it
  int signal = 0;
  bool timed_out = false;  ///< it was killed, with its process group where that is its own
  std::string output;      ///< standard output and error together, up to the limit
};

/// Runs a program with its arguments in `folder` and waits for it. It gets an empty standard input, no
/// LD_PRELOAD (a sanitizer's library is this process's business), and messages in English. Throws
/// model::Error where it cannot be started.
CommandResult run_command(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          std::chrono::milliseconds limit, CommandGroup group = CommandGroup::own,
                          ProcessorTime processor_time = ProcessorTime::limited,
                          std::size_t most_output = most_command_output);

/// Empty where it is not set.
std::string environment_variable(const char* name);
/// `unknown` where the machine does not say.
std::string host_name();

/// Looks a program up as a shell would: a name with a slash is a path. Nothing where there is no such
/// executable.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace tuner::util
