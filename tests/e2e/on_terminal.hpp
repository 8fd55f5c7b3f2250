#pragma once
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace tuner::test {

/// A program on a terminal of its own; `terminal` is below 0 where there is none.
struct OnTerminal {
  OnTerminal(const std::vector<std::string>& command, unsigned columns,
             const std::map<std::string, std::string>& variables)
      : terminal(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return;
    winsize size{};
    size.ws_row = 50;
    size.ws_col = static_cast<unsigned short>(columns);
    const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    ioctl(other, TIOCSWINSZ, &size);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    int alive[2];
    if (pipe2(alive, O_CLOEXEC) != 0) return;
    child = fork();
    if (child == 0) {
      setsid();
      ioctl(other, TIOCSCTTY, 0);
      const pid_t program = fork();
      if (program == 0) {
        for (const int descriptor : {0, 1, 2}) dup2(other, descriptor);
        for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
        close(other);
        execv(words[0], words.data());
        _exit(127);
      }
      outlive(program, alive[0]);
    }
    close(other);
    close(alive[0]);
    m_alive = alive[1];
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;
  ~OnTerminal() {
    if (terminal >= 0) close(terminal);
    if (m_alive >= 0) close(m_alive);
    if (child > 0) waitpid(child, nullptr, 0);
  }
  void type(const std::string& keys) const { static_cast<void>(!write(terminal, keys.data(), keys.size())); }

  int terminal;
  pid_t child = 0;  ///< that leads the session; 0: none was started

 private:
  /// When the leader of a session ends, its terminal drops what nobody has read yet. So that is not the
  /// program, but a process that holds nothing of the terminal and ends with the test's end of `alive`.
  [[noreturn]] static void outlive(pid_t program, int alive) {
    for (const int signal_number : {SIGINT, SIGQUIT, SIGTSTP, SIGHUP}) signal(signal_number, SIG_IGN);
    for (int descriptor = 0; descriptor < 256; ++descriptor)
      if (descriptor != alive) close(descriptor);
    waitpid(program, nullptr, 0);
    char byte = 0;
    while (read(alive, &byte, 1) > 0) {
    }
    _exit(0);
  }

  int m_alive = -1;
};

/// What a program writes to a terminal of `columns` columns that is its stdin, stdout and stderr, without the
/// carriage returns that a terminal adds. Runs it to its end, after `typed` was typed. `variables` are set
/// beside the test's own.
inline std::string shown_on_terminal(const std::vector<std::string>& command, unsigned columns,
                                     const std::map<std::string, std::string>& variables = {{"NO_COLOR", "1"},
                                                                                            {"PAGER", "cat"}},
                                     const std::string& typed = "") {
  const OnTerminal program(command, columns, variables);
  if (program.child <= 0) return "no terminal";
  program.type(typed);
  std::string out;
  char bytes[4096];
  for (ssize_t got = 0; (got = read(program.terminal, bytes, sizeof bytes)) > 0;) out.append(bytes, got);
  std::erase(out, '\r');
  return out;
}

/// The line that an interactive shell has after `typed` and the tab key, as it would run it: it is made
/// an argument of `echo` and read from what the shell prints. Empty where nothing comes.
inline std::string completed_line(const std::vector<std::string>& shell, const std::string& beginning,
                                  const std::string& typed,
                                  const std::map<std::string, std::string>& variables) {
  const OnTerminal program(shell, 200, variables);
  if (program.child <= 0) return "no terminal";
  std::string out;
  const auto until = [&](const std::string& mark) {
    const std::size_t before = out.size();
    for (int i = 0;
         i < 200 && out.find(mark, before > mark.size() ? before - mark.size() : 0) == std::string::npos;
         ++i) {
      pollfd ready{program.terminal, POLLIN, 0};
      if (poll(&ready, 1, 100) <= 0) continue;
      char bytes[4096];
      const ssize_t got = read(program.terminal, bytes, sizeof bytes);
      if (got <= 0) return;
      out.append(bytes, static_cast<std::size_t>(got));
    }
  };
  // The marks are put together by the shell, so that their echo is none.
  program.type(beginning + "echo RE''ADY\n");
  until("READY");
  program.type(typed + "\t");
  // Whoever completes reads no keys meanwhile; what follows waits in the terminal.
  program.type(std::string("\x01") + "echo LI''NE: " + "\x05" + " E''ND\n");
  until("END");
  kill(program.child, SIGKILL);
  const std::size_t begin = out.rfind("LINE: ");
  if (begin == std::string::npos) return "";
  return out.substr(begin + 6, out.find(" END", begin) - begin - 6);
}

}  // namespace tuner::test
