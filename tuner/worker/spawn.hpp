#pragma once
#include <sys/types.h>

#include "tuner/worker/child_process.hpp"

namespace tuner::worker {

struct Spawned {
  pid_t pid = -1;
  util::FileDescriptor socket;  ///< our end
  util::FileDescriptor output;  ///< what the child prints, both streams; reads do not block
};

/// Starts `command` in a process group of its own with default signal handling. It has exactly four
/// descriptors: /dev/null as standard input, one pipe as both outputs, and the socket. Throws model::Error.
Spawned spawn(const ChildCommand& command);

}  // namespace tuner::worker
