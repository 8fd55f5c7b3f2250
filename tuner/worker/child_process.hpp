#pragma once
#include <sys/types.h>

#include <chrono>
#include <deque>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tuner/util/file_descriptor.hpp"
#include "tuner/util/temporary_folder.hpp"
#include "tuner/worker/message.hpp"
#include "tuner/worker/output_tail.hpp"

namespace tuner::worker {

using Clock = std::chrono::steady_clock;

/// The program a worker runs, normally this one. The child finds its end of the socket as descriptor
/// child_socket; arguments that say so are the caller's to write ("--fd", "3").
struct ChildCommand {
  std::vector<std::string> arguments;  ///< without argv[0]
  std::string program = "/proc/self/exe";
};

/// Where a child finds its socket.
inline constexpr int child_socket = 3;

/// The deadline passed.
struct DeadlinePassed {};
/// The child closed its end or died; exit_text() says how.
struct ChildGone {};

using Received = std::variant<Message, ProtocolError, ChildGone, DeadlinePassed>;
using Sent = std::variant<std::monostate, ChildGone, DeadlinePassed>;

/// One child in a process group of its own, with a socket to talk over. Its standard input is empty; what it
/// prints is kept in a bounded tail. Killed with its group and reaped when the object goes, and with it its
/// temporary folder, whatever the child and its own children left there. One thread at a
/// time, any thread: the child's end watches the socket, not the thread that started it (see ParentWatch).
class ChildProcess {
 public:
  /// Throws model::Error when it cannot be started at all.
  explicit ChildProcess(const ChildCommand& command, const FrameLimits& limits = {});
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  pid_t pid() const { return m_pid; }
  /// Sends one frame, draining what the child prints meanwhile.
  Sent send(std::span<const std::uint8_t> payload, Clock::time_point deadline);
  /// The next message. After ProtocolError or ChildGone nothing more can come.
  Received receive(Clock::time_point deadline);

  /// Kills the group and reaps the child. Returns false when it does not die within the limit (a driver that
  /// is stuck in the kernel); it is then left behind.
  bool kill(std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// Waits for a child that closed its end to exit by itself, so that its own way of dying is known, then
  /// kills what is left of its group. Returns as kill().
  bool collect(std::chrono::milliseconds patience = std::chrono::seconds(2));
  /// `exit code 3`, `signal 11 (Segmentation fault)`; empty until reaped.
  const std::string& exit_text() const { return m_exit_text; }
  /// What it printed up to now.
  OutputTail& output() {
    drain_output();
    return m_output;
  }

 private:
  /// Waits until the socket is ready for `events` or the deadline passes; keeps what the child prints.
  bool wait_for(short events, Clock::time_point deadline);
  void drain_output();
  /// Reads what the socket has; false at its end.
  bool read_socket();
  bool reap(std::chrono::milliseconds limit);

  util::TemporaryFolder m_folder;  ///< removed when all of the child's group are gone
  util::FileDescriptor m_socket;
  util::FileDescriptor m_pipe;
  FrameLimits m_limits;
  FrameDecoder m_decoder;
  OutputTail m_output;
  pid_t m_pid = -1;
  bool m_reaped = false;
  std::string m_exit_text;
};

}  // namespace tuner::worker
