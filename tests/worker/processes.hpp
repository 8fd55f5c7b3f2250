#pragma once
#include <sys/types.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tuner/worker/remote_workers.hpp"

namespace tuner::test {

inline worker::ChildCommand child(const std::string& mode) {
  return {{mode}, TUNER_WORKER_CHILD};
}

/// Of a runner whose phases take no second.
inline worker::RemoteRunnerSettings hasty() {
  worker::RemoteRunnerSettings settings;
  settings.run_deadline = std::chrono::seconds(1);
  return settings;
}

/// Neither a running child nor a zombie.
inline bool no_child_left() {
  return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

inline int open_descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

/// Running, and not a zombie that nobody in this container reaps.
inline bool alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const std::size_t state = line.rfind(") ");
  return state != std::string::npos && line[state + 2] != 'Z' && line[state + 2] != 'X';
}

template <class Condition>
bool soon(Condition condition, std::chrono::milliseconds limit = std::chrono::seconds(10)) {
  const auto deadline = worker::Clock::now() + limit;
  while (worker::Clock::now() < deadline) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return condition();
}

inline bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tuner::test
