#pragma once
#include <filesystem>
#include <string_view>

#include "tuner/util/file_descriptor.hpp"

namespace tuner::util {

/// A folder below the system's temporary one that only this user can enter, removed with the object. What a
/// process that was killed has left behind, the first folder of a later process removes: a folder in use is
/// locked by whoever made it, and the kernel ends that lock with the process.
class TemporaryFolder {
 public:
  /// Throws model::Error.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return m_path; }
  /// Writes a file below it, making the folders on the way. Throws model::Error.
  void write(const std::filesystem::path& relative, std::string_view text) const;

 private:
  std::filesystem::path m_path;
  FileDescriptor m_lock;  ///< on the folder itself
};

/// Removes this user's folders in `root` that nobody holds any more. None where another process looks for
/// them just now, nor any that is younger than a minute, since its maker may not have locked it yet.
void remove_abandoned_folders(const std::filesystem::path& root);

}  // namespace tuner::util
