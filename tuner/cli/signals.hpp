#pragma once
#include <atomic>

namespace tuner::cli {

/// Turns SIGINT and SIGTERM into a flag while it lives; the second one ends the process at once, with the
/// exit code of the signal (what is recorded stays recorded: every result was committed when it was made). A
/// SIGTERM after a SIGTERM asks for nothing new: a batch system sends it to every process of a job, and the
/// job's script hands it on once more.
/// SIGPIPE and SIGHUP are ignored: a closed terminal or pipe must not end a sweep in the middle of a commit.
class SignalGuard {
 public:
  SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard();

  const std::atomic<bool>& stop() const;
  /// The signal that came, or 0.
  int signal() const;
};

}  // namespace tuner::cli
