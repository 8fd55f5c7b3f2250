#pragma once
#include <thread>

#include "tuner/util/file_descriptor.hpp"

namespace tuner::worker {

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

}  // namespace tuner::worker
