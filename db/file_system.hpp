#pragma once
#include <filesystem>
#include <optional>
#include <string_view>

namespace db {

/// A file system of which several machines, or programs in user space, may have a share.
struct SharedFileSystem {
  std::string_view name;  ///< as people call it: NFS
  /// Known for locks that fail, are not everybody's, or end with a connection: databases written there were
  /// lost. Where it is false, locks hold as far as is known, but processes cannot share memory.
  bool breaks_locks = false;
};

/// By the magic number that statfs(2) gives; absent for what is local.
std::optional<SharedFileSystem> shared_file_system(long magic);
/// Of the file or folder at `path`, of which only the nearest folder above it need exist.
std::optional<SharedFileSystem> shared_file_system_of(const std::filesystem::path& path);

}  // namespace db
