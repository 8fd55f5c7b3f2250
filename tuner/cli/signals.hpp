#pragma once
#include <atomic>

namespace tuner::cli {

/// Turns SIGINT and SIGTERM into a flag while it lives; the second one ends the process at once, with the
/// exit code of the signal (what is recorded stays recorded: every result was committed when it was made).
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
