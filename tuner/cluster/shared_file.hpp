#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tuner/util/files.hpp"

namespace tuner::cluster {

/// Which contents a file had when it was looked at: another writer replaces the file, so another inode, size
/// or time of the file server tells. Times are compared for being the same, never for being later.
struct FileMark {
  ino_t inode = 0;  ///< 0: there was no file
  off_t bytes = 0;
  std::int64_t modified_ns = 0;

  bool operator==(const FileMark&) const = default;
};

/// Opens the file to look at it: network file systems ask the server for what is opened, and only then.
/// Throws model::Error where it is there and cannot be opened.
FileMark mark_of(const std::filesystem::path& path);

// Both replace `target` in one step. Readers see either the old contents or the new ones, also after a power
// cut. The new file lies beside it meanwhile under a name with host and process. Throw model::Error with the
// target and the reason; then `target` is as it was, and nothing lies beside it.

/// Returns the mark of what is there now.
FileMark replace_by_copy(const std::filesystem::path& target, const std::filesystem::path& source);
void replace_by_text(const std::filesystem::path& target, std::string_view text);

/// Removes what killed writers of `target` left beside it. No other process may be writing it.
void remove_leftovers(const std::filesystem::path& target);

/// Keeps two publishers of one file apart, between machines too as far as the shared file system has locks;
/// where it has none, there is no lock and no error. The lock is on a file beside it, which stays, and dies
/// with its holder.
class PublishLock {
 public:
  /// Throws model::Error where another process still has it after `patience`, and where the lock's file
  /// cannot be made.
  PublishLock(const std::filesystem::path& published, std::chrono::milliseconds patience);

 private:
  util::FileDescriptor m_file;
};

}  // namespace tuner::cluster
