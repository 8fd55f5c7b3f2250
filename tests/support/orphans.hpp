#pragma once
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace tuner::test {

/// Makes the children of a child that dies this process's own, so that it sees whether they end.
inline void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/// Whether every child, adopted ones included, has ended before long.
inline bool every_child_ends(std::chrono::seconds limit = std::chrono::seconds(10)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno == ECHILD) return true;
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace tuner::test
