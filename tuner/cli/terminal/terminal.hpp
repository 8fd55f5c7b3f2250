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

/// The terminal behind a file descriptor, which must outlive it. Not interactive: a pipe, a file, TERM=dumb.
/// No colour: not interactive, or NO_COLOR set and not empty (no-color.org). A closed pipe raises SIGPIPE
/// unless it is ignored.
Terminal open_terminal(int descriptor);

}  // namespace tuner::cli::terminal
