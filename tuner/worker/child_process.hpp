#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/worker/message.hpp"

namespace tuner::worker {

/// The end of what a child printed; the rest is dropped and counted, so that a flood costs no memory.
class OutputTail {
 public:
  explicit OutputTail(std::size_t keep_bytes = 16384) : m_keep(keep_bytes) {}

  void add(std::string_view text);
  /// All that was printed since the last clear().
  std::int64_t printed_bytes() const { return m_printed; }
  /// Its end, at most keep_bytes, led by `[…]` where something is missing.
  std::string text() const;
  void clear();

 private:
  std::size_t m_keep;
  std::string m_tail;
  std::int64_t m_printed = 0;
};

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
  MessageStream m_messages;
  OutputTail m_output;
  pid_t m_pid = -1;
  bool m_reaped = false;
  std::string m_exit_text;
};

struct Spawned {
  pid_t pid = -1;
  util::FileDescriptor socket;  ///< our end
  util::FileDescriptor output;  ///< what the child prints, both streams; reads do not block
};

/// Where a child's temporary folder is named to it, besides TMPDIR.
inline constexpr const char* folder_variable = "TUNER_WORKER_FOLDER";

/// Starts `command` in a process group of its own with default signal handling, `folder` its temporary
/// folder. It has exactly four
/// descriptors: /dev/null as standard input, one pipe as both outputs, and the socket. Throws model::Error.
Spawned spawn(const ChildCommand& command, const std::filesystem::path& folder);

struct WorkerSettings {
  std::chrono::milliseconds start_deadline =
      std::chrono::seconds(30);  ///< until the child says that it is ready
  int start_attempts = 3;
  FrameLimits limits;
  std::function<void(const std::string&)>
      log;  ///< one line an event, such as a start and its milliseconds; may be null
};

/// The place of one child: empty until start(), empty again after the child was lost.
class WorkerSlot {
 public:
  /// `what` is how messages call the child: `compile worker`, `measuring worker`.
  WorkerSlot(std::string what, ChildCommand command, WorkerSettings settings);

  bool occupied() const { return m_child != nullptr; }
  /// The child; only while occupied.
  ChildProcess& child() { return *m_child; }
  /// Starts a child and returns its first message. Throws model::Error with what it printed when it fails
  /// `start_attempts` times in a row, and at once with the child's own error when the first child ever
  /// reports one.
  Message start();
  /// The same of a child whose first message is a `Ready`; any other is an error.
  template <class Ready>
  Ready start_as() {
    const Message first = start();
    if (const auto* ready = std::get_if<Ready>(&first)) return *ready;
    discard();
    throw model::Error("the " + m_what + " started with an unexpected message");
  }
  /// Discards a child that says it cannot go on, and throws what it says.
  [[noreturn]] void give_up(const Failure& failure);
  /// Kills the child's group and empties the slot. Throws model::Error where the child cannot be killed.
  void discard();
  /// Like discard() for a child that is gone or talks nonsense: lets it die its own way first.
  /// Returns how it ended, and the end of what it printed.
  std::string collect();
  int starts() const { return m_starts; }

 private:
  /// One try: the child's first message, or why there is none.
  std::variant<Message, std::string> attempt();
  void log(const std::string& line) const;

  std::string m_what;
  ChildCommand m_command;
  WorkerSettings m_settings;
  std::unique_ptr<ChildProcess> m_child;
  int m_starts = 0;
};

}  // namespace tuner::worker
