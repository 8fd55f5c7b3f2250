#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

#include "tuner/cli/terminal/terminal.hpp"

using namespace tuner::cli::terminal;

namespace {

/// A terminal that remembers what was written and a clock that moves when told to.
struct Screen {
  std::string text;
  std::size_t columns = 80;
  double now = 100;

  Terminal terminal(bool interactive, bool colour = false) {
    return {interactive, colour, [this] { return columns; }, [this](std::string_view some) { text += some; }};
  }
  Clock clock() {
    return [this] { return now; };
  }
  std::string take() { return std::exchange(text, ""); }
};

}  // namespace

static_assert(!std::is_copy_constructible_v<LinePrinter>);
static_assert(std::is_nothrow_destructible_v<LinePrinter>);

TEST_SUITE_BEGIN("tuner::cli::terminal");

TEST_CASE("a status of several lines is written over as a whole, each line elided, and gives way to lines") {
  Screen screen;
  screen.columns = 12;
  LinePrinter printer(screen.terminal(true), screen.clock());
  printer.status("all of it", 0.1, {"  cuda:0 and more", "  cuda:1"});
  CHECK(screen.take() == "\rall of it\x1b[K\n\r  cuda:0 a…\x1b[K\n\r  cuda:1\x1b[K");
  screen.now += 1;
  printer.status("more", 0.2, {"  a", "  b"});
  CHECK(screen.take() == "\x1b[A\x1b[A\rmore\x1b[K\n\r  a\x1b[K\n\r  b\x1b[K");
  printer.line("a line");
  CHECK(screen.take() == "\r\x1b[K\x1b[A\x1b[K\x1b[A\x1b[Ka line\n\rmore\x1b[K\n\r  a\x1b[K\n\r  b\x1b[K");
  screen.now += 1;
  printer.status("one", 0.3);
  CHECK(screen.take() == "\r\x1b[K\x1b[A\x1b[K\x1b[A\x1b[K\rone\x1b[K");
  printer.finish();
  CHECK(screen.take() == "\n");
}

TEST_CASE("on a terminal the status is one line written over, elided to the width it has now") {
  Screen screen;
  LinePrinter printer(screen.terminal(true), screen.clock());
  printer.status("1/10", 0.1);
  CHECK(screen.take() == "\r1/10\x1b[K");
  screen.columns = 8;
  screen.now += 1;
  printer.status("2/10 with a long tail", 0.2);
  CHECK(screen.take() == "\r2/10 w…\x1b[K");
  printer.finish();
  CHECK(screen.take() == "\n");
}

TEST_CASE("what follows a status that was cleared away is shown at once") {
  Screen screen;
  LinePrinter printer(screen.terminal(true), screen.clock());
  printer.status("9/10", 0.9);
  printer.clear();
  screen.take();
  printer.status("1/10", 0.1);
  CHECK(screen.take() == "\r1/10\x1b[K");
}

TEST_CASE("redraws are bounded, and the last status is shown in the end") {
  Screen screen;
  LinePrinter printer(screen.terminal(true), screen.clock());
  printer.status("1/10", 0.1);
  screen.take();
  screen.now += 0.05;
  printer.status("2/10", 0.2);
  CHECK(screen.take().empty());
  printer.finish();
  CHECK(screen.take() == "\r2/10\x1b[K\n");
}

TEST_CASE("messages are broken to the width of the terminal, where lines are written over and where not") {
  Screen screen;
  screen.columns = 16;
  LinePrinter terminal(screen.terminal(true, true), screen.clock());
  terminal.warning("two of three devices", "stop what runs there");
  CHECK(screen.take() == "\x1b[1;33mwarning:\x1b[0m two of\n  three devices\n  stop what runs\n    there\n");
  terminal.line("gone on:\n  tuner run --sizes 512");
  CHECK(screen.take() == "gone on:\n  tuner run --sizes 512\n");
  LinePrinter log(screen.terminal(false), screen.clock());
  log.status("1/2 (50 %) · best 4096", 0.5, {"  cuda:0 is busy now"});
  CHECK(screen.take() == "1/2 (50 %) ·\n  best 4096\n  cuda:0 is busy\n    now\n");
}

TEST_CASE("a warning stands above the status line, which is drawn again below it") {
  Screen screen;
  LinePrinter printer(screen.terminal(true), screen.clock());
  printer.status("1/10", 0.1);
  screen.take();
  printer.warning("another program is busy", "stop it");
  CHECK(screen.take() == "\r\x1b[Kwarning: another program is busy\n  stop it\n\r1/10\x1b[K");
}

TEST_CASE("colour marks the label alone, where it is wanted") {
  Screen screen;
  LinePrinter printer(screen.terminal(true, true), screen.clock());
  printer.warning("broken");
  CHECK(screen.take() == "\x1b[1;33mwarning:\x1b[0m broken\n");
}

TEST_CASE("text from outside brings no escape sequences, but keeps its lines") {
  Screen screen;
  LinePrinter printer(screen.terminal(true), screen.clock());
  printer.line("a\x1b[2Jb\nc\r\n");
  CHECK(screen.take() == "a [2Jb\nc \n");
  printer.status("x\ny\x1b]0;title\x07", 0.5);
  CHECK(screen.take() == "\rx y ]0;title \x1b[K");
}

TEST_CASE("off a terminal the status is whole lines: the first, then by time or progress, and the last") {
  Screen screen;
  LinePrinter printer(screen.terminal(false), screen.clock());
  printer.status("0/100", 0);
  CHECK(screen.take() == "0/100\n");
  screen.now += 1;  // much progress, too soon
  printer.status("50/100", 0.5);
  CHECK(screen.take().empty());
  screen.now += 2;  // a tenth more, and time enough
  printer.status("60/100", 0.6);
  CHECK(screen.take() == "60/100\n");
  screen.now += 20;  // little progress
  printer.status("61/100", 0.61);
  CHECK(screen.take().empty());
  screen.now += 10;  // little progress, but half a minute
  printer.status("62/100", 0.62);
  CHECK(screen.take() == "62/100\n");
  printer.status("100/100", 1);
  printer.finish();
  CHECK(screen.take() == "100/100\n");
  printer.finish();
  CHECK(screen.take().empty());
}

TEST_CASE("nothing off a terminal moves a cursor or changes a colour") {
  Screen screen;
  {
    LinePrinter printer(screen.terminal(false), screen.clock());
    printer.status("1/2", 0.5);
    printer.warning("w", "h");
    printer.status("2/2", 1);
  }
  CHECK(screen.text == "1/2\nwarning: w\n  h\n2/2\n");
}

TEST_CASE("where people want quiet there is no status and no remark, and a warning all the same") {
  Screen screen;
  Terminal terminal = screen.terminal(true);
  terminal.quiet = true;
  LinePrinter printer(terminal, screen.clock());
  CHECK_FALSE(printer.is_interactive());
  printer.status("1/2", 0.5);
  printer.line("a remark");
  printer.finish();
  CHECK(screen.take().empty());
  printer.line("warning: the disk is full");
  printer.warning("the clock is low");
  CHECK(screen.take() == "warning: the disk is full\nwarning: the clock is low\n");
}

TEST_CASE("a link leads to the file, whatever is in its name, and shows the name alone") {
  const std::string link = linked("/tmp/a b%.html");
  CHECK(link.starts_with("\x1b]8;;file://"));
  CHECK(link.ends_with("/tmp/a%20b%25.html\x1b\\/tmp/a b%.html\x1b]8;;\x1b\\"));
}

TEST_CASE("clear leaves no trace of the status") {
  Screen screen;
  LinePrinter printer(screen.terminal(true), screen.clock());
  printer.status("1/2", 0.5);
  screen.take();
  printer.clear();
  CHECK(screen.take() == "\r\x1b[K");
  printer.line("done");
  CHECK(screen.take() == "done\n");
}

TEST_CASE("a pipe is no terminal, and a reader that went away is no error") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const Terminal terminal = open_terminal(ends[1]);
  CHECK_FALSE(terminal.interactive);
  CHECK_FALSE(terminal.colour);
  CHECK(terminal.columns() == 80);
  terminal.write("hello");
  char buffer[8] = {};
  CHECK(read(ends[0], buffer, sizeof buffer) == 5);
  CHECK(std::string(buffer) == "hello");
  close(ends[0]);
  close(ends[1]);
  terminal.write("into a closed descriptor");
}

TEST_CASE("a terminal without colour or without cursor control is respected" *
          doctest::skip(access("/dev/ptmx", R_OK | W_OK) != 0)) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE((master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0));
  const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  REQUIRE(slave >= 0);
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  for (const char* name : {"KONSOLE_VERSION", "WT_SESSION", "TERM_PROGRAM", "VTE_VERSION"}) unsetenv(name);
  CHECK(open_terminal(slave).interactive);
  CHECK(open_terminal(slave).colour);
  setenv("NO_COLOR", "", 1);
  CHECK(open_terminal(slave).colour);
  setenv("NO_COLOR", "1", 1);
  CHECK(open_terminal(slave).interactive);
  CHECK_FALSE(open_terminal(slave).colour);
  setenv("TERM", "dumb", 1);
  CHECK_FALSE(open_terminal(slave).interactive);
  setenv("NO_COLOR", "", 1);
  CHECK(open_terminal(slave, Wish::always).colour);
  setenv("TERM", "vt100", 1);
  CHECK(open_terminal(slave).interactive);
  CHECK_FALSE(open_terminal(slave).colour);
  setenv("TERM", "xterm", 1);
  CHECK(open_terminal(slave, Wish::automatic, Wish::never).colour);
  CHECK_FALSE(open_terminal(slave).links);
  setenv("VTE_VERSION", "6800", 1);
  CHECK(open_terminal(slave).links);
  unsetenv("VTE_VERSION");
  setenv("TERM", "xterm-kitty", 1);
  CHECK(open_terminal(slave).links);
  close(slave);
  close(master);
}

TEST_SUITE_END();
