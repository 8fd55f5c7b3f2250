#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace bench {

/// A home folder with nothing in it, for programs to run in; gone with its contents when this is.
class EmptyHome {
 public:
  EmptyHome();
  EmptyHome(const EmptyHome&) = delete;
  EmptyHome& operator=(const EmptyHome&) = delete;
  ~EmptyHome();

  const std::filesystem::path& path() const { return m_path; }
  /// Seconds that the command took, the program's path first: no database, no settings, and no cache, neither
  /// the tuner's nor NVRTC's nor the driver's. Throws std::runtime_error with what it printed where it fails.
  double run(std::vector<std::string> command) const;
  /// What the last command wrote to standard error.
  std::string err() const;

 private:
  std::filesystem::path m_path;
};

}  // namespace bench
