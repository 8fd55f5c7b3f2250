#include "tuner/worker/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "tuner/model/error.hpp"
#include "tuner/worker/spawn.hpp"

namespace tuner::worker {
namespace {

using std::chrono::milliseconds;

/// Milliseconds for poll(), rounded up so that a wait is never cut short into a busy loop.
int poll_timeout(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

std::string describe_exit(int status) {
  if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  if (!WIFSIGNALED(status)) return fmt::format("wait status {}", status);
  const int signal = WTERMSIG(status);
  const char* name = sigdescr_np(signal);
  return fmt::format("signal {} ({}{})", signal, name ? name : "unknown",
                     signal == SIGKILL ? "; out of memory?" : "");
}

}  // namespace

ChildProcess::ChildProcess(const ChildCommand& command, const FrameLimits& limits)
    : m_limits(limits), m_decoder(limits.max_bytes) {
  Spawned spawned = spawn(command, m_folder.path());
  m_pid = spawned.pid;
  m_socket = std::move(spawned.socket);
  m_pipe = std::move(spawned.output);
}

ChildProcess::~ChildProcess() {
  if (!m_reaped) kill();
}

bool ChildProcess::wait_for(short events, Clock::time_point deadline) {
  for (;;) {
    std::array<pollfd, 2> watched = {pollfd{m_socket.get(), events, 0}, pollfd{m_pipe.get(), POLLIN, 0}};
    const int ready = ::poll(watched.data(), watched.size(), poll_timeout(deadline));
    if (ready < 0 && errno != EINTR) return false;
    if (ready > 0 && watched[1].revents != 0) drain_output();
    if (ready > 0 && watched[0].revents != 0) return true;
    if (Clock::now() >= deadline) return false;
  }
}

void ChildProcess::drain_output() {
  // A bounded number of reads a call: a child that prints without end must not keep us from its socket or
  // deadline.
  std::array<char, 65536> piece;
  for (int i = 0; i < 16 && m_pipe; ++i) {
    const ssize_t got = ::read(m_pipe.get(), piece.data(), piece.size());
    if (got > 0) {
      m_output.add({piece.data(), static_cast<std::size_t>(got)});
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      m_pipe.reset();  // poll() ignores descriptors below 0
    } else {
      return;
    }
  }
}

bool ChildProcess::read_socket() {
  std::array<std::uint8_t, 65536> piece;
  const ssize_t got = ::recv(m_socket.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (got > 0) m_decoder.feed({piece.data(), static_cast<std::size_t>(got)});
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

Sent ChildProcess::send(std::span<const std::uint8_t> payload, Clock::time_point deadline) {
  const Bytes frame = make_frame(payload);
  std::size_t sent = 0;
  while (sent < frame.size()) {
    const ssize_t taken =
        ::send(m_socket.get(), frame.data() + sent, frame.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (taken > 0) {
      sent += static_cast<std::size_t>(taken);
    } else if (errno == EAGAIN || errno == EINTR) {
      if (!wait_for(POLLOUT, deadline)) return DeadlinePassed{};
    } else {
      return ChildGone{};
    }
  }
  return std::monostate{};
}

Received ChildProcess::receive(Clock::time_point deadline) {
  for (;;) {
    if (const auto payload = m_decoder.next()) {
      auto decoded = decode(*payload, m_limits);
      if (auto* message = std::get_if<Message>(&decoded)) return std::move(*message);
      return std::get<ProtocolError>(decoded);
    }
    if (!m_decoder.error().empty()) return ProtocolError{m_decoder.error()};
    if (!wait_for(POLLIN, deadline)) return DeadlinePassed{};
    if (!read_socket()) return ChildGone{};
  }
}

bool ChildProcess::reap(milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  for (milliseconds pause(0);; pause = std::min(pause + milliseconds(1), milliseconds(20))) {
    int status = 0;
    const pid_t reaped = ::waitpid(m_pid, &status, WNOHANG);
    if (reaped == m_pid) m_exit_text = describe_exit(status);
    const bool reaped_by_others = reaped < 0 && errno == ECHILD;  // SIGCHLD is ignored
    if (reaped_by_others) m_exit_text = "how it ended is unknown";
    m_reaped = reaped == m_pid || reaped_by_others;
    if (m_reaped || Clock::now() >= deadline) return m_reaped;
    std::this_thread::sleep_for(pause);
  }
}

bool ChildProcess::kill(milliseconds limit) {
  if (m_reaped) return true;
  // The group before the leader is reaped: until then its number cannot belong to anybody else.
  ::kill(-m_pid, SIGKILL);
  drain_output();
  return reap(limit);
}

bool ChildProcess::collect(milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  m_socket.reset();  // a child that waits for a word from us sees the end
  bool exited = m_reaped;
  while (!exited && Clock::now() < deadline) {
    siginfo_t info{};
    exited = ::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
             info.si_pid != 0;
    if (exited) break;
    drain_output();
    std::this_thread::sleep_for(milliseconds(1));
  }
  const bool gone = kill();
  if (!exited) m_exit_text = "it closed its end without exiting";
  return gone;
}

}  // namespace tuner::worker
