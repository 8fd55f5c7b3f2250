#pragma once
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "config/settings.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/util/command.hpp"

namespace tuner::cli {

/// What every command works in: how it was called, and what surrounds it.
struct Context {
  std::vector<std::string> arguments;  ///< without argv[0]
  config::Surroundings surroundings;
  std::map<std::string, std::string> flags;  ///< settings given on the command line, by setting name
  bool quiet = false;
  bool pages = false;  ///< the command's answers may be long

  config::Settings settings() const { return config::Settings::load(flags, surroundings); }
  /// `tuner run --sizes 512..4096`, quoted for a shell.
  std::string command_line() const;
  /// The same to type again, behind what the environment sets and a result depends on: `TUNER_L2=cold tuner`…
  std::string command_again() const;
};

/// The project's version, as CMake has it.
const char* version();

/// stderr, or another stream, as the settings `color` and `progress` and --quiet want it.
terminal::Terminal open_terminal(const config::Settings& settings, int descriptor = STDERR_FILENO);

/// Turns SIGINT and SIGTERM into a flag while it lives; the second one ends the process at once, with the
/// exit code of the signal (what is recorded stays recorded: every result was committed when it was made), on
/// a line of its own where stderr is a terminal. A SIGTERM after a SIGTERM asks for nothing new: a batch
/// system sends it to every process of a job, and the job's script hands it on once more.
/// SIGPIPE and SIGHUP are ignored: a closed terminal or pipe must not end a sweep in the middle of a commit.
class SignalGuard {
 public:
  SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard();

  const std::atomic<bool>& stop() const;
  /// Of a process that the signal has ended.
  int exit_code() const;
  /// Called before the second signal ends the process, on a thread of its own while the others go on; a third
  /// signal does not wait for it. It must not throw.
  void set_last_words(std::function<void()> last_words);

 private:
  void watch();

  util::Pipe m_pipe = util::make_pipe();
  std::mutex m_mutex;
  std::function<void()> m_last_words;
  std::thread m_watcher;  ///< last: it uses the above
};

}  // namespace tuner::cli
