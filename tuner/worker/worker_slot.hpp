#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "tuner/model/error.hpp"
#include "tuner/worker/child_process.hpp"

namespace tuner::worker {

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
