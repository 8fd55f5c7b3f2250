#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "tuner/capture/request.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"

namespace tuner::cli {
namespace {

std::atomic<pid_t> captured{0};

void hand_on(int signal) {
  if (const pid_t process = captured; process > 0) kill(process, signal);
}

/// While it lives, a terminal's interrupts reach the program alone, and SIGTERM is handed on to it.
class ProgramsSignals {
 public:
  ProgramsSignals() {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    struct sigaction handed {};
    handed.sa_handler = hand_on;
    handed.sa_flags = SA_RESTART;
    sigaction(SIGINT, &ignored, &m_interrupt);
    sigaction(SIGQUIT, &ignored, &m_quit);
    sigaction(SIGTERM, &handed, &m_terminate);
  }
  ProgramsSignals(const ProgramsSignals&) = delete;
  ProgramsSignals& operator=(const ProgramsSignals&) = delete;
  ~ProgramsSignals() {
    sigaction(SIGINT, &m_interrupt, nullptr);
    sigaction(SIGQUIT, &m_quit, nullptr);
    sigaction(SIGTERM, &m_terminate, nullptr);
  }
  /// What the program begins with: as this process did.
  sigset_t defaults() const {
    sigset_t signals;
    sigemptyset(&signals);
    if (m_interrupt.sa_handler != SIG_IGN) sigaddset(&signals, SIGINT);
    if (m_quit.sa_handler != SIG_IGN) sigaddset(&signals, SIGQUIT);
    return signals;
  }

 private:
  struct sigaction m_interrupt {};
  struct sigaction m_quit {};
  struct sigaction m_terminate {};
};

std::vector<std::string> captured_environment(const std::filesystem::path& library,
                                              const std::filesystem::path& folder) {
  std::vector<std::string> environment = util::environment_without({"LD_PRELOAD", capture::folder_variable});
  const std::string others = util::environment_variable("LD_PRELOAD");
  environment.push_back("LD_PRELOAD=" + library.string() + (others.empty() ? "" : ":" + others));
  environment.push_back(fmt::format("{}={}", capture::folder_variable, folder.string()));
  return environment;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ProgramEnd run_captured(const std::vector<std::string>& command, const std::filesystem::path& library,
                        const std::filesystem::path& folder) {
  const std::vector<std::string> environment = captured_environment(library, folder);
  const ProgramsSignals signals;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const sigset_t defaults = signals.defaults();
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  const int error = posix_spawnp(&process, command.front().c_str(), nullptr, &attributes,
                                 pointers_to(command).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw model::Error(fmt::format("{} cannot be started: {}", command.front(), std::strerror(error)));
  captured = process;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  captured = 0;
  ProgramEnd end;
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  return end;
}

}  // namespace tuner::cli
