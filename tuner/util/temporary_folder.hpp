#pragma once
#include <filesystem>
#include <string_view>

namespace tuner::util {

/// A folder below the system's temporary one that only this user can enter, removed with the object.
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
};

}  // namespace tuner::util
