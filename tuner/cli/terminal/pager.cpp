#include "tuner/cli/terminal/pager.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/util/command.hpp"

namespace tuner::cli::terminal {
namespace {

/// Empty: none.
std::string pager_command() {
  const char* const wished = std::getenv("PAGER");
  if (wished == nullptr) return util::find_program("less") ? "less" : "";
  return std::string(wished) == "cat" ? "" : wished;
}

/// Reads `input`, and every signal that we ignore has its default there. -1 where it does not start.
pid_t start(const std::string& command, int input) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGQUIT, SIGPIPE}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string words = command;
  std::array<char, 3> shell{"sh"};
  std::array<char, 3> flag{"-c"};
  const std::array<char*, 4> arguments = {shell.data(), flag.data(), words.data(), nullptr};
  pid_t process = -1;
  const int failure = posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure == 0 ? process : -1;
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
  pager->m_process = start(command, pipe.reading.get());
  if (pager->m_process < 0) return nullptr;
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
