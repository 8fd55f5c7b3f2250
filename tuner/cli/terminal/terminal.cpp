#include "tuner/cli/terminal/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::terminal {
namespace {

/// Zeros where there is no terminal; a serial line or an odd emulator says 0, too.
winsize size_of(int descriptor) {
  winsize size{};
  int result = 0;
  do {
    result = ioctl(descriptor, TIOCGWINSZ, &size);
  } while (result == -1 && errno == EINTR);  // SIGWINCH itself may interrupt it
  return result == 0 ? size : winsize{};
}

}  // namespace

std::size_t columns_of(int descriptor) {
  if (const winsize size = size_of(descriptor); size.ws_col > 0) return size.ws_col;
  const auto wished = util::parse_number<std::size_t>(util::environment_variable("COLUMNS"));
  return wished && *wished > 0 ? *wished : 80;
}

std::size_t rows_of(int descriptor) {
  const winsize size = size_of(descriptor);
  return size.ws_row > 0 ? size.ws_row : usual_rows;
}

Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
}

namespace {

/// No terminal says that it shows links; these are known to. The others would print the escape sequence.
bool shows_links() {
  for (const char* name : {"KONSOLE_VERSION", "WT_SESSION"})
    if (!util::environment_variable(name).empty()) return true;
  const std::string program = util::environment_variable("TERM_PROGRAM");
  for (const char* known : {"iTerm.app", "vscode", "WezTerm", "ghostty"})
    if (program == known) return true;
  const std::string type = util::environment_variable("TERM");
  for (const char* known : {"xterm-kitty", "foot", "alacritty"})
    if (type.starts_with(known)) return true;
  constexpr int first_with_links = 5000;
  return util::parse_number<int>(util::environment_variable("VTE_VERSION")).value_or(0) >= first_with_links;
}

}  // namespace

std::string linked(const std::string& path) {
  const std::string target = util::percent_encoded(std::filesystem::absolute(path).string());
  return fmt::format("\x1b]8;;file://{}{}\x1b\\{}\x1b]8;;\x1b\\", util::host_name(), target, path);
}

Wish wish_of(std::string_view word) {
  return word == "always" ? Wish::always : word == "never" ? Wish::never : Wish::automatic;
}

Terminal open_terminal(int descriptor, Wish colour, Wish interactive) {
  const auto granted = [](Wish wish, bool otherwise) {
    return wish == Wish::automatic ? otherwise : wish == Wish::always;
  };
  Terminal terminal;
  const std::string type = util::environment_variable("TERM");
  const bool is_terminal = isatty(descriptor) == 1 && type != "dumb";
  const bool has_colours = is_terminal && !type.empty() && !type.starts_with("vt");
  terminal.interactive = granted(interactive, is_terminal);
  terminal.colour = granted(colour, has_colours && util::environment_variable("NO_COLOR").empty());
  terminal.links = is_terminal && shows_links();
  terminal.columns = [descriptor] { return columns_of(descriptor); };
  terminal.rows = [descriptor] { return rows_of(descriptor); };
  // Where the reader is gone or slow: progress is not worth dying or waiting for.
  terminal.write = [descriptor](std::string_view text) {
    static_cast<void>(util::write_all(descriptor, text));
  };
  return terminal;
}

namespace {

constexpr std::string_view warning_label = "warning:";
constexpr std::string_view erase_to_end = "\x1b[K";
constexpr std::string_view up = "\x1b[A";

}  // namespace

LinePrinter::LinePrinter(Terminal terminal, Clock clock, PrintRate rate)
    : m_terminal(std::move(terminal)), m_clock(std::move(clock)), m_rate(rate) {}

LinePrinter::~LinePrinter() {
  finish();
}

void LinePrinter::status(std::string_view text, double fraction, const std::vector<std::string>& below) {
  if (m_terminal.quiet) return;
  m_status = {util::one_line(text)};
  for (const std::string& line : below) m_status.push_back(util::one_line(line));
  m_pending = true;
  const double now = m_clock();
  if (!due(now, fraction)) return;
  m_shown_at = now;
  m_shown_fraction = fraction;
  m_shown_any = true;
  draw();
}

bool LinePrinter::due(double now, double fraction) const {
  if (!m_shown_any) return true;
  const double waited = now - m_shown_at;
  if (m_terminal.interactive) return waited >= m_rate.redraw_seconds;
  if (waited < m_rate.least_seconds) return false;
  return waited >= m_rate.line_seconds || fraction - m_shown_fraction >= m_rate.line_fraction;
}

std::size_t LinePrinter::line_width() const {
  // One column stays free: a character in the last one makes some terminals wrap before the return.
  const std::size_t columns = m_terminal.columns();
  return m_terminal.interactive && columns > 1 ? columns - 1 : columns;
}

void LinePrinter::line(std::string_view text) {
  if (m_terminal.quiet && !text.starts_with(warning_label)) return;
  print(util::wrapped_message(text, m_terminal.columns()));
}

void LinePrinter::warning(std::string_view text, std::string_view hint) {
  std::string out = util::wrapped_message(fmt::format("{} {}", warning_label, text), m_terminal.columns());
  if (m_terminal.colour)
    out.replace(0, warning_label.size(), util::painted(warning_label, util::Tone::warning));
  if (!hint.empty()) out += util::wrapped_message(fmt::format("  {}", hint), m_terminal.columns());
  print(out);
}

void LinePrinter::print(std::string_view lines) {
  const bool redraw = m_drawn > 0;
  erase();
  m_terminal.write(lines);
  if (redraw) draw();
}

void LinePrinter::finish() {
  if (m_pending) draw();
  if (m_drawn > 0) m_terminal.write("\n");
  forget();
}

void LinePrinter::clear() {
  erase();
  forget();
}

void LinePrinter::draw() {
  m_pending = false;
  std::string out;
  if (!m_terminal.interactive) {
    for (const std::string& line : m_status) out += util::wrapped_message(line, m_terminal.columns());
    m_terminal.write(out);
    return;
  }
  if (m_drawn != m_status.size()) {
    erase();
  } else {
    for (std::size_t i = 1; i < m_drawn; ++i) out += up;
  }
  for (std::size_t i = 0; i < m_status.size(); ++i) {
    out += i > 0 ? "\n\r" : "\r";
    out += util::one_line(m_status[i], line_width());
    out += erase_to_end;
  }
  m_terminal.write(out);
  m_drawn = m_status.size();
}

void LinePrinter::erase() {
  if (m_drawn == 0) return;
  std::string out = fmt::format("\r{}", erase_to_end);
  for (; m_drawn > 1; --m_drawn) out += fmt::format("{}{}", up, erase_to_end);
  m_drawn = 0;
  m_terminal.write(out);
}

void LinePrinter::forget() {
  m_drawn = 0;
  m_pending = false;
  m_shown_any = false;
}

namespace {

/// Empty: none.
std::string pager_command() {
  const char* const wished = std::getenv("PAGER");
  if (wished == nullptr) return util::find_program("less") ? "less" : "";
  return std::string(wished) == "cat" ? "" : wished;
}

util::FileDescriptor kept(int descriptor) {
  return util::FileDescriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
}

}  // namespace

std::unique_ptr<Pager> Pager::open() {
  if (isatty(STDOUT_FILENO) != 1) return nullptr;
  const std::string command = pager_command();
  if (command.empty()) return nullptr;
  // What a pipe cannot tell.
  setenv("COLUMNS", fmt::format("{}", columns_of(STDOUT_FILENO)).c_str(), 1);
  setenv("LESS", "-FRX", 0);
  setenv("LESSCHARSET", "utf-8", 0);
  setenv("LV", "-c", 0);
  util::Pipe pipe = util::make_pipe();
  auto pager = std::unique_ptr<Pager>(new Pager);
  util::Program reader{"/bin/sh", {"sh", "-c", command}, util::environment_without({})};
  reader.input = pipe.reading.get();
  reader.descriptors = {STDOUT_FILENO, STDERR_FILENO};
  reader.own_group = false;  // the terminal's
  reader.isolated = true;
  try {
    pager->m_process = util::spawn(reader);
  } catch (const std::system_error&) {  // the answer is shown without it
    return nullptr;
  }
  for (const int signal : {SIGINT, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
  std::fflush(stdout);
  std::fflush(stderr);
  pager->m_out = kept(STDOUT_FILENO);
  dup2(pipe.writing.get(), STDOUT_FILENO);
  if (isatty(STDERR_FILENO) == 1) {
    pager->m_err = kept(STDERR_FILENO);
    dup2(pipe.writing.get(), STDERR_FILENO);
  }
  return pager;
}

Pager::~Pager() {
  if (m_process < 0) return;
  std::fflush(stdout);
  std::fflush(stderr);
  dup2(m_out.get(), STDOUT_FILENO);
  if (m_err) dup2(m_err.get(), STDERR_FILENO);
  int status = 0;
  while (waitpid(m_process, &status, 0) < 0 && errno == EINTR) continue;
}

}  // namespace tuner::cli::terminal
