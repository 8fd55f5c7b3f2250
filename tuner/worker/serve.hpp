#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/util/files.hpp"
#include "tuner/worker/message.hpp"

namespace tuner::worker {

/// A worker's end of the socket: simple blocking calls, since the parent does the watching.
class ChildLink {
 public:
  ChildLink(int fd, const FrameLimits& limits) : m_fd(fd), m_messages(limits) {}

  /// False when the parent is gone.
  bool send(const Message& message) const;
  /// The next message; absent when the parent closed its end, or with error() set when it sent nonsense.
  std::optional<Message> receive();
  const std::string& error() const { return m_error; }

 private:
  int m_fd;
  MessageStream m_messages;
  std::string m_error;
};

/// Ties a worker's life to its parent's, from inside the worker: when the parent's end of the socket closes
/// (the kernel closes it however the parent dies) and the worker has not ended by itself shortly after, its
/// whole process group is killed, a compiler's children included. A hung kernel cannot prevent it, since a
/// thread of its own watches. PR_SET_PDEATHSIG covers the time before that thread runs; it is then switched
/// off, because it would fire at the end of the *thread* that spawned the worker. Also leaves SIGINT, SIGTERM
/// and SIGHUP to the parent, and writes no core files.
class ParentWatch {
 public:
  explicit ParentWatch(int socket);
  ParentWatch(const ParentWatch&) = delete;
  ParentWatch& operator=(const ParentWatch&) = delete;
  ~ParentWatch();

 private:
  util::FileDescriptor m_stop;  ///< eventfd that ends the thread
  std::thread m_thread;
};

/// The whole life of a compile worker: call it first thing in the child, with the descriptor it was given,
/// and return what it returns from main. It ties the process to its parent (ParentWatch), makes the compiler,
/// says that it is ready and serves until the parent closes its end. A model::Error from `make` or from the
/// compiler is told to the parent, who throws it.
int serve_compiler(int fd, const std::function<std::unique_ptr<compile::Compiler>()>& make,
                   const FrameLimits& limits = {});

/// The same for a measuring worker. After an outcome with device_lost, or an exception from the runner, the
/// process ends; the parent starts another.
int serve_runner(int fd, const std::function<std::unique_ptr<model::TrialRunner>()>& make,
                 const FrameLimits& limits = {});

}  // namespace tuner::worker
