#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "tuner/cli/command.hpp"

/// libstdc++ asks glibc 2.36 for this. With one of our own the program starts on glibc 2.35, as Ubuntu 22.04
/// has it.
extern "C" std::uint32_t arc4random() {
  std::uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) std::abort();
  return number;
}

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // what exceeds `ulimit -f` is then a write that fails, and is said
  const int code = tuner::cli::run_command_line(argc, argv);
  tuner::cli::end_output();
  return code;
}
