#include "tuner/util/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>

#include "tuner/model/error.hpp"

namespace tuner::util {
namespace {

constexpr std::string_view prefix = "tuner-held-";

/// The folder open and locked; nothing where it is held by somebody, or cannot be locked.
FileDescriptor locked(const std::filesystem::path& folder) {
  FileDescriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (descriptor && flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return descriptor;
}

}  // namespace

void remove_abandoned_folders(const std::filesystem::path& root) {
  constexpr std::time_t a_minute = 60;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    if (!path.filename().string().starts_with(prefix)) continue;
    struct stat found {};
    const bool is_ours = lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
                         found.st_uid == geteuid() && std::time(nullptr) - found.st_mtime >= a_minute;
    if (!is_ours) continue;
    const FileDescriptor lock = locked(path);
    std::error_code ignored;
    if (lock) std::filesystem::remove_all(path, ignored);
  }
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::filesystem::path root = std::filesystem::temp_directory_path(error);
  if (error) root = "/tmp";
  static std::once_flag looked;
  std::call_once(looked, remove_abandoned_folders, root);
  std::string name = (root / prefix).string() + "XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw model::Error(
        fmt::format("cannot make a temporary folder in {}: {}", root.string(), std::strerror(errno)),
        "set TMPDIR to a folder that can be written");
  }
  m_path = name;
  m_lock = locked(m_path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(m_path, ignored);
}

void TemporaryFolder::write(const std::filesystem::path& relative, std::string_view text) const {
  const std::filesystem::path path = m_path / relative;
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw model::Error(fmt::format("cannot write {}", path.string()), "is the disk full?");
}

}  // namespace tuner::util
