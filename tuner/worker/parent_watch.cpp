#include "tuner/worker/parent_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tuner/model/error.hpp"
#include "tuner/worker/spawn.hpp"

namespace tuner::worker {
namespace {

/// Time to end by itself for a worker that was idle when the parent closed its end: enough to release a GPU
/// context.
constexpr int grace_ms = 500;

[[noreturn]] void end_group() {
  // Only as the leader of its own group: started by hand from a shell, the group is the shell's job.
  if (::getpgrp() == ::getpid()) {
    std::error_code ignored;  // nobody else is left to remove it
    if (const char* folder = std::getenv(folder_variable)) std::filesystem::remove_all(folder, ignored);
    ::kill(0, SIGKILL);
  }
  ::_exit(EXIT_FAILURE);
}

bool hung_up(int socket) {
  pollfd watched = {socket, POLLRDHUP, 0};
  return ::poll(&watched, 1, 0) > 0 && (watched.revents & (POLLHUP | POLLERR | POLLNVAL | POLLRDHUP)) != 0;
}

void watch(int socket, int stop) {
  for (;;) {
    std::array<pollfd, 2> watched = {pollfd{socket, POLLRDHUP, 0}, pollfd{stop, POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
    if (watched[1].revents != 0) return;
    if (watched[0].revents == 0) continue;
    if (::poll(&watched[1], 1, grace_ms) > 0) return;
    end_group();
  }
}

}  // namespace

ParentWatch::ParentWatch(int socket) : m_stop(::eventfd(0, EFD_CLOEXEC)) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (hung_up(socket)) end_group();  // the parent died before the line above
  if (!m_stop) throw model::Error(fmt::format("a worker cannot watch its parent: {}", std::strerror(errno)));
  for (const int ours_to_ignore : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(ours_to_ignore, SIG_IGN);
  const rlimit no_core = {0, 0};  // a crash of a process with a GPU context would write gigabytes
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  m_thread = std::thread(watch, socket, m_stop.get());
  ::prctl(PR_SET_PDEATHSIG, 0);
}

ParentWatch::~ParentWatch() {
  const std::uint64_t one = 1;
  if (::write(m_stop.get(), &one, sizeof one) == sizeof one)
    m_thread.join();
  else
    m_thread.detach();
}

}  // namespace tuner::worker
