#pragma once
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace tuner::test {

/// What a program writes to a terminal of `columns` columns that is its stdin, stdout and stderr, without the
/// carriage returns that a terminal adds. Runs it to its end.
inline std::string shown_on_terminal(const std::vector<std::string>& command, unsigned columns) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return "no terminal";
  winsize size{};
  size.ws_row = 50;
  size.ws_col = static_cast<unsigned short>(columns);
  const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ioctl(other, TIOCSWINSZ, &size);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (const int descriptor : {0, 1, 2}) dup2(other, descriptor);
    close(other);
    execv(words[0], words.data());
    _exit(127);
  }
  close(other);
  std::string out;
  char bytes[4096];
  for (ssize_t got = 0; (got = read(terminal, bytes, sizeof bytes)) > 0;) out.append(bytes, got);
  close(terminal);
  waitpid(child, nullptr, 0);
  std::erase(out, '\r');
  return out;
}

}  // namespace tuner::test
