#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "tuner/capture/files.hpp"
#include "tuner/capture/observer.hpp"
#include "tuner/capture/request.hpp"

// Which processes are captured, and from when on.
namespace tuner::capture {
namespace {

enum class State : int { unknown, passive, followed, running };
std::atomic<State> state{State::unknown};
std::atomic<Observer*> observer{nullptr};
std::atomic<bool> told{false};  ///< that this process was not followed
std::mutex beginning;

/// The capture begins with the process that makes this file, and goes on in whatever that process executes.
bool is_first(const std::string& folder) {
  const std::string path = folder + '/' + first_file;
  const std::string own = std::to_string(getpid());
  return write_text(path, own, O_EXCL) || text_of(path) == own;
}

std::string the_folder() {
  const char* const folder = secure_getenv(folder_variable);
  return folder == nullptr ? "" : folder;
}

void before_fork() {
  beginning.lock();
}
void in_parent() {
  beginning.unlock();
}
/// A child has no part in what its parent has begun. It may begin on its own, unless it already cannot: CUDA
/// does not outlive a fork.
void in_child() {
  beginning.unlock();
  const bool had_begun = observer.exchange(nullptr) != nullptr;
  const std::string folder = the_folder();
  const bool follows = read_request(text_of(folder + '/' + request_file)).children;
  told = false;
  state = follows && !had_begun ? State::followed : State::passive;
}

void decide() {
  if (state != State::unknown) return;
  const std::string folder = the_folder();
  if (folder.empty()) {
    state = State::passive;
    return;
  }
  pthread_atfork(before_fork, in_parent, in_child);
  const bool first = is_first(folder);
  state =
      first || read_request(text_of(folder + '/' + request_file)).children ? State::followed : State::passive;
}

[[gnu::constructor]] void at_load() {
  const std::lock_guard lock(beginning);
  decide();
}

/// A process of a capture that is not followed says that it was there.
void leave_unfollowed(const std::string& folder) {
  if (folder.empty()) return;
  write_text(folder + '/' + unfollowed_prefix + std::to_string(getpid()), "", 0);
}

void at_exit() {
  if (Observer* const running = Observer::running()) running->finish(End::exit);
}

}  // namespace

Observer* Observer::running() {
  return observer.load(std::memory_order_acquire);
}

Observer* Observer::begin() {
  if (Observer* const found = running()) return found;
  if (state == State::passive && told) return nullptr;
  const std::lock_guard lock(beginning);
  if (Observer* const found = running()) return found;
  decide();
  if (state == State::passive) {
    if (!told.exchange(true)) leave_unfollowed(the_folder());
    return nullptr;
  }
  const Inside inside;
  auto* const made = new Observer(the_folder());
  std::string why;
  if (!made->open(why)) {
    // The program goes on. The folder says why nothing was captured.
    write_text(made->m_folder + '/' + failed_prefix + std::to_string(getpid()), why, O_TRUNC);
    state = State::passive;
    told = true;
    return nullptr;
  }
  observer.store(made, std::memory_order_release);
  state = State::running;
  std::atexit(at_exit);
  made->start_timing();
  return made;
}

}  // namespace tuner::capture
