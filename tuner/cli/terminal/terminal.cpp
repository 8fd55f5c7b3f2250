#include "tuner/cli/terminal/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>

#include "tuner/util/text.hpp"

namespace tuner::cli::terminal {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return;  // the reader is gone or slow: progress is not worth dying or waiting for
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::size_t columns_of(int descriptor) {
  winsize size{};
  int result = 0;
  do {
    result = ioctl(descriptor, TIOCGWINSZ, &size);
  } while (result == -1 && errno == EINTR);  // SIGWINCH itself may interrupt it
  // A serial line or an odd emulator says 0.
  if (result == 0 && size.ws_col > 0) return size.ws_col;
  const auto wished = util::parse_number<std::size_t>(environment("COLUMNS"));
  return wished && *wished > 0 ? *wished : 80;
}

Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
}

Terminal open_terminal(int descriptor, Wish colour, Wish interactive) {
  const auto granted = [](Wish wish, bool otherwise) {
    return wish == Wish::automatic ? otherwise : wish == Wish::always;
  };
  Terminal terminal;
  terminal.interactive = granted(interactive, isatty(descriptor) == 1 && environment("TERM") != "dumb");
  terminal.colour = granted(colour, terminal.interactive && environment("NO_COLOR").empty());
  terminal.columns = [descriptor] { return columns_of(descriptor); };
  terminal.write = [descriptor](std::string_view text) { write_all(descriptor, text); };
  return terminal;
}

}  // namespace tuner::cli::terminal
