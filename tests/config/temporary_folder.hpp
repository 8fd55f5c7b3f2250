#pragma once
#include <filesystem>
#include <string_view>

#include "tuner/util/files.hpp"

/// A folder of its own for one test, removed with everything in it.
class TemporaryFolder {
 public:
  const std::filesystem::path& path() const { return m_folder.path(); }
  /// Writes a file below the folder, making the folders it needs.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const {
    m_folder.write(name, text);
    return path() / name;
  }

 private:
  tuner::util::TemporaryFolder m_folder;
};
