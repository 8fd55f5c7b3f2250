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
#include <system_error>
#include <thread>

#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"

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
  const std::size_t kept = std::min(m_tail.size(), m_keep);
  std::string text = m_tail.substr(m_tail.size() - kept);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return static_cast<std::int64_t>(kept) < m_printed ? "[…]" + text : text;
}

void OutputTail::clear() {
  m_tail.clear();
  m_printed = 0;
}

namespace {

using std::chrono::milliseconds;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// `fd` under a number beyond those that the child's descriptors get, so that no dup2 overwrites a later
/// source.
util::FileDescriptor out_of_the_way(util::FileDescriptor fd) {
  if (fd.get() > child_socket) return fd;
  util::FileDescriptor moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, child_socket + 1));
  if (!moved) fail("fcntl");
  return moved;
}

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

Spawned spawn(const ChildCommand& command, const std::filesystem::path& folder) try {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair");
  util::FileDescriptor ours(ends[0]);
  const util::FileDescriptor theirs = out_of_the_way(util::FileDescriptor(ends[1]));
  util::Pipe pipe = util::make_pipe();
  const util::FileDescriptor printing = out_of_the_way(std::move(pipe.writing));
  if (::fcntl(pipe.reading.get(), F_SETFL, O_NONBLOCK) != 0) fail("fcntl");

  util::Program program{command.program, {"tuner"}, util::environment_without({"TMPDIR", folder_variable})};
  program.arguments.insert(program.arguments.end(), command.arguments.begin(), command.arguments.end());
  program.environment.push_back("TMPDIR=" + folder.string());
  program.environment.push_back(fmt::format("{}={}", folder_variable, folder.string()));
  program.descriptors = {printing.get(), printing.get(), theirs.get()};
  program.isolated = true;
  return {util::spawn(program), std::move(ours), std::move(pipe.reading)};
} catch (const std::system_error& error) {
  throw model::Error(fmt::format("cannot start a worker process: {}", error.what()),
                     "see the limits of open files and processes (ulimit -n, ulimit -u)");
}

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

namespace {

using std::chrono::milliseconds;

/// `: it printed "…"`, or nothing.
std::string quote_output(OutputTail& output) {
  const std::string text = output.text();
  return text.empty() ? "" : fmt::format("; it printed:\n{}", text);
}

}  // namespace

WorkerSlot::WorkerSlot(std::string what, ChildCommand command, WorkerSettings settings)
    : m_what(std::move(what)), m_command(std::move(command)), m_settings(std::move(settings)) {}

void WorkerSlot::log(const std::string& line) const {
  if (m_settings.log) m_settings.log(line);
}

std::variant<Message, std::string> WorkerSlot::attempt() {
  const auto begin = Clock::now();
  m_child = std::make_unique<ChildProcess>(m_command, m_settings.limits);
  Received received = m_child->receive(begin + m_settings.start_deadline);
  if (auto* message = std::get_if<Message>(&received)) {
    const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - begin).count();
    log(fmt::format("{} {} ready after {} ms", m_what, m_child->pid(), took));
    return std::move(*message);
  }
  if (std::holds_alternative<DeadlinePassed>(received)) {
    std::string why = fmt::format("not ready after {} s{}",
                                  std::chrono::duration<double>(m_settings.start_deadline).count(),
                                  quote_output(m_child->output()));
    discard();
    return why;
  }
  const auto* nonsense = std::get_if<ProtocolError>(&received);
  std::string why = nonsense ? nonsense->message + "; " : "";
  return why + collect();
}

Message WorkerSlot::start() {
  std::string why;
  for (int i = 0; i < m_settings.start_attempts; ++i) {
    // A driver that has just lost a context may need a moment.
    if (i > 0) std::this_thread::sleep_for(milliseconds(100 * i));
    auto result = attempt();
    if (auto* message = std::get_if<Message>(&result)) {
      const auto* failure = std::get_if<Failure>(message);
      if (!failure) {
        ++m_starts;
        return std::move(*message);
      }
      const model::Error error(failure->message, failure->hint, failure->code);
      collect();
      if (m_starts == 0 || i + 1 == m_settings.start_attempts) throw error;
      why = error.what();
    } else {
      why = std::get<std::string>(result);
    }
    log(fmt::format("{} failed to start: {}", m_what, why));
  }
  throw model::Error(
      fmt::format("the {} did not start in {} attempts: {}", m_what, m_settings.start_attempts, why));
}

void WorkerSlot::discard() {
  if (!m_child) return;
  const std::unique_ptr<ChildProcess> child = std::move(m_child);
  if (!child->kill()) {
    throw model::Error(
        fmt::format("the {} (process {}) cannot be killed: it is stuck in the kernel, most likely in the "
                    "GPU's driver",
                    m_what, child->pid()),
        "reset the GPU (nvidia-smi --gpu-reset) or reboot, then run the same command to resume");
  }
}

void WorkerSlot::give_up(const Failure& failure) {
  discard();
  throw model::Error(failure.message, failure.hint, failure.code);
}

std::string WorkerSlot::collect() {
  m_child->collect();
  std::string how = m_child->exit_text() + quote_output(m_child->output());
  discard();
  return how;
}

}  // namespace tuner::worker
