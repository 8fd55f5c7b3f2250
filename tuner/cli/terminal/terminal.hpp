#pragma once
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/util/files.hpp"

namespace tuner::cli::terminal {

/// Seconds on a clock that never goes back. Tests pass their own.
using Clock = std::function<double()>;
Clock steady_clock();

/// Of a terminal that does not say.
constexpr std::size_t usual_rows = 24;

/// Where people read: what it can do, and how to write to it.
struct Terminal {
  bool interactive = false;  ///< a line can be written over
  bool colour = false;
  std::function<std::size_t()> columns;  ///< asked before every line, so that a resized window is noticed
  std::function<void(std::string_view)> write;  ///< never throws; a reader that went away is no error
  std::function<std::size_t()> rows = [] { return usual_rows; };
  bool quiet = false;  ///< warnings alone are shown
  bool links = false;  ///< it shows linked() as a link
};

/// Columns of the terminal behind a descriptor. Where there is none: $COLUMNS where that is a number,
/// else 80.
std::size_t columns_of(int descriptor);

/// Its rows; usual_rows where there is none.
std::size_t rows_of(int descriptor);

/// What a user asks for, whatever the terminal.
enum class Wish { automatic, always, never };
/// `always`, `never`; any other word is automatic.
Wish wish_of(std::string_view word);

/// The terminal behind a file descriptor, which must outlive it. Unless wished otherwise it is not
/// interactive where it is a pipe, a file or TERM=dumb, and has no colour there, where TERM is unset or names
/// one without (vt100), or where NO_COLOR is set and not empty (no-color.org). A closed pipe raises SIGPIPE
/// unless it is ignored.
Terminal open_terminal(int descriptor, Wish colour = Wish::automatic, Wish interactive = Wish::automatic);

/// `path` as a link to that file (OSC 8), for terminals that have links.
std::string linked(const std::string& path);

/// How often the status may be shown.
struct PrintRate {
  double redraw_seconds = 0.1;  ///< interactive: at most one redraw in this time
  double line_seconds = 30;     ///< otherwise: a whole line after this time …
  double line_fraction = 0.1;   ///< … or after this much progress, whichever comes first
  double least_seconds = 2;     ///< … but never two lines within this time
};

/// Owns what people see on stderr: a status of one line or several, written over in place, and whole lines
/// above it. Nothing else may write there while it lives. Where lines cannot be written over, the status
/// becomes whole lines at a bounded rate. One caller at a time.
class LinePrinter {
 public:
  LinePrinter(Terminal terminal, Clock clock, PrintRate rate = {});
  LinePrinter(const LinePrinter&) = delete;
  LinePrinter& operator=(const LinePrinter&) = delete;
  ~LinePrinter();  ///< leaves the last status on a line of its own

  /// Shows `text` as the status, with the lines `below` it; `fraction` of the work is done (0 to 1). Each is
  /// elided to the width of the terminal.
  void status(std::string_view text, double fraction, const std::vector<std::string>& below = {});
  /// Whether a status is written over.
  bool is_interactive() const { return m_terminal.interactive && !m_terminal.quiet; }
  /// Of a status that is not elided.
  std::size_t line_width() const;
  std::size_t rows() const { return m_terminal.rows(); }
  /// A message above the status, laid out by util::wrapped_message().
  void line(std::string_view text);
  /// `warning: text`, and the hint on a line of its own where there is one.
  void warning(std::string_view text, std::string_view hint = "");
  /// Shows the last status whatever the rate, and moves below it. Later calls of status() begin a new line.
  void finish();
  /// Removes the status line without leaving a trace of it on a terminal.
  void clear();

 private:
  void draw();
  void erase();
  void forget();
  void print(std::string_view lines);
  bool due(double now, double fraction) const;

  Terminal m_terminal;
  Clock m_clock;
  PrintRate m_rate;
  std::vector<std::string> m_status;  ///< its lines
  std::size_t m_drawn = 0;            ///< lines of it on the screen; the cursor stands on the last
  bool m_pending = false;             ///< m_status is newer than what was shown
  bool m_shown_any = false;
  double m_shown_at = 0;
  double m_shown_fraction = 0;
};

/// The program that shows standard output a screen at a time: $PAGER as a shell has it, else `less`, with
/// LESS=-FRX where that is unset, so that what fits on the screen is just printed. Standard error goes there
/// too where it is a terminal, since the pager owns the screen. Ctrl-C is the pager's.
class Pager {
 public:
  /// Null where standard output is no terminal, $PAGER is empty or `cat`, or there is no such program.
  static std::unique_ptr<Pager> open();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  /// Waits until the reader has gone, and has both outputs back where they were.
  ~Pager();

 private:
  Pager() = default;

  pid_t m_process = -1;
  util::FileDescriptor m_out;  ///< what standard output was
  util::FileDescriptor m_err;  ///< of stderr; empty where it stayed
};

}  // namespace tuner::cli::terminal
