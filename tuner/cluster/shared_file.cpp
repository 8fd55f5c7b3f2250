#include "tuner/cluster/shared_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"

namespace tuner::cluster {
namespace {

namespace fs = std::filesystem;
using util::FileDescriptor;

constexpr const char* leftover_mark = ".new-";

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw model::Error(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

FileDescriptor open_file(const fs::path& path, int flags) {
  return FileDescriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666));
}

FileMark mark_of_open(int file, const fs::path& path) {
  struct stat status {};
  if (::fstat(file, &status) != 0) fail(path, "cannot be looked at");
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

void write_all(int file, std::string_view text, const fs::path& path) {
  if (!util::write_all(file, text)) fail(path, "cannot be written");
}

void copy_all(int from, int to, const fs::path& source, const fs::path& path) {
  std::vector<char> piece(std::size_t{1} << 20U);
  for (;;) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got == 0) return;
    if (got < 0 && errno != EINTR) fail(source, "cannot be read");
    if (got > 0) write_all(to, {piece.data(), static_cast<std::size_t>(got)}, path);
  }
}

std::string own_suffix() {
  return fmt::format("{}{}-{}", leftover_mark, util::host_name(), ::getpid());
}

/// Not every file system can be asked to keep a folder's entries; what is renamed is whole either way.
void keep_entry(const fs::path& target) {
  const FileDescriptor folder =
      open_file(target.has_parent_path() ? target.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
  if (folder) static_cast<void>(::fsync(folder.get()));
}

FileMark replace(const fs::path& target, const std::function<void(int file)>& fill) {
  const fs::path fresh = target.string() + own_suffix();
  const FileDescriptor file = open_file(fresh, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file) fail(target, "cannot be replaced");
  try {
    fill(file.get());
    if (::fsync(file.get()) != 0) fail(target, "cannot be written");
    if (::rename(fresh.c_str(), target.c_str()) != 0) fail(target, "cannot be replaced");
    keep_entry(target);
    return mark_of_open(file.get(), target);
  } catch (...) {
    ::unlink(fresh.c_str());
    throw;
  }
}

}  // namespace

FileMark mark_of(const fs::path& path) {
  const FileDescriptor file = open_file(path, O_RDONLY);
  if (!file && errno == ENOENT) return {};
  if (!file) fail(path, "cannot be opened");
  return mark_of_open(file.get(), path);
}

FileMark replace_by_copy(const fs::path& target, const fs::path& source) {
  const FileDescriptor from = open_file(source, O_RDONLY);
  if (!from) fail(source, "cannot be opened");
  return replace(target, [&](int file) { copy_all(from.get(), file, source, target); });
}

void replace_by_text(const fs::path& target, std::string_view text) {
  replace(target, [&](int file) { write_all(file, text, target); });
}

void remove_leftovers(const fs::path& target) {
  const std::string start = target.filename().string() + leftover_mark;
  std::error_code ignored;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(start)) fs::remove(entry.path(), ignored);
  }
}

PublishLock::PublishLock(const std::filesystem::path& published, std::chrono::milliseconds patience) {
  const std::string path = published.string() + ".lock";
  m_file = util::FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!m_file) {
    throw model::Error(fmt::format("{}: cannot be replaced: {}", published.string(), std::strerror(errno)));
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(m_file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;  // a file system without locks
    if (std::chrono::steady_clock::now() >= deadline) {
      throw model::Error(fmt::format("{}: another process is replacing it", published.string()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace tuner::cluster
