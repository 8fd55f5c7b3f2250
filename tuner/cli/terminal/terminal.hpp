#pragma once
#include <cstddef>
#include <functional>
#include <string_view>

namespace tuner::cli::terminal {

/// Seconds on a clock that never goes back. Tests pass their own.
using Clock = std::function<double()>;
Clock steady_clock();

/// Where people read: what it can do, and how to write to it.
struct Terminal {
  bool interactive = false;  ///< a line can be written over
  bool colour = false;
  std::function<std::size_t()> columns;  ///< asked before every line, so that a resized window is noticed
  std::function<void(std::string_view)> write;  ///< never throws; a reader that went away is no error
};

/// What a user asks for, whatever the terminal.
enum class Wish { automatic, always, never };

/// The terminal behind a file descriptor, which must outlive it. Unless wished otherwise it is not
/// interactive where it is a pipe, a file or TERM=dumb, and has no colour where it is not interactive or
/// NO_COLOR is set and not empty (no-color.org). A closed pipe raises SIGPIPE unless it is ignored.
Terminal open_terminal(int descriptor, Wish colour = Wish::automatic, Wish interactive = Wish::automatic);

/// How wide the terminal behind a file descriptor is; 80 where there is none.
std::size_t columns_of(int descriptor);

}  // namespace tuner::cli::terminal
