#include "tuner/worker/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "tuner/model/error.hpp"

namespace tuner::worker {

void OutputTail::add(std::string_view text) {
  m_printed += static_cast<std::int64_t>(text.size());
  if (text.size() >= m_keep) {
    m_tail = text.substr(text.size() - m_keep);
    return;
  }
  m_tail += text;
  // Cut back only at twice the size, so that many small pieces do not each move the whole tail.
  if (m_tail.size() > 2 * m_keep) m_tail.erase(0, m_tail.size() - m_keep);
}

std::string OutputTail::text() const {
  const std::size_t kept = m_tail.size() < m_keep ? m_tail.size() : m_keep;
  std::string text = m_tail.substr(m_tail.size() - kept);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return static_cast<std::int64_t>(kept) < m_printed ? "[…]" + text : text;
}

void OutputTail::clear() {
  m_tail.clear();
  m_printed = 0;
}

}  // namespace tuner::worker

extern char** environ;

namespace tuner::worker {
namespace {

void check(int error, const char* what) {
  if (error != 0) {
    throw model::Error(fmt::format("cannot start a worker process: {}: {}", what, std::strerror(error)),
                       "see the limits of open files and processes (ulimit -n, ulimit -u)");
  }
}

/// posix_spawn's two arguments, freed with the object.
class SpawnPlan {
 public:
  SpawnPlan(int socket, int output) {
    check(::posix_spawnattr_init(&m_attributes), "posix_spawnattr_init");
    check(::posix_spawn_file_actions_init(&m_actions), "posix_spawn_file_actions_init");
    set_attributes();
    add_actions(socket, output);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&m_actions);
    ::posix_spawnattr_destroy(&m_attributes);
  }

  pid_t run(const ChildCommand& command, const std::vector<std::string>& environment) const {
    std::vector<char*> argv = {const_cast<char*>("tuner")};
    for (const std::string& argument : command.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> variables;
    for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
    variables.push_back(nullptr);
    pid_t pid = -1;
    check(::posix_spawn(&pid, command.program.c_str(), &m_actions, &m_attributes, argv.data(),
                        variables.data()),
          command.program.c_str());
    return pid;
  }

 private:
  void set_attributes() {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    check(::posix_spawnattr_setsigmask(&m_attributes, &none), "posix_spawnattr_setsigmask");
    check(::posix_spawnattr_setsigdefault(&m_attributes, &all), "posix_spawnattr_setsigdefault");
    check(::posix_spawnattr_setpgroup(&m_attributes, 0), "posix_spawnattr_setpgroup");
    const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    check(::posix_spawnattr_setflags(&m_attributes, flags), "posix_spawnattr_setflags");
  }

  void add_actions(int socket, int output) {
    // The pipe first and the socket last: a source may itself be one of the numbers 0 to 3, and spawn() keeps
    // both above them.
    check(::posix_spawn_file_actions_addopen(&m_actions, 0, "/dev/null", O_RDONLY, 0), "/dev/null");
    check(::posix_spawn_file_actions_adddup2(&m_actions, output, 1), "stdout");
    check(::posix_spawn_file_actions_adddup2(&m_actions, output, 2), "stderr");
    check(::posix_spawn_file_actions_adddup2(&m_actions, socket, child_socket), "socket");
    check(::posix_spawn_file_actions_addclosefrom_np(&m_actions, child_socket + 1), "closefrom");
  }

  posix_spawnattr_t m_attributes;
  posix_spawn_file_actions_t m_actions;
};

/// `fd` under a number beyond those that the child's descriptors get, so that no dup2 overwrites a later
/// source.
util::FileDescriptor out_of_the_way(util::FileDescriptor fd) {
  if (fd.get() > child_socket) return fd;
  util::FileDescriptor moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, child_socket + 1));
  if (!moved) check(errno, "fcntl");
  return moved;
}

std::vector<std::string> environment_with(const std::filesystem::path& folder) {
  const std::string temporary = "TMPDIR=";
  const std::string ours = fmt::format("{}=", folder_variable);
  std::vector<std::string> variables = {temporary + folder.string(), ours + folder.string()};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with(temporary) && !text.starts_with(ours)) variables.emplace_back(text);
  }
  return variables;
}

}  // namespace

Spawned spawn(const ChildCommand& command, const std::filesystem::path& folder) {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) check(errno, "socketpair");
  util::FileDescriptor ours(ends[0]);
  const util::FileDescriptor theirs = out_of_the_way(util::FileDescriptor(ends[1]));
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) check(errno, "pipe");
  util::FileDescriptor output(ends[0]);
  const util::FileDescriptor printing = out_of_the_way(util::FileDescriptor(ends[1]));
  if (::fcntl(output.get(), F_SETFL, O_NONBLOCK) != 0) check(errno, "fcntl");

  const SpawnPlan plan(theirs.get(), printing.get());
  const pid_t pid = plan.run(command, environment_with(folder));
  return {pid, std::move(ours), std::move(output)};
}

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

ChildProcess::ChildProcess(const ChildCommand& command, const FrameLimits& limits) : m_messages(limits) {
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
  if (got > 0) m_messages.feed({piece.data(), static_cast<std::size_t>(got)});
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
    if (auto next = m_messages.next())
      return std::visit([](auto&& told) { return Received(std::move(told)); }, std::move(*next));
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
