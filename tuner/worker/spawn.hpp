#pragma once
#include <sys/types.h>

#include <filesystem>

#include "tuner/worker/child_process.hpp"

namespace tuner::worker {

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

}  // namespace tuner::worker
