#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/capture/recording.hpp"

/// The parts of `tuner capture`.
namespace tuner::cli {

/// How a program ended.
struct ProgramEnd {
  int exit_code = 0;
  int signal = 0;  ///< that ended it; 0: none

  /// As a shell has it.
  int code() const { return signal == 0 ? exit_code : 128 + signal; }
};

/// Runs `command` as a shell would, with everything of this process's, and with `library` loaded into it,
/// which finds the capture's folder in its environment. Waits for it. Interrupts and SIGTERM are the
/// program's: this process survives them. Throws model::Error where it cannot be started.
ProgramEnd run_captured(const std::vector<std::string>& command, const std::filesystem::path& library,
                        const std::filesystem::path& folder);

/// For people: a row for each kernel, the one that costs most first, no line wider than `columns`.
std::string capture_table(const capture::Recording& recording, std::size_t columns);
/// A row for each shape.
std::string capture_csv(const capture::Recording& recording);

/// What must be known to read the table right: what was not captured, and how the times were taken.
std::vector<std::string> capture_remarks(const capture::Recording& recording);

}  // namespace tuner::cli
