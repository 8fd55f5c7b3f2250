#include "tuner/cli/signals.hpp"

#include <unistd.h>

#include <csignal>

namespace tuner::cli {
namespace {

// A signal handler can reach nothing but objects of static storage; SignalGuard is the only user.
std::atomic<bool> stop_requested{false};
std::atomic<int> last_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int signal) {
  const bool again = stop_requested.exchange(true);
  const bool same_request = signal == SIGTERM && last_signal == SIGTERM;
  if (again && !same_request) _exit(128 + signal);
  last_signal = signal;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

SignalGuard::SignalGuard() {
  stop_requested = false;
  last_signal = 0;
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  handle(SIGHUP, SIG_IGN);
  handle(SIGPIPE, SIG_IGN);
}

SignalGuard::~SignalGuard() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& SignalGuard::stop() const {
  return stop_requested;
}

int SignalGuard::signal() const {
  return last_signal;
}

}  // namespace tuner::cli
